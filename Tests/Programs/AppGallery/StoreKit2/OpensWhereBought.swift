import StoreKit
import StoreSimulator

extension Exhibit {
    static let opensWhereBought = Exhibit(
        "Access is given on the device of the purchase",
        complaint: "I bought the game on my phone, and my tablet wants me to pay for it again.",
        faulty: OpensWhereBought.self,
        mended: Shop2.self,
        rules: GalleryRules(sells: ["game"], without: [.signIn, .family, .elsewhere, .refund])
    )
}

private final class OpensWhereBought: Shop2 {
    override func keep(_ transaction: Transaction) {
        super.keep(transaction)
        storage["has \(transaction.productID)"] = true
    }

    // The user's other devices hear of no transaction.
    override func has(_ product: String) async -> Bool { storage["has \(product)", default: false] }
}
