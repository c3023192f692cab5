import StoreKit
import StoreSimulator

extension Exhibit {
    static let dropsUnknown = Exhibit(
        "Only what this launch has begun is delivered",
        complaint: "It crashed while I paid. The receipt came by mail, the sword did not.",
        faulty: DropsUnknown.self,
        mended: Shop1.self
    )
}

private final class DropsUnknown: Shop1 {
    private var begun: Set<String> = []

    override func buy(_ product: String) {
        begun.insert(product)
        super.buy(product)
    }

    override func keep(_ transaction: SKPaymentTransaction) {
        // The set is empty after a launch, and what was bought elsewhere was never in it.
        if begun.contains(transaction.payment.productIdentifier) { super.keep(transaction) }
    }
}
