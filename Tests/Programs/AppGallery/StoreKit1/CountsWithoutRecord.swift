import StoreKit
import StoreSimulator

extension Exhibit {
    static let countsWithoutRecord = Exhibit(
        "Items are counted, and nobody knows for which transactions",
        complaint: "I bought one sword, my phone restarted, and I had two.",
        faulty: CountsWithoutRecord.self,
        mended: Shop1.self
    )
}

private final class CountsWithoutRecord: Shop1 {
    override var swords: Int { storage["swords", default: 0] }

    override func keep(_ transaction: SKPaymentTransaction) {
        // A transaction that could not be finished comes again, and is counted again.
        storage["swords", default: 0] += transaction.payment.quantity
    }
}
