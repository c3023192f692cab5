import Foundation

// What a queue asks its delegate, in its turn among the observers' callbacks.
extension CourierRound {
    /// Asks whether a purchase goes on in a new storefront, and tells the store.
    ///
    /// Without a delegate it does (behaviour 170).
    func askWhetherToContinue(
        _ transaction: SKPaymentTransaction,
        _ identifier: String,
        _ storefront: StoreStorefront
    ) {
        guard transaction.isPurchasing || transaction.isDeferred else { return }
        let shouldContinue =
            queue.delegate?.paymentQueue(queue, shouldContinue: transaction, in: SKStorefront(storefront)) ?? true
        engine.backend.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    /// Asks whether the store may ask for consent to a higher price now, and lets it (behaviour 180).
    func askForPriceConsent() {
        guard engine.backend.isPriceConsentPending else { return }
        guard queue.delegate?.paymentQueueShouldShowPriceConsent(queue) ?? true else { return }
        engine.backend.showPriceConsent()
    }
}
