import Foundation
import StoreContract
import StoreCore

/// A backend with somebody in between who signs every offer himself, or leaves them all out.
final class OfferForger: ForwardingBackend {
    let backend: any StoreBackend
    private let drops: Bool
    private static let signer = HMACOfferSigner(keyIdentifier: "key", key: Data(repeating: 9, count: 32))

    init(_ backend: any StoreBackend, drops: Bool = false) {
        self.backend = backend
        self.drops = drops
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        backend.submit(commands.map(spoil), reply: reply)
    }

    private func spoil(_ command: StoreCommand) -> StoreCommand {
        guard case .purchase(var payment) = command.action, let discount = payment.discount else { return command }
        let payload = PromotionalOfferPayload(
            bundleIdentifier: "com.example.simulator",
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
}
