import Foundation
import StoreCore

/// A backend between a store and an app, which hands everything on; what it spoils is for subclasses to say.
class ForwardingBackend: StoreBackend, @unchecked Sendable {  // unchecked: a life is lived on one thread
    let backend: any StoreBackend

    init(_ backend: any StoreBackend) { self.backend = backend }

    var timekeeper: any Timekeeper { backend.timekeeper }
    var lane: BackendLane { .caller }
    var appReceipt: Data? { backend.appReceipt }
    var storefront: StoreStorefront? { backend.storefront }
    var promotionOverrides: PromotionOverrides? { backend.promotionOverrides }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        backend.submit(commands, reply: reply)
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        backend.connect(receiver, after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) { backend.disconnect(receiver) }

    func acknowledge(through cursor: UpdateCursor) { backend.acknowledge(through: cursor) }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        backend.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.changePromotion(change, reply: reply)
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.refreshReceipt(properties, reply: reply)
    }

    func presentCodeRedemptionSheet(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.presentCodeRedemptionSheet(reply: reply)
    }

    func fetchContent(
        _ request: ContentRequest,
        reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void
    ) {
        backend.fetchContent(request, reply: reply)
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        backend.products(identifiers, reply: reply)
    }
}
