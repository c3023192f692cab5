// The code of the article "Receipts", compiled and run.
import Foundation
import StoreCore
import Testing

final class SendsReceipts: NSObject, SKPaymentTransactionObserver {
    private let deliver: (Data) -> Void

    init(_ deliver: @escaping (Data) -> Void) { self.deliver = deliver }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            if let receipt = transaction.transactionReceipt { deliver(receipt) }
            queue.finishTransaction(transaction)
        }
    }
}

@Test func `A subscription's receipt tells how it went on`() throws {
    let start = Date(timeIntervalSince1970: 1_735_689_600)
    let clock = ManualClock(startingAt: start)
    let pass = SandboxProduct.autoRenewable("pass", price: "4.99", period: .init(1, .month), group: "passes")
    let store = try SandboxStore(products: [pass], clock: clock)
    var receipts: [Data] = []
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let sender = SendsReceipts { receipts.append($0) }
    queue.add(sender)
    queue.add(SKPayment(productIdentifier: "pass"))
    let receipt = try #require(receipts.first)

    let verification = store.verify(receipt: receipt)
    #expect(verification.status == .valid)
    #expect(verification.fields["product_id"] == "pass")
    #expect(verification.fields["original_transaction_id"] == verification.fields["transaction_id"])

    clock.advance(to: start + 45 * 86_400)
    let later = store.verify(receipt: receipt)
    #expect(later.status == .valid)
    #expect(later.latestReceipt != nil)
    #expect(later.latestFields["transaction_id"] == "2")

    try store.account.setAutoRenew(false, inGroup: "passes")
    clock.advance(to: start + 90 * 86_400)
    let over = store.verify(receipt: receipt)
    #expect(over.status == .subscriptionExpired)
    #expect(over.isExpired)
    #expect(over.latestFields["transaction_id"] == "2")

    let answer = String(decoding: later.json, as: UTF8.self)
    #expect(answer.contains(#""latest_receipt_info":{"#))
    #expect(answer.hasSuffix(#""status":0}"#))
    withExtendedLifetime(sender) {}
}

@Test func `A store signs its transactions as JWS`() throws {
    let start = Date(timeIntervalSince1970: 1_735_689_600)
    let clock = ManualClock(startingAt: start)
    let pass = SandboxProduct.autoRenewable("pass", price: "4.99", period: .init(1, .month), group: "passes")
    let store = try SandboxStore(products: [pass], clock: clock)
    try store.account.buy("pass")
    clock.advance(to: start + 45 * 86_400)

    let transaction = try store.signedTransaction("2")
    #expect(transaction.payload.productId == "pass")
    #expect(transaction.payload.originalTransactionId == "1")
    #expect(transaction.payload.transactionReason == .renewal)
    #expect(transaction.payload.price == 4990)

    let jws = try transaction.jws
    let payload = try TransactionPayload(verifying: jws, signer: store.payloadSigner)
    #expect(payload == transaction.payload)

    #expect(try store.account.signedTransactions.map(\.payload.transactionId) == ["1", "2"])
    let passes = try store.account.signedSubscriptions(inGroup: "passes")
    #expect(passes.first?.renewal.payload.autoRenewStatus == .on)
    #expect(passes.first?.renewal.payload.renewalPrice == 4990)
}

@Test func `A device gets its app receipt`() throws {
    let store = try SandboxStore(products: [.nonConsumable("castle", price: "9.99")])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "castle"))

    let tablet = try store.addDevice("tablet", signedInTo: store.account)
    #expect(tablet.appReceipt == nil)
    let request = SKReceiptRefreshRequest(receiptProperties: nil, backend: tablet, delivery: .inline)
    request.start()
    let receipt = try AppReceipt(verifying: try #require(tablet.appReceipt), signer: store.signer)
    #expect(receipt.purchases.map(\.productIdentifier) == ["castle"])

    let identifier = withUnsafeBytes(of: tablet.identifierForVendor.uuid) { Data($0) }
    #expect(receipt.hash(forDevice: identifier, signer: store.signer) == receipt.deviceHash)
}

@Test func `Stores with the same key verify each other's receipts`() throws {
    let signer = HMACReceiptSigner(key: Data("for tests only".utf8))
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], signer: signer)
    var receipts: [Data] = []
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let sender = SendsReceipts { receipts.append($0) }
    queue.add(sender)
    queue.add(SKPayment(productIdentifier: "sword"))
    let other = try SandboxStore(signer: signer)
    #expect(other.verify(receipt: try #require(receipts.first)).status == .valid)
    withExtendedLifetime(sender) {}
}

#if !canImport(Darwin)
    extension Bundle { var appStoreReceiptURL: URL? { StoreContext.current.appReceiptURL } }
#endif

@Test func `B184: With one line in its target an app finds its receipt where Apple's Store Kit has it`() throws {
    let store = try SandboxStore(products: [.nonConsumable("castle", price: "9.99")])
    try StoreContext(backend: store, delivery: .inline, log: .silent).run {
        #expect(Bundle.main.appStoreReceiptURL == nil)
        let till = Till()
        SKPaymentQueue.default().add(till)
        SKPaymentQueue.default().add(SKPayment(productIdentifier: "castle"))
        let url = try #require(Bundle.main.appStoreReceiptURL)
        let receipt = try store.verify(appReceipt: Data(contentsOf: url))
        #expect(receipt.purchases.map(\.productIdentifier) == ["castle"])
    }
}
