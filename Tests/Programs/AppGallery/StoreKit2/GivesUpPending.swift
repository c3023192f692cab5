import StoreKit
import StoreSimulator

extension Exhibit {
    static let givesUpPending = Exhibit(
        "A pending purchase counts as failed",
        complaint: "She approved it two days later. The store charged her, and I have nothing.",
        faulty: GivesUpPending.self,
        mended: Shop2.self
    )
}

private final class GivesUpPending: Shop2 {
    override func handle(_ result: Product.PurchaseResult, of product: Product) async {
        await super.handle(result, of: product)
        if case .pending = result { storage["given up"] = true }
    }

    override func keep(_ transaction: Transaction) {
        // What a parent approves of is an update.
        if !storage["given up", default: false] { super.keep(transaction) }
    }
}
