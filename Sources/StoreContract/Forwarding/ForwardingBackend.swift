import Foundation
import StoreCore

/// A backend that forwards everything to another one, except what it implements itself.
package protocol ForwardingBackend: StoreBackend {
    /// The backend that answers.
    var backend: any StoreBackend { get }
}

extension ForwardingBackend {
    package var clock: any StoreClock { backend.clock }
    package var lane: BackendLane { backend.lane }
    package var canMakePayments: Bool { backend.canMakePayments }
    package var storefront: StoreStorefront? { backend.storefront }
    package var isPriceConsentPending: Bool { backend.isPriceConsentPending }
    package var promotionOverrides: PromotionOverrides? { backend.promotionOverrides }
    package var appReceipt: Data? { backend.appReceipt }

    package func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        backend.submit(commands, reply: reply)
    }

    package func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        backend.connect(receiver, after: cursor)
    }

    package func disconnect(_ receiver: any StoreUpdateReceiver) { backend.disconnect(receiver) }

    package func acknowledge(through cursor: UpdateCursor) { backend.acknowledge(through: cursor) }

    package func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        backend.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    package func showPriceConsent() { backend.showPriceConsent() }

    package func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        backend.products(identifiers, reply: reply)
    }

    package func sells(_ productIdentifier: String) -> Bool? { backend.sells(productIdentifier) }

    package func receipt(forTransaction identifier: String) -> Data? { backend.receipt(forTransaction: identifier) }

    package func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.changePromotion(change, reply: reply)
    }

    package func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.refreshReceipt(properties, reply: reply)
    }

    package func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        backend.fetchContent(request, reply: reply)
    }

    package func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.presentCodeRedemptionSheet(reply: reply)
    }
}
