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
    override func keep(_ transaction: SKPaymentTransaction) {
        storage["has \(transaction.payment.productIdentifier)"] = true
    }

    // What was bought need not be owned any more.
    override func has(_ product: String) async -> Bool { storage["has \(product)", default: false] }
}
