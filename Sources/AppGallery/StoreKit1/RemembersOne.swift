import StoreKit
import StoreSimulator

extension Exhibit {
    static let remembersOne = Exhibit(
        "Only the last delivery is remembered",
        complaint: "Two purchases were stuck. Now I have five swords.",
        faulty: RemembersOne.self,
        mended: Shop1.self
    )
}

private final class RemembersOne: Shop1 {
    override var swords: Int { storage["swords", default: 0] }

    override func keep(_ transaction: SKPaymentTransaction) {
        // Two that come again by turns are both new each time.
        if storage["last"] == transaction.transactionIdentifier { return }
        storage["last"] = transaction.transactionIdentifier
        storage["swords", default: 0] += transaction.payment.quantity
    }
}
