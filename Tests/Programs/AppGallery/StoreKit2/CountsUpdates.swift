import StoreKit
import StoreSimulator

extension Exhibit {
    static let countsUpdates = Exhibit(
        "Items are counted, and nobody knows for which transactions",
        complaint: "I bought one sword, my phone restarted, and I had two.",
        faulty: CountsUpdates.self,
        mended: Shop2.self
    )
}

private final class CountsUpdates: Shop2 {
    override var swords: Int { storage["swords", default: 0] }

    override func keep(_ transaction: Transaction) {
        // A transaction that could not be finished is an update of the next launch, and is counted again.
        if transaction.revocationDate == nil { storage["swords", default: 0] += transaction.purchasedQuantity }
    }
}
