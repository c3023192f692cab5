import Foundation

// The questions of a queue to its delegate, each in its turn among the observers' callbacks.
extension ObserverNotifier {
    /// Asks the delegate whether a purchase continues in a new storefront, and reports the answer to the store.
    ///
    /// Without a delegate it continues (behavior 170).
    func askWhetherToContinue(
        _ transaction: SKPaymentTransaction,
        _ identifier: String,
        _ storefront: StoreStorefront,
        _ queue: SKPaymentQueue,
        _ driver: QueueDriver
    ) {
        guard transaction.isPurchasing || transaction.isDeferred else { return }
        // Whoever ordered it through a face decides there.
        let shouldContinue =
            face?.shouldContinue(transaction, in: storefront)
            ?? queue.delegate?.paymentQueue(queue, shouldContinue: transaction, in: SKStorefront(storefront)) ?? true
        driver.backend.services.storefront?
            .decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    /// Shows a pending price consent, unless the delegate postpones it (behavior 180).
    func askForPriceConsent(_ queue: SKPaymentQueue, _ driver: QueueDriver) {
        guard let consent = driver.backend.services.consent, consent.isPriceConsentPending else { return }
        guard queue.delegate?.paymentQueueShouldShowPriceConsent(queue) ?? true else { return }
        consent.showPriceConsent()
    }
}
