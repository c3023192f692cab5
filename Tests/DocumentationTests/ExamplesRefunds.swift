// The code of the article about refunds and deleted transactions, compiled and run.
import Foundation
import StoreCore
import Testing

/// Takes back what it delivered.
private final class Shelf: NSObject, SKPaymentTransactionObserver {
    private(set) var unlocked: Set<String> = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            unlocked.insert(transaction.payment.productIdentifier)
            queue.finishTransaction(transaction)
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        unlocked.subtract(productIdentifiers)
    }
}

private let products: [SandboxProduct] = [
    .nonConsumable("full.game", price: "4.99"),
    .autoRenewable("pass", price: "2.99", period: .init(1, .month), group: "passes"),
    .consumable("hints", price: "2.00"),
]

@Test func `What is paid back is revoked`() throws {
    let start = Date(timeIntervalSince1970: 1_735_689_600)
    let clock = ManualClock(startingAt: start)
    let store = try SandboxStore(products: products, clock: clock)
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let shelf = Shelf()
    queue.add(shelf)

    queue.add(SKPayment(productIdentifier: "full.game"))
    let purchase = try #require(store.account.transactions.last)
    try store.refund(purchase.id)
    #expect(shelf.unlocked.isEmpty)
    #expect(store.account.entitlements.isEmpty)
    #expect(try store.account.totalRefunded == Decimal(string: "4.99"))

    let receipt = try store.verify(appReceipt: try #require(store.appReceipt))
    #expect(receipt.purchases.map(\.cancellationDate) == [clock.now])

    queue.add(SKPayment(productIdentifier: "pass"))
    clock.advance(to: start + 45 * 86_400)
    let periods = try store.account.transactions.filter { $0.productIdentifier == "pass" }
    try store.refund(periods[0].id)
    #expect(shelf.unlocked == ["pass"])
    try store.refund(periods[1].id)
    #expect(shelf.unlocked.isEmpty)
    #expect(store.account.subscription(inGroup: "passes")?.endReason == .revoked)
}

@Test func `A part of the price is refunded`() throws {
    let store = try SandboxStore(products: products)
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let shelf = Shelf()
    queue.add(shelf)

    queue.add(SKPayment(productIdentifier: "hints"))
    let hints = try #require(store.account.transactions.last)
    try store.refund(hints.id, percentage: 25, reason: .developerIssue)
    #expect(try store.account.totalRefunded == Decimal(string: "0.5"))
}

@Test func `A request waits for the server's report`() throws {
    let store = try SandboxStore(products: products)
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let shelf = Shelf()
    queue.add(shelf)

    queue.add(SKPayment(productIdentifier: "hints"))
    store.refundDecision = .followServer
    try store.requestRefund(of: "1")
    #expect(store.refundRequests == ["1"])
}

@Test func `Transactions are deleted`() throws {
    let store = try SandboxStore(products: products)
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let shelf = Shelf()
    queue.add(shelf)

    queue.add(SKPayment(productIdentifier: "full.game"))
    let purchase = try #require(store.account.transactions.last)
    try store.deleteTransaction(purchase.id)
    #expect(try store.transactions.isEmpty)
    #expect(try store.account.totalCharged == 0)

    queue.add(SKPayment(productIdentifier: "full.game"))
    try store.clearTransactions()
    #expect(try store.transactions.isEmpty)
    #expect(store.account.entitlements.isEmpty)
}

@Test func `A receipt is refreshed as a special one`() throws {
    let store = try SandboxStore(products: products)
    let wishes: [String: Any] = [SKReceiptPropertyIsRevoked: true, SKReceiptPropertyIsVolumePurchase: true]
    let request = SKReceiptRefreshRequest(receiptProperties: wishes, backend: store, delivery: .inline)
    request.start()
    let receipt = try store.verify(appReceipt: try #require(store.appReceipt))
    #expect(receipt.revocationDate != nil)
    #expect(receipt.isVolumePurchase)
}
