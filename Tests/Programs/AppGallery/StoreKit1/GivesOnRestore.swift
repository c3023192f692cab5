import StoreKit
import StoreSimulator

extension Exhibit {
    static let givesOnRestore = Exhibit(
        "A restored purchase is credited like a new one",
        complaint: "Restore, restore, restore: ten gifts.",
        faulty: GivesOnRestore.self,
        mended: Shop1.self,
        rules: GalleryRules(sells: ["game"], without: [.signIn, .family, .refund], giftedUsers: 1)
    )
}

private final class GivesOnRestore: Shop1 {
    override func give(for transaction: SKPaymentTransaction) {
        // A restored transaction is another one of a purchase that was credited before, and so is that of buying it again.
        let gifts: [String] = storage["gifts", default: []]
        storage["gifts"] = gifts + [transaction.transactionIdentifier ?? ""]
    }
}
