import StoreKit
import StoreSimulator

extension Exhibit {
    static let neverFinishes = Exhibit(
        "A transaction is never finished",
        complaint: "Each time I open the app it thanks me for the same sword.",
        faulty: NeverFinishes.self,
        mended: Shop1.self
    )
}

private final class NeverFinishes: Shop1 {
    override func deliver(_ transaction: SKPaymentTransaction) {
        // It comes again at each launch, and the queue never empties.
        keep(transaction)
    }
}
