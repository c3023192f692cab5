import Foundation

/// A transaction of a sandbox store, as its ledger records it, including failed, undecided and finished ones.
public struct SandboxTransaction: Hashable, Sendable, Identifiable {
    /// The origin of a transaction.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Origin: String, Hashable, Codable, Sendable {
        /// A purchase.
        case purchase
        /// The renewal of a subscription.
        case renewal
        /// The restoration of an earlier purchase.
        case restoration
        /// A purchase by another member of the family, or the renewal of their subscription.
        case familySharing
    }

    /// The store's identifier for the transaction.
    public let id: String
    /// The origin of the transaction.
    public let origin: Origin
    /// The original transaction: the first one of the subscription, or the one that this transaction restores.
    ///
    /// Nil for the first transaction of a subscription, and for the purchase of any other product.
    public internal(set) var original: String?
    /// The name of the account to which the transaction belongs, nil if none was signed in.
    ///
    /// This is the buyer or, if ``sharedBy`` is not nil, the member of the family with whom the product is shared.
    public let account: String?
    /// The name of the device that ordered or restored the product, nil if all of the account's devices receive it.
    public let device: String?
    /// The command that ordered the product, nil for a transaction without an order and for a restored one.
    public let order: OrderID?
    /// The product's identifier.
    public let productIdentifier: String
    /// The quantity.
    public let quantity: Int
    /// The date of the order, by the store's clock; of a renewal, the date of the charge.
    ///
    /// A restored transaction has the date of the restore, and a share in the family the date at which the member
    /// received it.
    public let date: Date
    /// The state.
    public internal(set) var state: StoreTransaction.State
    /// The failure, nil unless the transaction failed.
    public internal(set) var failure: StoreFailure?
    /// The amount charged for the whole quantity, in the storefront's currency; nil if nothing was sold, zero for a
    /// free purchase.
    public internal(set) var chargedAmount: Decimal?
    /// The currency of the charge, ISO 4217: that of the storefront at the sale; nil if nothing was charged.
    package internal(set) var currency: String?
    /// The end of the paid period of an auto-renewable subscription: the first moment that is not paid for.
    ///
    /// Nil for every other product, for a restored transaction, and if nothing was sold.
    public internal(set) var expirationDate: Date?
    /// The date of the refund or of the end of sharing; nil while the transaction is valid.
    public internal(set) var cancellationDate: Date?
    /// The amount refunded; nil if nothing was refunded, zero if the purchase had been free.
    public internal(set) var refundedAmount: Decimal?
    /// The name of the account that paid and shares the product with the family, nil for the account's own purchase.
    public internal(set) var sharedBy: String?
    /// The account's existing transaction that satisfied the order; nil if something was sold.
    ///
    /// An app that uses Store Kit 2 receives the existing transaction. One that uses Store Kit 1 receives a purchased
    /// transaction to finish, which is in no history and no receipt. See ``StoreTransaction/heldIdentifier``.
    public internal(set) var held: String?
    /// Whether an app, or its server, has finished the transaction.
    ///
    /// True from the beginning for a share that the member receives only through a restore.
    public internal(set) var isFinished = false

    /// Whether the transaction sold something: it is purchased, and no existing transaction satisfied its order.
    package var isSale: Bool { state == .purchased && held == nil }
}

extension SandboxTransaction: CustomStringConvertible {
    /// The number, the product and the state, in one line.
    public var description: String {
        let isOver = isFinished ? ", finished" : ""
        let isCancelled = cancellationDate == nil ? "" : ", cancelled"
        return "#\(id) \(SandboxTimeline.name(of: productIdentifier, quantity)): \(state)\(isCancelled)\(isOver)"
    }
}
