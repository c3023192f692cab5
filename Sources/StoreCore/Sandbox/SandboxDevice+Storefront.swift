import Foundation

extension SandboxDevice {
    /// The country that the store sells for.
    public var storefront: StoreStorefront? { core.storefront }

    /// What the app on this device says of a purchase that is under way in a new storefront.
    ///
    /// Nothing that is decided by then changes.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        core.decideAfterStorefrontChange(identifier, shouldContinue: shouldContinue, on: number)
    }
}
