/// A store's service that names the country that it sells for.
public protocol StorefrontService: Sendable {
    /// The country that the store sells for on this device, nil while unknown.
    ///
    /// Read whenever the app asks, on its thread. May block.
    var storefront: StoreStorefront? { get }

    /// Receives the app's decision about a purchase that was under way when a ``StoreUpdate/storefront(_:)`` came.
    ///
    /// The queue asks its delegate once about each undecided transaction in the store, in order among the callbacks;
    /// without a delegate the answer is yes. A store that waits for the decision should give up after about a second
    /// and let the transaction fail with `storeProductNotAvailable`. Called on the thread that makes callbacks; must
    /// not block.
    ///
    /// Default: does nothing.
    ///
    /// - Parameters:
    ///   - identifier: the store's name for the transaction.
    ///   - shouldContinue: whether it continues in the new storefront.
    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool)
}

extension StorefrontService {
    /// Does nothing.
    public func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {}
}
