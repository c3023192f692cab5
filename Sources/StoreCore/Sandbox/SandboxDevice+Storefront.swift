import Foundation

extension SandboxDevice {
    /// The country that the store sells for.
    public var storefront: StoreStorefront? { core.storefront }

    /// Tells the store whether a purchase that is under way continues in a new storefront.
    ///
    /// Has no effect on a purchase that is decided by then.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        core.decideAfterStorefrontChange(identifier, shouldContinue: shouldContinue, on: number)
    }
}
