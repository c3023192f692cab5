// The code of the article "The sandbox store", compiled and run.
import Foundation
import StoreCore
import Testing

private let url = Document.root.appendingPathComponent(
    "Sources/sandbox-store/Resources/flutter__packages__Configuration_2.storekit"
)

@Test func `Products are written in code`() throws {
    let store = try SandboxStore(
        products: [
            .consumable("coins.100", price: "0.99", title: "100 coins"),
            .nonConsumable("full.game", price: "4.99", title: "Full game", description: "Every level, for good.")
                .localized("de_DE", title: "Ganzes Spiel"),
            .nonRenewing("season.1", price: "9.99", title: "Season 1"),
            .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro", title: "Pro"),
        ],
        storefront: "DEU",
        locale: "de_DE"
    )
    #expect(store.reasonForInvalidity(of: "coins.100") == nil)
    #expect(store.storefront?.countryCode == "DEU")
}

@Test func `Products come from Xcode's file`() throws {
    let configuration = try StoreConfiguration(contentsOf: url)
    let store = try SandboxStore(configuration)
    #expect(try SandboxStore(contentsOf: url).storefront == store.storefront)
    #expect(configuration.products.allSatisfy { store.reasonForInvalidity(of: $0.identifier) == nil })
}

@Test func `The store's clock is moved by the store`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let beginning = store.clock.now
    store.advance(by: 24 * 60 * 60)
    #expect(store.clock.now == beginning + 24 * 60 * 60)
}

@Test func `A clock made first belongs to several stores`() throws {
    let clock = ManualClock(startingAt: Date(timeIntervalSince1970: 1_782_864_000))
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: clock)
    #expect(store.clock.now == clock.now)
}

@Test func `The authorizer decides by what is asked`() throws {
    let store = try SandboxStore(
        products: [.consumable("sword", price: "0.99"), .consumable("dragon", price: "99.99")],
        authorizer: Authorizer { request in
            request.total > 10 ? .decline(.storeKit(.paymentNotAllowed, "more than 10 a day is not allowed")) : .approve
        }
    )
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "sword"))
    queue.add(SKPayment(productIdentifier: "dragon"))
    #expect(till.delivered == ["sword"])
    #expect((till.errors.first as? SKError)?.code == .paymentNotAllowed)
}

@Test func `Products leave the market and are new on it`() throws {
    let clock = ManualClock()
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: clock)
    try store.setAvailability(.withdrawn, of: "sword")
    try store.register(.consumable("shield", price: "1.99"))
    try store.setAvailability(.notYetPropagated(until: clock.now + 3600), of: "shield")
    #expect(store.sells("sword") == false)
    #expect(store.sells("shield") == false)
    clock.advance(by: 3600)
    #expect(store.sells("shield") == true)
}

@Test func `Without a connection a purchase waits`() throws {
    let clock = ManualClock()
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: clock)
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)

    store.isReachable = false
    queue.add(SKPayment(productIdentifier: "sword"))
    #expect(queue.transactions.first?.transactionState == .purchasing)

    store.isReachable = true
    clock.advance(by: 60)  // the queue tries again after a pause
    #expect(till.delivered == ["sword"])
}

@Test func `Who may not pay is refused`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    try store.setPaymentsAllowed(false)
    StoreContext(backend: store, delivery: .inline).run {
        let till = Till()
        SKPaymentQueue.default().add(till)
        SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword"))
        #expect(!SKPaymentQueue.canMakePayments())
        #expect((till.errors.first as? SKError)?.code == .paymentNotAllowed)
    }
}

@Test func `A ledger is continued by another store`() throws {
    let products: [SandboxProduct] = [.nonConsumable("castle", price: "9.99")]
    let ledger = MemoryLedger()
    let queue = SKPaymentQueue(backend: try SandboxStore(products: products, ledger: ledger), delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "castle"))

    let later = SKPaymentQueue(backend: try SandboxStore(products: products, ledger: ledger), delivery: .inline)
    let newTill = Till()
    later.add(newTill)
    later.restoreCompletedTransactions()
    #expect(newTill.delivered == ["castle"])
}

final class ReadsReceipts: NSObject, SKPaymentTransactionObserver {
    var receipts: [Data] = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            if let receipt = transaction.transactionReceipt { receipts.append(receipt) }
            queue.finishTransaction(transaction)
        }
    }
}

@Test func `A purchase comes with a receipt that the store verifies`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], bundleIdentifier: "com.example.game")
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let reader = ReadsReceipts()
    queue.add(reader)
    queue.add(SKPayment(productIdentifier: "sword"))

    let verification = store.verify(receipt: try #require(reader.receipts.first))
    #expect(verification.status == .valid)
    #expect(verification.fields["product_id"] == "sword")
    #expect(verification.fields["bid"] == "com.example.game")
}

@Test func `A price belongs to the storefront`() throws {
    let store = try SandboxStore(
        products: [.consumable("sword", price: "0.99", title: "Sword").localized("de", title: "Schwert")],
        storefront: "DEU",
        locale: "de_AT"
    )
    let shelf = Shelf()
    let request = SKProductsRequest(productIdentifiers: ["sword"], backend: store, delivery: .inline)
    request.delegate = shelf
    request.start()
    #expect(shelf.product?.localizedTitle == "Schwert")
    #expect(shelf.product?.priceLocale.currency?.identifier == "EUR")
}

private final class Shelf: NSObject, SKProductsRequestDelegate {
    var product: SKProduct?
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        product = response.products.first
    }
}
