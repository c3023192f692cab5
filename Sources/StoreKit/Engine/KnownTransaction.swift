import StoreCore

/// An unfinished transaction that the queue has told of.
struct KnownTransaction: Sendable {
    var transaction: SKPaymentTransaction
    /// Whether a purchase has returned it, so that it is no update.
    var isReturned = false

    init(_ transaction: SKPaymentTransaction, isReturned: Bool = false) {
        (self.transaction, self.isReturned) = (transaction, isReturned)
    }
}
