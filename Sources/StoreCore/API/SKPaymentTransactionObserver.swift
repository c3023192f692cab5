import Foundation

/// An observer of all events in a payment queue.
///
/// Only ``paymentQueue(_:updatedTransactions:)`` is required. Callbacks run on the main queue unless the queue was set
/// up otherwise, one at a time and in order; `SKPaymentQueue.default()` is the calling queue within each. A queue holds
/// its observers weakly; one that is deallocated counts as removed.
///
/// The other methods are optional through a default. The default is bound where a class declares its conformance: if a
/// subclass of that class is the first to implement such a method, its implementation is never called. Implement the
/// method in the class that conforms, if only to be overridden.
///
/// A class isolated to the main actor conforms with `nonisolated` methods, or with `@preconcurrency` if callbacks come
/// on the main queue.
public protocol SKPaymentTransactionObserver: NSObjectProtocol, SendableMetatype {
    /// Reports transactions that were added to the queue, or changed their state.
    ///
    /// Each already has its new state. The app delivers the purchase, then finishes the transaction.
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])

    /// Reports transactions that have left the queue for good: the finish is recorded in the store or in the queue's
    /// journal.
    ///
    /// Optional.
    ///
    /// A finished transaction that was reported here never returns, even if the process ends in this callback. A
    /// transaction that the store itself removed, because its user signed out for instance, is reported here too, and
    /// may return.
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])

    /// Reports that restoring failed before everything was restored.
    ///
    /// Optional.
    ///
    /// The error is an ``SKError`` or a `URLError`.
    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)

    /// Reports that everything restorable has been restored, in calls of ``paymentQueue(_:updatedTransactions:)``.
    ///
    /// Optional.
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)

    /// Reports downloads that changed state or made progress.
    ///
    /// Optional.
    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload])

    /// Whether to continue a purchase that the user began in the store itself.
    ///
    /// Optional: false.
    ///
    /// True continues it at once. False drops it; the app may add the payment to the queue later.
    func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool

    /// Reports a change of the storefront, after which the app looks products up again.
    ///
    /// Optional.
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)

    /// Reports products that the user no longer owns, after a refund or because a family stopped sharing.
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

    /// Returns false: the purchase is dropped.
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
