/// A ``StorefrontService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncStorefrontService: Sendable {
    /// The country that the store sells for, as far as is known now. Must not block.
    var storefront: StoreStorefront? { get }

    /// Receives the app's decision about a purchase that was under way when the storefront changed, as
    /// ``StorefrontService/decideAfterStorefrontChange(transaction:shouldContinue:)`` says. Default: does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's name for the transaction.
    ///   - shouldContinue: whether it continues in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async
}

extension AsyncStorefrontService {
    /// Does nothing.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) async {}
}
