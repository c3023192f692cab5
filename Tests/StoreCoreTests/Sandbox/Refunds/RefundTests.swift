import Foundation
import StoreCore
import Testing

/// Purchases that are paid back, but for subscriptions.
@Suite struct RefundTests {
    private let market: Market
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.store.account }

    init() throws { market = try Market() }

    // MARK: Who hears of it

    @Test func `B176, B177, B212: What was owned for good is lost at once, and running apps hear it`() throws {
        let apps = [App(on: store), App(on: try store.addDevice("tablet", signedInTo: account))]
        let stranger = App(on: try store.addDevice("other", signedInTo: try store.addAccount("bob")))
        apps[0].buy("full.game")
        apps[0].recorder.clear()
        try market.after(60).store.refund("1")
        for app in apps { #expect(app.recorder.callbacks == [[.revoked(["full.game"])]]) }
        #expect(stranger.recorder.callbacks == [] && account.entitlements == [])
        let transaction = try #require(try store.transactions.first)
        #expect(
            transaction.cancellationDate == market.clock.now && transaction.refundedAmount == Decimal(string: "4.99")
        )
        #expect(transaction.description == "#1 full.game: purchased, cancelled, finished")
    }

    @Test func `B176: A part of the price ends access as the whole price does, also in another process`() throws {
        let app = App(on: store, buying: "full.game")
        app.recorder.clear()
        try store.refund("1", percentage: 50)
        #expect(app.recorder.callbacks == [[.revoked(["full.game"])]] && account.entitlements == [])
        for store in [store, try Market(ledger: market.ledger).store] {
            #expect(try store.account.totalRefunded == Decimal(string: "2.495"))
            #expect(try store.account.totalCharged == Decimal(string: "4.99"))
            #expect(try store.timeline.entries.contains { $0.what.contains("2.495 paid back, 50% of the price") })
        }
        #expect(throws: SandboxError(.alreadyRefunded("1"))) { try store.refund("1", percentage: 50) }
    }

    @Test(arguments: ["0", "-1", "100.001", "0.0001"])
    func `A percentage that is none is refused, and nothing is refunded`(percentage: String) throws {
        App(on: store).buy("full.game")
        let percentage = try #require(Decimal(string: percentage))
        #expect(throws: SandboxError(.invalidPercentage(percentage))) { try store.refund("1", percentage: percentage) }
        #expect(try account.totalRefunded == 0 && account.entitlements.count == 1)
    }

    @Test(arguments: [("0.001", "0"), ("0.02", "0.001"), ("99.999", "4.99"), ("100", "4.99")])
    func `A part is rounded to thousandths of the currency's unit`(percentage: String, amount: String) throws {
        App(on: store).buy("full.game")
        try store.refund("1", percentage: #require(Decimal(string: percentage)))
        #expect(try account.totalRefunded == Decimal(string: amount))
    }

    @Test func `B176: An app that was not running hears it at its next launch, once`() throws {
        App(on: store).buy("full.game")
        try store.refund("1")
        #expect(App(on: store).recorder.callbacks == [[.revoked(["full.game"])]])
        #expect(App(on: store).recorder.callbacks == [])
    }

    @Test func `B176: What was heard by one device is still news to another, also in another process`() throws {
        let tablet = try store.addDevice("tablet", signedInTo: account)
        let app = App(on: store, buying: "full.game")
        try store.refund("1")
        #expect(app.recorder.callbacks.last == [.revoked(["full.game"])])
        let next = try Market(ledger: market.ledger).store
        #expect(App(on: next).recorder.callbacks == [])
        let device = try #require(next.devices.first { $0.name == tablet.name })
        #expect(App(on: device).recorder.callbacks == [[.revoked(["full.game"])]])
        #expect(App(on: device).recorder.callbacks == [])
        #expect(next.account.entitlements == [])
    }

    @Test func `B176: A device hears it when the account signs in there again, not before`() throws {
        let app = App(on: store, buying: "full.game")
        app.recorder.clear()
        try store.device.signIn(to: try store.addAccount("bob"))
        try store.refund("1")
        #expect(app.recorder.callbacks == [])
        try store.device.signIn(to: account)
        #expect(app.recorder.callbacks == [[.revoked(["full.game"])]])
        try store.device.signIn(to: try store.addAccount("carol"))
        try store.device.signIn(to: account)
        #expect(app.recorder.callbacks.count == 1)
    }

    @Test func `B176: A device that cannot reach the store hears it when it can`() throws {
        let app = App(on: store, buying: "full.game")
        app.recorder.clear()
        store.device.isReachable = false
        try store.refund("1")
        #expect(app.recorder.callbacks == [])
        store.device.isReachable = true
        market.clock.advance(by: 600)
        #expect(app.recorder.callbacks == [[.revoked(["full.game"])]])
    }

    /// Looks at the receipt while it hears that something was revoked.
    private final class ReceiptReader: NSObject, SKPaymentTransactionObserver {
        let store: SandboxStore
        private(set) var cancellations: [Date?] = []

        init(_ store: SandboxStore) { self.store = store }

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

        func paymentQueue(_ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers identifiers: [String]) {
            let receipt = store.appReceipt.flatMap { try? store.verify(appReceipt: $0) }
            cancellations += receipt?.purchases.map(\.cancellationDate) ?? []
        }
    }

    @Test func `B176: The receipt has the cancellation date before anybody hears`() throws {
        let app = App(on: store, buying: "full.game")
        let reader = ReceiptReader(store)
        app.queue.add(reader)
        try store.refund("1")
        #expect(reader.cancellations == [market.clock.now])
    }

    // MARK: What becomes of it

    @Test func `B176, B212: A consumable never finished is paid back without a word, and stays unfinished`() throws {
        let app = App(on: store, finishes: false, buying: "sword")
        try store.refund("1")
        #expect(app.recorder.callbacks == calls(of: "sword", .purchasing, .purchased, isFinished: false))
        #expect(try store.purchases().map(\.cancellationDate) == [market.clock.now])
        #expect(try account.totalRefunded == Decimal(string: "0.99"))

        #expect(App(on: store).recorder.callbacks == delivered("sword"))
        #expect(try store.purchases() == [])
    }

    @Test func `B212: A consumable long finished is paid back, and so is what does not renew`() throws {
        let app = App(on: store)
        app.buy("sword", quantity: 3)
        app.buy("lessons")
        let heard = app.recorder.callbacks
        try store.refund("1")
        try store.refund("2")
        #expect(app.recorder.callbacks == heard)
        #expect(try account.refunds.map(\.id) == ["1", "2"] && account.totalRefunded == Decimal(string: "22.96"))
        #expect(try account.totalCharged == Decimal(string: "22.96"))
        let cancelled = try store.purchases()
        #expect(cancelled.map(\.productIdentifier) == ["lessons"])
        #expect(cancelled.map(\.cancellationDate) == [market.clock.now])
    }

    @Test func `B176: A purchase not finished yet is revoked, and its receipt says since when`() throws {
        let app = App(on: store, finishes: false, buying: "full.game")
        #expect(try app.told { try store.refund("1") } == [[.revoked(["full.game"])]])
        let next = App(on: store, finishes: false)
        #expect(next.recorder.callbacks == [[.updated("full.game", .purchased)]])
        let answer = store.verify(receipt: try #require(next.recorder.transactions.first?.transactionReceipt))
        #expect(answer.status == .valid && answer.fields["cancellation_date"] == "2025-01-01 00:00:00 Etc/GMT")
        #expect(answer.fields["cancellation_date_ms"] == "1735689600000")
        #expect(answer.fields["cancellation_date_pst"] == "2024-12-31 16:00:00 America/Los_Angeles")
    }

    @Test func `B105, B212: A restore does not bring it back, and bought again it costs again and counts`() throws {
        let app = App(on: store, buying: "full.game")
        try store.refund("1")
        #expect(app.told { app.restore() } == [[.restoreFinished]])
        app.buy("full.game")
        #expect(try account.totalCharged == Decimal(string: "9.98"))
        #expect(account.entitlements.map(\.transaction) == ["2"])
        #expect(try store.purchases().map { $0.cancellationDate == nil } == [false, true])
    }

    @Test func `B106, B212: What repeated a purchase for nothing goes with it, whichever is named`() throws {
        for named in ["1", "2"] {
            let (market, app) = try Market.withApp()
            app.buy("full.game", "full.game")
            #expect(try app.told { try market.store.refund(named) } == [[.revoked(["full.game"])]])
            #expect(try market.store.transactions.map(\.refundedAmount) == [Decimal(string: "4.99"), 0])
            #expect(try market.store.account.refunds.map(\.id) == ["1"] && market.store.account.entitlements == [])
            app.restore()
            #expect(app.recorder.callbacks.last == [.restoreFinished])
        }
    }

    @Test func `B176: A restored transaction of something that is paid back says so in its receipt`() throws {
        App(on: store).buy("full.game")
        let app = App(on: store, finishes: false)
        app.restore()
        let receipt = try #require(app.recorder.transactions.first?.transactionReceipt)
        #expect(store.verify(receipt: receipt).fields["cancellation_date_ms"] == nil)
        try store.refund("1")
        let later = App(on: store, finishes: false)
        let cancelled = try #require(later.recorder.transactions.first?.transactionReceipt)
        #expect(store.verify(receipt: cancelled).fields["cancellation_date_ms"] == "1735689600000")
    }

    // MARK: Products of another kind by now

    @Test func `What was bought for good is lost alone if the product is a subscription by now`() throws {
        try account.buy("full.game")
        try store.register(.autoRenewable("full.game", price: "4.99", period: .init(1, .month), group: "games"))
        try account.buy("full.game")
        #expect(account.entitlements.count == 2)
        try store.refund("1")
        #expect(account.subscription(inGroup: "games")?.isRunning == true)
        #expect(account.entitlements.map { $0.expirationDate != nil } == [true])
        #expect(try account.refunds.map(\.id) == ["1"])
        try store.reverseRefund(of: "1")
        #expect(account.entitlements.count == 2)
    }

    @Test func `What was used up is paid back alone if the product is bought for good by now`() throws {
        try account.buy("sword")
        try store.register(.nonConsumable("sword", price: "0.99"))
        try account.buy("sword")
        try store.refund("1")
        #expect(account.entitlements.map(\.transaction) == ["2"])
        try store.refund("2")
        #expect(account.entitlements == [])
        try store.reverseRefund(of: "1")
        #expect(account.entitlements == [])
    }

    // MARK: What is not paid back

    @Test func `What nobody paid for is not paid back`() throws {
        let app = App(on: store, finishes: false)
        app.buy("dragon")
        for name in ["1", "2", "", "001", "x"] {
            let head = try market.ledger.head
            #expect(throws: SandboxError(.notSold(name))) { try market.store.refund(name) }
            #expect(try market.ledger.head == head)
        }
        let other = App(on: try store.addDevice("tablet", signedInTo: account), buying: "full.game")
        other.restore()
        #expect(throws: SandboxError(.notSold("3"))) { try market.store.refund("3") }
        #expect(account.entitlements.map(\.productIdentifier) == ["full.game"])
    }

    @Test func `B212: Nothing is paid back twice`() throws {
        let app = App(on: store, buying: "full.game", "sword")
        for number in ["1", "2"] {
            try store.refund(number)
            #expect(throws: SandboxError(.alreadyRefunded(number))) { try store.refund(number) }
        }
        #expect(app.recorder.history.filter { $0 == .revoked(["full.game"]) }.count == 1)
        #expect(try account.totalRefunded == Decimal(string: "5.98"))
    }

    @Test func `A ledger that fails refuses a refund, and nobody hears of any`() throws {
        let ledger = FailingLedger()
        let market = try Market(ledger: ledger)
        let app = App(on: market.store, buying: "full.game")
        app.recorder.clear()
        ledger.failing = .append
        #expect(throws: StoreFailure.self) { try market.store.refund("1") }
        #expect(app.recorder.callbacks == [])
        ledger.repair()
        #expect(market.store.account.entitlements.map(\.productIdentifier) == ["full.game"])
        try market.store.refund("1")
        #expect(app.recorder.callbacks == [[.revoked(["full.game"])]])
    }

    @Test func `A refund is a line that says what was paid back and what was lost`() throws {
        let app = App(on: store)
        app.buy("full.game", "sword")
        try store.refund("1")
        try store.refund("2")
        let lines = try store.timeline.entries.suffix(3).map(\.what)
        #expect(lines[0] == "refunded #1, 4.99 paid back; access to full.game ended")
        #expect(lines.dropFirst() == ["the app has heard the news", "refunded #2, 0.99 paid back"])
        #expect(try store.timeline.entries(about: "1").last?.account == "account")
    }
}
