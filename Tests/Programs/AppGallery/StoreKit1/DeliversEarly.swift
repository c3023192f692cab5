import StoreKit
import StoreSimulator

extension Exhibit {
    static let deliversEarly = Exhibit(
        "Items are delivered while the purchase is under way",
        complaint: "I canceled, and the sword was there.",
        faulty: DeliversEarly.self,
        mended: Shop1.self
    )
}

private final class DeliversEarly: Shop1 {
    override var swords: Int { super.swords + storage["early", default: 0] }

    override func wait(for transaction: SKPaymentTransaction) {
        // Nothing is paid for yet.
        storage["early", default: 0] += 1
    }

    override func deliver(_ transaction: SKPaymentTransaction) {
        storage["early"] = 0
        super.deliver(transaction)
    }
}
