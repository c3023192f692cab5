import StoreKit
import StoreSimulator

extension Exhibit {
    static let looksAtLatest = Exhibit(
        "The latest transaction is taken for an entitlement",
        complaint: "I canceled last year, and everything still works.",
        faulty: LooksAtLatest.self,
        mended: Shop2.self,
        rules: GalleryRules(sells: ["game", "pro"])
    )
}

private final class LooksAtLatest: Shop2 {
    override func has(_ product: String) async -> Bool {
        // The latest transaction may have expired, or be revoked.
        await Transaction.latest(for: product) != nil
    }
}
