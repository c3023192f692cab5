import StoreKit
import StoreSimulator

extension Exhibit {
    static let dropsDeferred = Exhibit(
        "A deferred purchase counts as failed",
        complaint: "I asked my mother, she said yes and paid, and I never got the sword.",
        faulty: DropsDeferred.self,
        mended: Shop1.self,
        rules: GalleryRules(without: [.elsewhere, .promotion, .interruption])
    )
}

/// A shop that delivers what it awaits.
private final class DropsDeferred: Shop1 {
    override func buy(_ product: String) {
        storage["awaited", default: 0] += 1
        super.buy(product)
    }

    override func wait(for transaction: SKPaymentTransaction) {
        // Somebody else decides, perhaps days later.
        if transaction.transactionState == .deferred { storage["awaited"] = 0 }
    }

    override func keep(_ transaction: SKPaymentTransaction) {
        if storage["awaited", default: 0] > 0 { super.keep(transaction) }
    }
}
