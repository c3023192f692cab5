import Foundation
import StoreCore

/// A backend with somebody in between who signs every offer himself, or leaves them all out.
final class Forger: StoreBackend {
    private let drops: Bool
    private let backend: any StoreBackend
    private static let signer = HMACOfferSigner(keyIdentifier: "key", key: Data(repeating: 9, count: 32))

    init(_ backend: any StoreBackend, drops: Bool = false) {
        self.backend = backend
        self.drops = drops
    }

    var timekeeper: any Timekeeper { backend.timekeeper }
    var lane: BackendLane { .caller }
    var appReceipt: Data? { backend.appReceipt }

    var storefront: StoreStorefront? { backend.storefront }
    var promotionOverrides: PromotionOverrides? { backend.promotionOverrides }

    func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.changePromotion(change, reply: reply)
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        backend.refreshReceipt(properties, reply: reply)
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        backend.submit(commands.map(spoil), reply: reply)
    }

    private func spoil(_ command: StoreCommand) -> StoreCommand {
        guard case .purchase(var payment) = command.action, let discount = payment.discount else { return command }
        let payload = PromotionalOfferPayload(
            bundleIdentifier: "com.example.lives",
            keyIdentifier: Self.signer.keyIdentifier,
            productIdentifier: payment.productIdentifier,
            offerIdentifier: discount.identifier,
            applicationUsername: payment.applicationUsername ?? "",
            nonce: discount.nonce,
            timestamp: discount.timestamp
        )
        payment.discount = drops ? nil : try? payload.signed(by: Self.signer)
        return StoreCommand(id: command.id, action: .purchase(payment))
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        backend.connect(receiver, after: cursor)
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) { backend.disconnect(receiver) }

    func acknowledge(through cursor: UpdateCursor) { backend.acknowledge(through: cursor) }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        backend.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        backend.products(identifiers, reply: reply)
    }
}
