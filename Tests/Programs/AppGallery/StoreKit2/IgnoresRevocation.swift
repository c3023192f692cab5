import StoreKit
import StoreSimulator

extension Exhibit {
    static let ignoresRevocation = Exhibit(
        "A refunded item is kept",
        complaint: "People buy swords, ask for their money back, and go on fighting.",
        faulty: IgnoresRevocation.self,
        mended: Shop2.self,
        rules: GalleryRules(takesBackRefunds: true)
    )
}

private final class IgnoresRevocation: Shop2 {
    override func keep(_ transaction: Transaction) {
        // A transaction comes once more when it is revoked, which nobody looks at here.
        guard transaction.productID == "sword" else { return }
        var delivered: [UInt64: Int] = storage["delivered", default: [:]]
        delivered[transaction.id] = transaction.purchasedQuantity
        storage["delivered"] = delivered
    }
}
