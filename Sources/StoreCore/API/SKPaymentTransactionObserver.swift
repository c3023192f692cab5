import Foundation

/// Hears of everything that happens in a payment queue.
///
/// Only ``paymentQueue(_:updatedTransactions:)`` has to be implemented. Callbacks come on the main queue unless the queue
/// was set up otherwise, one at a time and in order; `SKPaymentQueue.default()` is the calling queue within each. A queue
/// does not keep its observers alive; one that is deallocated counts as removed.
///
/// The other methods are optional by way of a default. The default is bound where a class declares its conformance: if a
/// subclass of that class is the first to implement such a method, its implementation is never called. Implement the
/// method in the class that conforms, if only to be overridden.
///
/// A class isolated to the main actor conforms with `nonisolated` methods, or with `@preconcurrency` if callbacks come on
/// the main queue.
public protocol SKPaymentTransactionObserver: NSObjectProtocol, SendableMetatype {
    /// Transactions were added to the queue, or changed their state.
    ///
    /// Each has already taken on what is said of it. The app delivers what was bought, then finishes the transaction.
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])

    /// Transactions have left the queue for good: the finish is recorded in the store or in the queue's journal.
    ///
    /// Optional.
    ///
    /// What was reported here is not shown again after a finish, even if the process ends in this callback. A transaction
    /// that the store itself took away, because its user signed out for instance, is reported here too, and may return.
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])

    /// Restoring came to an end before everything was restored.
    ///
    /// Optional.
    ///
    /// The error is an ``SKError`` or a `URLError`.
    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)

    /// Everything that could be restored has been, in calls of ``paymentQueue(_:updatedTransactions:)``.
    ///
    /// Optional.
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)

    /// Downloads have moved on.
    ///
    /// Optional.
    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload])

    /// The user began a purchase in the store itself.
    ///
    /// Optional.
    ///
    /// True continues it at once. False drops it; the app may add the payment to the queue later. Not implemented means
    /// false.
    func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool

    /// The storefront changed: look products up again.
    ///
    /// Optional.
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)

    /// The user no longer owns these products, after a refund or because a family stopped sharing.
    ///
    /// Optional.
    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    )
}

extension SKPaymentTransactionObserver {
    /// Does nothing.
    public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {}

    /// Does nothing.
    public func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error) {}

    /// Does nothing.
    public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}

    /// Does nothing.
    public func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {}

    /// Drops the purchase.
    public func paymentQueue(
        _ queue: SKPaymentQueue,
        shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool { false }

    /// Does nothing.
    public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}

    /// Does nothing.
    public func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {}
}
