import StoreKit
import StoreSimulator

extension Exhibit {
    static let keepsAccess = Exhibit(
        "Access is kept once it was given",
        complaint: "I canceled last year, and everything still works.",
        faulty: KeepsAccess.self,
        mended: Shop2.self,
        rules: GalleryRules(sells: ["sword", "game", "pro", "basic"])
    )
}

private final class KeepsAccess: Shop2 {
    override func keep(_ transaction: Transaction) {
        super.keep(transaction)
        storage["has \(transaction.productID)"] = true
    }

    // A subscription ends, and nothing comes to say so.
    override func has(_ product: String) async -> Bool { storage["has \(product)", default: false] }
}
