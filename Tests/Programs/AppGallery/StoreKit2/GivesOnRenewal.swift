import StoreKit
import StoreSimulator

extension Exhibit {
    static let givesOnRenewal = Exhibit(
        "A renewal is taken for a purchase",
        complaint: "My subscription brings a welcome gift every month.",
        faulty: GivesOnRenewal.self,
        mended: Shop2.self,
        rules: GalleryRules(sells: ["pro", "basic"], giftedUsers: 2)
    )
}

private final class GivesOnRenewal: Shop2 {
    override func keep(_ transaction: Transaction) {
        guard transaction.productType == .autoRenewable else { return }
        // Each renewal is a transaction; all of them have the first one's originalID.
        storage["gifts"] = storage["gifts", default: Set<UInt64>()].union([transaction.id])
    }
}
