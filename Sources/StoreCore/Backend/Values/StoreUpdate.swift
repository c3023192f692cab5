import Foundation

/// An update that a store sends to a queue.
public enum StoreUpdate: Hashable, Codable, Sendable {
    /// A transaction that is new or has changed, as a complete value.
    case transaction(StoreTransaction)
    /// The removal of a transaction, with the order that led to it: another queue finished it, or the store withdrew it.
    ///
    /// A queue knows a transaction of its own by the order, and every other one by the identifier.
    case finished(transaction: String, order: OrderID?)
    /// The end of a restore, after all that it brings; with a failure, not all of it could be delivered.
    case restoreEnded(OrderID, failure: StoreFailure?)
    /// A change of the storefront's country. The queue answers with the app's decision about each purchase under way,
    /// see ``StorefrontService/decideAfterStorefrontChange(transaction:shouldContinue:)``.
    case storefront(StoreStorefront?)
    /// The end of access to these products.
    case revoked(productIdentifiers: [String])
    /// A purchase that the user began in the store itself.
    case promoted(StorePayment, product: StoreProduct)
}
