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
    private struct Kept: Codable {
        var last: String?
        var swords = 0
    }

    private var kept: Kept { storage["kept", default: Kept()] }

    override var swords: Int { kept.swords }

    override func keep(_ transaction: SKPaymentTransaction) {
        // Two that come again by turns are both new each time.
        if kept.last == transaction.transactionIdentifier { return }
        let swords = kept.swords + transaction.payment.quantity
        storage["kept"] = Kept(last: transaction.transactionIdentifier, swords: swords)
    }
}
