import Foundation

/// Decides for a payment queue what the store asks the app.
///
/// Both methods are optional by way of a default, with the limit that ``SKPaymentTransactionObserver`` describes: one that
/// only a subclass of the conforming class implements is never called. A queue does not keep its delegate alive.
public protocol SKPaymentQueueDelegate: NSObjectProtocol, SendableMetatype {
    /// Whether a purchase under way should go on although the storefront changed.
    ///
    /// Optional: true.
    ///
    /// An app that says false, or has not answered after about a second, sees the transaction fail with
    /// ``SKErrorCode/storeProductNotAvailable``.
    func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool

    /// Whether the store may ask the user now to agree to a higher price.
    ///
    /// Optional: true.
    ///
    /// An app that says false brings the question up later, with the queue's `showPriceConsentIfNeeded()`.
    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool
}

extension SKPaymentQueueDelegate {
    /// Goes on.
    public func paymentQueue(
        _ paymentQueue: SKPaymentQueue,
        shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool { true }

    /// Lets the store ask.
    public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { true }
}
