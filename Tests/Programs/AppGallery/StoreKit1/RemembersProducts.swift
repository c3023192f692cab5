import StoreKit
import StoreSimulator

extension Exhibit {
    static let remembersProducts = Exhibit(
        "Deliveries are remembered by product",
        complaint: "I paid for three swords and got one.",
        faulty: RemembersProducts.self,
        mended: Shop1.self
    )
}

private final class RemembersProducts: Shop1 {
    override func keep(_ transaction: SKPaymentTransaction) {
        // A consumable can be bought again: the second one looks like the first.
        var delivered: [String: Int] = storage["delivered", default: [:]]
        delivered[transaction.payment.productIdentifier] = transaction.payment.quantity
        storage["delivered"] = delivered
    }
}
