import StoreKit
import StoreSimulator

extension Exhibit {
    static let sharesAccess = Exhibit(
        "Access is not the user's, but the device's",
        complaint: "I signed in on my brother's phone, and the game is unlocked.",
        faulty: SharesAccess.self,
        mended: Shop2.self,
        rules: GalleryRules(sells: ["game"])
    )
}

private final class SharesAccess: Shop2 {
    override func has(_ product: String) async -> Bool {
        // Whoever is signed in next did not buy it.
        if await super.has(product) { storage["has \(product)"] = true }
        return storage["has \(product)", default: false]
    }
}
