// The code of the article "Your first purchase test", compiled and run.
import Foundation
import StoreCore
import Testing

final class Till: NSObject, SKPaymentTransactionObserver {
    var delivered: [String] = []
    var errors: [any Error] = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased, .restored:
                delivered.append(transaction.payment.productIdentifier)
                queue.finishTransaction(transaction)
            case .failed:
                if let error = transaction.error { errors.append(error) }
                queue.finishTransaction(transaction)
            case .purchasing, .deferred: break
            @unknown default: break
            }
        }
    }
}

@Test func `What is bought is delivered and finished`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)

    queue.add(SKPayment(productIdentifier: "sword"))

    #expect(till.delivered == ["sword"])
    #expect(queue.transactions.isEmpty)
}

@Test func `A user who cancels gets nothing`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], authorizer: .always(.cancel))
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)

    queue.add(SKPayment(productIdentifier: "sword"))

    #expect(till.delivered.isEmpty)
    #expect((till.errors.first as? SKError)?.code == .paymentCancelled)
}

@Test func `A refusal says why`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)

    queue.add(SKPayment(productIdentifier: "shield"))

    let error = try #require(till.errors.first as? SKError)
    #expect(error.code == .paymentInvalid)
    #expect(error.userInfo[StoreFailure.reasonKey] as? String == #"no product "shield" is registered in this store"#)
}

@Test func `A child asks, a parent answers`() throws {
    let store = try SandboxStore(
        products: [.consumable("sword", price: "0.99")],
        authorizer: .always(.askToBuy)
    )
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)

    queue.add(SKPayment(productIdentifier: "sword"))
    #expect(queue.transactions.first?.transactionState == .deferred)

    let question = try #require(store.undecidedRequests.first)
    try store.approve(question)
    #expect(till.delivered == ["sword"])
}

final class CrashesBeforeFinishing: NSObject, SKPaymentTransactionObserver {
    var states: [SKPaymentTransactionState] = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        states += transactions.map(\.transactionState)
    }
}

@Test func `What was not finished comes again at the next launch`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let first = CrashesBeforeFinishing()
    queue.add(first)
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect(first.states == [.purchasing, .purchased])

    let nextLaunch = queue.relaunch()
    let till = Till()
    nextLaunch.add(till)
    #expect(till.delivered == ["sword"])
}

@Test func `A restore brings back what lasts`() throws {
    let store = try SandboxStore(products: [
        .consumable("sword", price: "0.99"),
        .nonConsumable("castle", price: "9.99"),
    ])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "sword"))
    queue.add(SKPayment(productIdentifier: "castle"))

    queue.restoreCompletedTransactions()

    #expect(till.delivered == ["sword", "castle", "castle"])
}

final class PriceTag: NSObject, SKProductsRequestDelegate {
    var prices: [String: NSDecimalNumber] = [:]
    var unknown: [String] = []

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        for product in response.products { prices[product.productIdentifier] = product.price }
        unknown = response.invalidProductIdentifiers
    }
}

@Test func `Products have prices, unknown ones are named`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let tag = PriceTag()
    let request = SKProductsRequest(productIdentifiers: ["sword", "shield"], backend: store, delivery: .inline)
    request.delegate = tag
    request.start()
    #expect(tag.prices == ["sword": NSDecimalNumber(string: "0.99")])
    #expect(tag.unknown == ["shield"])
}

// The app's own code, which knows nothing of tests.
func buySword() {
    SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword"))
}

@Test func `The app's own code meets the test's store`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    StoreContext(backend: store, delivery: .inline).run {
        let till = Till()
        SKPaymentQueue.default().add(till)
        buySword()
        #expect(till.delivered == ["sword"])
    }
}

@Test func `Callbacks on the main queue are waited for`() async throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let queue = SKPaymentQueue(backend: store)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "sword"))
    await queue.settle()
    #expect(till.delivered == ["sword"])
}
