import Foundation

/// A delegate that answers the store's questions for a payment queue.
///
/// Both methods are optional through a default, with the limit that ``SKPaymentTransactionObserver`` describes: one
/// that only a subclass of the conforming class implements is never called. A queue holds its delegate weakly.
public protocol SKPaymentQueueDelegate: NSObjectProtocol, SendableMetatype {
    /// Whether a purchase in progress should continue although the storefront changed.
    ///
    /// Optional: true.
    ///
    /// If the app returns false, or has not answered after about a second, the transaction fails with
    /// ``SKErrorCode/storeProductNotAvailable``.
    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool

    /// Whether the store may ask the user for consent to a higher price now.
    ///
    /// Optional: true.
    ///
    /// An app that returns false shows the consent sheet later, with the queue's `showPriceConsentIfNeeded()`.
    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool
}

extension SKPaymentQueueDelegate {
    /// Returns true: the purchase continues.
    public func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool { true }

    /// Returns true: the store may ask.
    public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { true }
}
