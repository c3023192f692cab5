// The code of the article "Threads and order", compiled and run.
import Dispatch
import Foundation
import StoreCore
import Testing

@Test func `Inline callbacks come before the call returns, in order`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let greedy = BuysOneMore()
    queue.add(greedy)

    queue.add(SKPayment(productIdentifier: "sword"))

    #expect(greedy.story == ["purchasing", "purchased", "bought one more", "purchasing", "purchased"])
}

final class BuysOneMore: NSObject, SKPaymentTransactionObserver {
    var story: [String] = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            story.append(transaction.transactionState == .purchased ? "purchased" : "purchasing")
            guard transaction.transactionState == .purchased else { continue }
            queue.finishTransaction(transaction)
            guard !story.contains("bought one more") else { continue }
            queue.add(SKPayment(productIdentifier: "sword"))
            story.append("bought one more")
        }
    }
}

@Test func `A serial queue of one's own`() async throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let shopkeeper = DispatchQueue(label: "shopkeeper")
    let queue = SKPaymentQueue(backend: store, delivery: .queue(shopkeeper))
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "sword"))
    let waiting = await queue.settle()
    #expect(till.delivered == ["sword"])
    #expect(waiting.isEmpty)
}

@Test func `Settling says what waits for somebody`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], authorizer: .always(.later))
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect(queue.settle().count == 1)
    #expect(till.delivered.isEmpty)
}

@Test func `Two contexts do not see each other`() async throws {
    async let first = sell("sword")
    async let second = sell("shield")
    #expect(try await [first, second] == [["sword"], ["shield"]])
}

func sell(_ product: String) async throws -> [String] {
    let store = try SandboxStore(products: [.consumable(product, price: "0.99")])
    return await StoreContext(backend: store).run {
        let till = Till()
        SKPaymentQueue.default().add(till)
        SKPaymentQueue.default().add(SKPayment(productIdentifier: product))
        await StoreContext.current.settle()
        return till.delivered
    }
}

@Test func `A thread of one's own takes its context along`() async throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let context = StoreContext(backend: store)
    let isThere = await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            // Here the current context is the process's again, unless it is bound anew.
            let mayPay = context.run { SKPaymentQueue.canMakePayments() }
            continuation.resume(returning: mayPay)
        }
    }
    #expect(isThere)
}
