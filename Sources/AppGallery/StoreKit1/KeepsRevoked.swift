import StoreKit
import StoreSimulator

extension Exhibit {
    static let keepsRevoked = Exhibit(
        "Revoked access is kept",
        complaint: "They refunded the game, and I still play it.",
        faulty: KeepsRevoked.self,
        mended: Shop1.self,
        rules: GalleryRules(sells: ["game"], without: [.signIn, .family], takesBackRefunds: true)
    )
}

private final class KeepsRevoked: Shop1 {
    // The queue tells when access has ended, by a method that an observer need not have.
    override func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {}
}
