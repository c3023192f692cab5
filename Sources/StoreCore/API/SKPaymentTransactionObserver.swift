import Foundation

/// An observer of a payment queue, which is notified of all of the queue's events.
///
/// Only ``paymentQueue(_:updatedTransactions:)`` is required. By default, callbacks run on the main queue, one at a
/// time and in order. Within a callback, `SKPaymentQueue.default()` returns the queue that makes it. A queue holds its
/// observers weakly; an observer that is deallocated counts as removed.
///
/// All other methods have default implementations, which Swift binds where a class declares its conformance: if only a
/// subclass of that class implements such a method, its implementation is never called. Therefore implement the method
/// in the class that conforms, if only so that it can be overridden.
///
/// A class that is isolated to the main actor conforms with `nonisolated` methods or, if callbacks are delivered on the
/// main queue, with `@preconcurrency`.
public protocol SKPaymentTransactionObserver: NSObjectProtocol, SendableMetatype {
    /// Reports transactions that were added to the queue, or whose state has changed.
    ///
    /// The transactions already have their new states. The app delivers a purchase, then finishes the transaction.
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])

    /// Reports transactions that were removed from the queue.
    ///
    /// The default implementation does nothing.
    ///
    /// A finished transaction that was reported here never returns, even if the process ends in this callback: the
    /// finish is recorded in the store or the queue's journal. A transaction that the store itself has removed, for
    /// example because its user signed out, is reported too, but may return.
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])

    /// Reports that a restore failed before all purchases were restored.
    ///
    /// The error is an ``SKError`` or a `URLError`. The default implementation does nothing.
    func paymentQueue(_ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)

    /// Reports that all purchases were restored, by earlier calls of ``paymentQueue(_:updatedTransactions:)``.
    ///
    /// The default implementation does nothing.
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)

    /// Reports downloads whose state has changed or that have made progress.
    ///
    /// The default implementation does nothing.
    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload])

    /// Returns whether to continue a purchase that the user began in the store rather than in the app.
    ///
    /// True continues the purchase at once; with several observers, it is enough that one returns true. False drops the
    /// purchase, unless Store Kit 2 is in use, whose `PurchaseIntent.intents` then delivers it. The app can add the
    /// payment to the queue later. The default implementation returns false.
    func paymentQueue(_ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct) -> Bool

    /// Reports a change of the storefront, after which the app should request its products again.
    ///
    /// The default implementation does nothing.
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)

    /// Reports products that the user may no longer use, because of a refund or because a family stopped sharing.
    ///
    /// The default implementation does nothing.
    func paymentQueue(_ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String])
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
