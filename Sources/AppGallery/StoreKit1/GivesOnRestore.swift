import StoreKit
import StoreSimulator

extension Exhibit {
    static let givesOnRestore = Exhibit(
        "A restored purchase is credited like a new one",
        complaint: "Restore, restore, restore: ten gifts.",
        faulty: GivesOnRestore.self,
        mended: Shop1.self,
        rules: GalleryRules(sells: ["game"], without: [.signIn, .family])
    )
}

private final class GivesOnRestore: Shop1 {
    override func keep(_ transaction: SKPaymentTransaction) {
        super.keep(transaction)
        // A restored transaction is another one, with another identifier, of the purchase that was credited before.
        storage["gifts", default: 0] += 1
    }
}
