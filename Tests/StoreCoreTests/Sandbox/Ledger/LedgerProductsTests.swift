import Foundation
import StoreCore
import Testing

struct LedgerProductsTests {
    private let castle = SandboxProduct.nonConsumable("castle", price: "9.99")
    private let sword = SandboxProduct.consumable("sword", price: "0.99")

    @Test func `A ledger opened with its products in another order still knows who owns what`() throws {
        let ledger = MemoryLedger()
        _ = history(of: try SandboxStore(products: [castle, sword], ledger: ledger)) {
            $0.add(SKPayment(productIdentifier: "castle"))
        }
        let reopened = try SandboxStore(products: [sword, castle], ledger: ledger)
        #expect(history(of: reopened) { $0.restoreCompletedTransactions() } == ["restored castle"])
    }

    @Test func `A ledger opened without products sells those that it holds`() throws {
        let ledger = MemoryLedger()
        _ = try SandboxStore(products: [castle], ledger: ledger)
        let reopened = try SandboxStore(ledger: ledger)
        let events = history(of: reopened) { $0.add(SKPayment(productIdentifier: "castle")) }
        #expect(events == ["purchasing castle", "purchased castle"])
    }

    @Test func `Opening a ledger again with the same products adds nothing to it`() throws {
        let ledger = MemoryLedger()
        _ = try SandboxStore(products: [castle, sword], ledger: ledger)
        let head = ledger.head
        _ = try SandboxStore(products: [sword, castle], ledger: ledger)
        #expect(ledger.head == head)
    }

    private func history(of store: SandboxStore, _ act: (SKPaymentQueue) -> Void) -> [String] {
        let queue = SKPaymentQueue(backend: store, delivery: .inline)
        let observer = Finisher()
        queue.add(observer)
        act(queue)
        return observer.heard
    }

    private final class Finisher: NSObject, SKPaymentTransactionObserver {
        var heard: [String] = []

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions {
                heard.append("\(transaction.transactionState) \(transaction.payment.productIdentifier)")
                if transaction.transactionState != .purchasing { queue.finishTransaction(transaction) }
            }
        }
    }
}
