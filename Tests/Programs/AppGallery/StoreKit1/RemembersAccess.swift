import StoreKit
import StoreSimulator

extension Exhibit {
    static let remembersAccess = Exhibit(
        "Access is what transactions and refunds have left",
        complaint: "My father bought the game for all of us, and mine is locked.",
        faulty: RemembersAccess.self,
        mended: Shop1.self,
        rules: GalleryRules(sells: ["game"], without: [.signIn])
    )
}

private final class RemembersAccess: Shop1 {
    override func keep(_ transaction: SKPaymentTransaction) {
        storage["has \(transaction.payment.productIdentifier)"] = true
    }

    override func has(_ product: String) async -> Bool { storage["has \(product)", default: false] }

    override func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        // What one purchase no longer gives, another may, or a relative's, without any transaction here.
        for product in productIdentifiers { storage["has \(product)"] = false }
    }
}
