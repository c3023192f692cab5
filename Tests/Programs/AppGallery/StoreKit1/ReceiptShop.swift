import Foundation
import StoreCore
import StoreKit
import StoreSimulator

/// A right shop on Store Kit 1 that gives access by the receipt of whoever is signed in.
class ReceiptShop: Shop1 {
    private let signer: any ReceiptSigner

    required init(_ launch: AppLaunch) {
        signer = launch.receiptSigner
        super.init(launch)
        // Before the first purchase on a device there is no receipt.
        SKReceiptRefreshRequest().start()
    }

    /// The receipt of the user who is signed in.
    var receipt: Data? { StoreContext.current.appReceiptURL.flatMap { try? Data(contentsOf: $0) } }

    override func has(_ product: String) async -> Bool { lists(product, receipt) }

    /// Whether a receipt is genuine, and lists a product that was not refunded.
    func lists(_ product: String, _ receipt: Data?) -> Bool {
        guard let receipt, let content = try? AppReceipt(verifying: receipt, signer: signer) else { return false }
        return content.purchases.contains { $0.productIdentifier == product && $0.cancellationDate == nil }
    }
}
