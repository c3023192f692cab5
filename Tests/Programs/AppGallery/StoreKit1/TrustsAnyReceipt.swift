import Foundation
import StoreCore
import StoreKit
import StoreSimulator

extension Exhibit {
    static let trustsAnyReceipt = Exhibit(
        "The receipt of another user is trusted",
        complaint: "My brother signed out of my tablet years ago, and his game still opens on it.",
        faulty: TrustsAnyReceipt.self,
        mended: ReceiptShop.self,
        rules: GalleryRules(sells: ["game"], without: [.family])
    )
}

private final class TrustsAnyReceipt: ReceiptShop {
    override func deliver(_ transaction: SKPaymentTransaction) {
        storage["receipt"] = receipt
        super.deliver(transaction)
    }

    override func has(_ product: String) async -> Bool {
        // The copy is genuine. But whoever is signed in next did not buy what is in it.
        if await super.has(product) { return true }
        return lists(product, storage["receipt"])
    }
}
