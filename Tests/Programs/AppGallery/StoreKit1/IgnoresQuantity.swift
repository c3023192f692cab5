import StoreKit
import StoreSimulator

extension Exhibit {
    static let ignoresQuantity = Exhibit(
        "The quantity is ignored",
        complaint: "I bought the pack of three, and it is one.",
        faulty: IgnoresQuantity.self,
        mended: Shop1.self,
        rules: GalleryRules(sellsThree: true)
    )
}

private final class IgnoresQuantity: Shop1 {
    override func keep(_ transaction: SKPaymentTransaction) {
        var delivered: [String: Int] = storage["delivered", default: [:]]
        // A payment may be for up to ten.
        delivered[transaction.transactionIdentifier ?? ""] = 1
        storage["delivered"] = delivered
    }
}
