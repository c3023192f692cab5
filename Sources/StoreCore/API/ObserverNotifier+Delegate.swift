import Foundation

// What a queue asks its delegate, in its turn among the observers' callbacks.
extension ObserverNotifier {
    /// Asks whether a purchase goes on in a new storefront, and tells the store.
    ///
    /// Without a delegate it does (behavior 170).
    func askWhetherToContinue(
        _ transaction: SKPaymentTransaction,
        _ identifier: String,
        _ storefront: StoreStorefront,
        _ queue: SKPaymentQueue,
        _ driver: QueueDriver
    ) {
        guard transaction.isPurchasing || transaction.isDeferred else { return }
        let shouldContinue =
            queue.delegate?.paymentQueue(queue, shouldContinue: transaction, in: SKStorefront(storefront)) ?? true
        driver.backend.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    /// Asks whether the store may ask for consent to a higher price now, and lets it (behavior 180).
    func askForPriceConsent(_ queue: SKPaymentQueue, _ driver: QueueDriver) {
        guard driver.backend.isPriceConsentPending else { return }
        guard queue.delegate?.paymentQueueShouldShowPriceConsent(queue) ?? true else { return }
        driver.backend.showPriceConsent()
    }
}
