import StoreKit
import StoreSimulator

extension Exhibit {
    static let keepsFailures = Exhibit(
        "Failed transactions are not finished",
        complaint: "It says that my purchase failed. Every day.",
        faulty: KeepsFailures.self,
        mended: Shop1.self
    )
}

private final class KeepsFailures: Shop1 {
    // A failed transaction waits to be finished like any other.
    override func fail(_ transaction: SKPaymentTransaction) {}
}
