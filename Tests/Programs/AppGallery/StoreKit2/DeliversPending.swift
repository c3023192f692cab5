import StoreKit
import StoreSimulator

extension Exhibit {
    static let deliversPending = Exhibit(
        "A pending purchase is delivered",
        complaint: "I got the sword, and then my mother said no.",
        faulty: DeliversPending.self,
        mended: Shop2.self
    )
}

private final class DeliversPending: Shop2 {
    override var swords: Int { super.swords + storage["pending", default: 0] }

    override func handle(_ result: Product.PurchaseResult, of product: Product) async {
        await super.handle(result, of: product)
        // Somebody else decides about it, and may decline.
        if case .pending = result { storage["pending", default: 0] += 1 }
    }
}
