import StoreCore
import StoreKitTest
import Testing

@Suite struct TransactionTests {
    private let app: TestApp

    init() throws { app = try TestApp() }

    @Test func `B208: What waits for approval is purchased once it is approved`() throws {
        app.session.askToBuyEnabled = true
        app.buy("castle")
        #expect(app.heard == ["castle purchasing", "castle deferred"])
        let transaction = try #require(app.session.allTransactions().first)
        #expect(transaction.pendingAskToBuyConfirmation && transaction.state == .deferred)
        try app.session.approveAskToBuyTransaction(identifier: transaction.identifier)
        #expect(app.heard == ["castle purchased"])
        let approved = try #require(app.session.allTransactions().first)
        #expect(!approved.pendingAskToBuyConfirmation && approved.state == .purchased)
    }

    @Test func `B208: What waits for approval fails once it is declined, and cannot be decided about again`() throws {
        app.session.askToBuyEnabled = true
        app.buy("castle")
        try app.session.declineAskToBuyTransaction(identifier: 0)
        #expect(app.heard == ["castle purchasing", "castle deferred", "castle failed (unknown)"])
        expectRefusal(.invalidAction) { try app.session.approveAskToBuyTransaction(identifier: 0) }
        expectRefusal(.noTransactionFound) { try app.session.declineAskToBuyTransaction(identifier: 1) }
    }

    @Test func `B209: An interrupted purchase fails, and is a new transaction once its issue is resolved`() throws {
        app.session.interruptedPurchasesEnabled = true
        app.buy("sword", quantity: 3)
        #expect(app.heard == ["sword purchasing", "sword failed (unknown)"])
        let transaction = try #require(app.session.allTransactions().first)
        #expect(transaction.hasPurchaseIssue && transaction.state == .failed)
        try app.session.resolveIssueForTransaction(identifier: transaction.identifier)
        #expect(app.heard == ["sword purchased"] && app.list == ["0 sword failed", "1 sword purchased"])
        #expect(app.session.allTransactions().allSatisfy { !$0.hasPurchaseIssue })
        #expect(try app.session.store.transactions.last?.quantity == 3)
        expectRefusal(.invalidAction) { try app.session.resolveIssueForTransaction(identifier: 1) }
    }

    @Test func `B211: What is bought outside the app shows up in its queue`() throws {
        try app.session.buyProduct(productIdentifier: "castle")
        #expect(app.heard == ["castle purchased"] && app.shop.identifiers == ["0"])
    }

    @Test func `B211, B221: What the configuration does not have cannot be bought outside the app`() throws {
        expectRefusal(.invalidProductIdentifier) { try app.session.buyProduct(productIdentifier: "unicorn") }
        #expect(app.heard.isEmpty && app.list.isEmpty)
    }

    @Test func `B212: A refund is granted at once, sets the cancel date and tells the app`() throws {
        app.buy("castle")
        app.clock.advance(by: 60)
        try app.session.refundTransaction(identifier: 0)
        #expect(app.heard == ["castle purchasing", "castle purchased", "revoked castle"])
        #expect(app.session.allTransactions().first?.cancelDate == app.clock.now)
        expectRefusal(.invalidAction) { try app.session.refundTransaction(identifier: 0) }
        expectRefusal(.noTransactionFound) { try app.session.refundTransaction(identifier: 7) }
    }

    @Test func `B217: All transactions are listed, those that failed, wait or were used up too`() throws {
        #expect(app.list.isEmpty)
        app.buy("sword")
        app.session.askToBuyEnabled = true
        app.buy("sword")
        app.session.askToBuyEnabled = false
        app.session.failTransactionsEnabled = true
        app.buy("castle")
        #expect(app.list == ["0 sword purchased", "1 sword deferred", "2 castle failed"])
        #expect(app.shop.identifiers.first == "0")
    }

    @Test func `B218, B220: A deleted transaction leaves with what restored it, and can be made afresh`() throws {
        app.buy("castle")
        app.queue.restoreCompletedTransactions()
        #expect(app.list == ["0 castle purchased", "1 castle restored"])
        #expect(app.session.allTransactions().map(\.originalTransactionIdentifier) == [0, 0])
        try app.session.deleteTransaction(identifier: 0)
        #expect(app.list.isEmpty)
        _ = app.heard
        app.queue.restoreCompletedTransactions()
        #expect(app.heard == ["restored all"])
        app.buy("castle")
        #expect(try app.session.store.account.totalCharged == Decimal(string: "4.99"))
        expectRefusal(.noTransactionFound) { try app.session.deleteTransaction(identifier: 0) }
    }

    @Test func `B203: Cleared, nothing was ever bought: numbers begin at 0, and the settings stay`() throws {
        app.session.storefront = "DEU"
        app.buy("castle")
        app.shop.finishes = false
        app.buy("sword")
        app.session.clearTransactions()
        #expect(app.list.isEmpty && app.queue.transactions.isEmpty && app.session.store.appReceipt == nil)
        #expect(app.session.storefront == "DEU" && app.queue.storefront?.countryCode == "DEU")
        app.buy("castle")
        #expect(app.list == ["0 castle purchased"])
        #expect(try app.session.store.account.totalCharged == Decimal(string: "4.99"))
    }

    @Test func `B219: Where nothing was bought, a restore says that it is finished and nothing else`() throws {
        app.queue.restoreCompletedTransactions()
        #expect(app.heard == ["restored all"])
    }

    @Test func `A session may be used from inside a callback, and what comes of it comes afterwards`() throws {
        let buyer = Buyer(app.session)
        app.queue.add(buyer)
        app.buy("sword")
        #expect(app.heard == ["sword purchasing", "sword purchased", "castle purchased"])
        #expect(buyer.error == nil)
    }
}

/// Buys a castle outside the app as soon as a sword is bought.
private final class Buyer: NSObject, SKPaymentTransactionObserver {
    private let session: SKTestSession
    private(set) var error: (any Error)?

    init(_ session: SKTestSession) { self.session = session }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions
        where transaction.payment.productIdentifier == "sword" && transaction.transactionState == .purchased {
            do { try session.buyProduct(productIdentifier: "castle") } catch { self.error = error }
        }
    }
}
