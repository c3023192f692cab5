import Foundation
import StoreCore
import Testing

/// What an app hears of a product's transaction that gets into these states: a callback for each, and one for its end.
func calls(of product: String, _ states: SKPaymentTransactionState..., isFinished: Bool = true) -> [[Heard]] {
    let updates: [[Heard]] = states.map { [.updated(product, $0)] }
    return isFinished ? updates + [[.removed(product)]] : updates
}

/// What an app hears of a purchase that goes through elsewhere, or of a renewal, and of having finished it.
func delivered(_ product: String) -> [[Heard]] { calls(of: product, .purchased) }

/// The moments at which days begin in UTC.
func days(_ texts: String...) -> [Date] { texts.map { Market.date($0 + "T00:00:00Z") } }

extension Market {
    /// A market on the ledger of another one, which is gone.
    static func reopened(on day: String = "2025-01-01T00:00:00Z", after act: (Market) throws -> Void) throws -> Market {
        let ledger = MemoryLedger()
        do { try act(Market(ledger: ledger)) }
        return try Market(on: day, ledger: ledger)
    }
}

extension SandboxStore {
    /// The purchases in a device's app receipt, unless told otherwise the first one's, in the transactions' order.
    func purchases(on device: SandboxDevice? = nil) throws -> [AppReceipt.Purchase] {
        let receipt = try #require((device ?? self.device).appReceipt)
        return AppReceiptSamples.sorted(try verify(appReceipt: receipt)).purchases
    }
}
