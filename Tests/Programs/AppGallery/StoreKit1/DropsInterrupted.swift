import StoreKit
import StoreSimulator

extension Exhibit {
    static let dropsInterrupted = Exhibit(
        "What has failed cannot succeed",
        complaint: "The store wanted me to accept its terms. I did, it charged me, and nothing came.",
        faulty: DropsInterrupted.self,
        mended: Shop1.self,
        rules: GalleryRules(without: [.elsewhere, .promotion, .askToBuy, .failure, .user])
    )
}

/// A shop that delivers what it awaits.
private final class DropsInterrupted: Shop1 {
    override func buy(_ product: String) {
        storage["awaited"] = true
        super.buy(product)
    }

    override func fail(_ transaction: SKPaymentTransaction) {
        // Once the user has settled what interrupted it, the purchase comes as another transaction.
        storage["awaited"] = false
        super.fail(transaction)
    }

    override func keep(_ transaction: SKPaymentTransaction) {
        if storage["awaited", default: false] { super.keep(transaction) }
    }
}
