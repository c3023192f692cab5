import Dispatch
import StoreCore
import StoreKit
import StoreSimulator
import Testing

/// An app that delivers in a block of the main queue, as apps of callbacks do.
private final class MainQueueShop: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: used on the main queue, and on the thread of a simulated life
    private let storage: AppStorage

    init(storage: AppStorage) {
        self.storage = storage
        super.init()
        SKPaymentQueue.default().add(self)
    }

    var delivered: Int { storage["swords", default: Set<String>()].count }

    func buy() { SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword")) }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .failed {
            queue.finishTransaction(transaction)
        }
        for transaction in transactions where transaction.transactionState == .purchased {
            let identifier = transaction.transactionIdentifier ?? ""
            DispatchQueue.main.async { [self] in
                storage["swords"] = storage["swords", default: Set<String>()].union([identifier])
                queue.finishTransaction(transaction)
            }
        }
    }
}

/// Without the functions that come with the product, the block would write outside the life, which is a violation.
@Test func `A simulated app's main queue is the simulation's`() async throws {
    let simulation = AppSimulation(products: [.consumable("sword", price: "0.99")]) {
        MainQueueShop(storage: $0.storage)
    }
    .action("buy") { $0.buy() }
    .holds("sword") { $0.delivered }
    .without(.storefront)
    #if os(Linux)
        let report = try await simulation.run(runs: 30)
        #expect(report.count(of: .action) > 0)
    #endif
}
