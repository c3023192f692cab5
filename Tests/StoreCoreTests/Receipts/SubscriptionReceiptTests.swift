import Foundation
import StoreCore
import Testing

/// What a store says of the receipts of auto-renewable subscriptions.
@Suite struct SubscriptionReceiptTests {
    private let market: Market
    private let app: App
    /// The receipts of January, February and March, the last of which runs.
    private let receipts: [Data]

    init() throws {
        market = try Market()
        app = App(on: market.store, finishes: false)
        app.buy("gold.monthly")
        market.advance(to: "2025-03-10T00:00:00Z")
        receipts = app.recorder.transactions.filter { $0.transactionState == .purchased }
            .compactMap(\.transactionReceipt)
    }

    @Test func `B66: Every renewal has a receipt with its own period and the first purchase`() throws {
        try #require(receipts.count == 3)
        let fields = receipts.map { market.store.verify(receipt: $0).fields }
        #expect(Set(fields.compactMap { $0["transaction_id"] }).count == 3)
        #expect(Set(fields.compactMap { $0["original_transaction_id"] }) == [try #require(fields[0]["transaction_id"])])
        #expect(
            fields.map { $0["purchase_date"] } == [
                "2025-01-01 00:00:00 Etc/GMT", "2025-02-01 00:00:00 Etc/GMT", "2025-03-01 00:00:00 Etc/GMT",
            ]
        )
        #expect(Set(fields.map { $0["original_purchase_date"] }) == ["2025-01-01 00:00:00 Etc/GMT"])
        #expect(
            fields.map { $0["expires_date_formatted"] } == [
                "2025-02-01 00:00:00 Etc/GMT", "2025-03-01 00:00:00 Etc/GMT", "2025-04-01 00:00:00 Etc/GMT",
            ]
        )
    }

    @Test func `B130: The receipt of a period long past is valid while the subscription runs, and tells the newest`() {
        for receipt in receipts {
            let verification = market.store.verify(receipt: receipt)
            #expect(verification.status == .valid)
            #expect(!verification.isExpired)
            #expect(verification.reason == nil)
            #expect(verification.latestReceipt == receipts.last)
            #expect(verification.latestFields == market.store.verify(receipt: receipts[2]).fields)
        }
    }

    @Test func `B130: A subscription that is over has status 21006 and tells its last period`() throws {
        let last = market.store.verify(receipt: receipts[2]).fields
        try market.store.account.setAutoRenew(false, inGroup: "metals")
        market.advance(to: "2025-03-31T23:59:59Z")
        #expect(market.store.verify(receipt: receipts[0]).status == .valid)
        market.advance(to: "2025-04-01T00:00:00Z")
        for receipt in receipts {
            let verification = market.store.verify(receipt: receipt)
            #expect(verification.status.rawValue == 21006)
            #expect(verification.isExpired)
            #expect(verification.latestReceipt == nil)
            #expect(verification.latestFields == last)
            #expect(verification.fields["product_id"] == "gold.monthly")
        }
    }

    @Test func `B130: The newest period may be another product's, and finished`() throws {
        app.buy("pro.monthly")
        let verification = market.store.verify(receipt: receipts[0])
        // Of another group: nothing to do with this one.
        #expect(verification.latestFields["product_id"] == "gold.monthly")

        for transaction in app.recorder.transactions where transaction.transactionState == .purchased {
            app.queue.finishTransaction(transaction)
        }
        app.queue.settle()
        app.buy("silver.monthly")
        let meanwhile = market.store.verify(receipt: receipts[0])
        #expect(meanwhile.latestFields["product_id"] == "gold.monthly")
        #expect(meanwhile.latestFields["expires_date_formatted"] == "2025-04-01 00:00:00 Etc/GMT")
        market.advance(to: "2025-04-01T00:00:00Z")
        let later = market.store.verify(receipt: receipts[0])
        #expect(later.status == .valid)
        #expect(later.latestFields["product_id"] == "silver.monthly")
        #expect(later.latestFields["original_transaction_id"] == later.fields["transaction_id"])
        let newest = try #require(later.latestReceipt)
        #expect(market.store.verify(receipt: newest).fields == later.latestFields)
    }

    @Test func `Verifying does what is due first`() {
        let verification = market.store.verify(receipt: receipts[0])
        market.clock.advance(by: 40 * 86_400)
        #expect(verification.latestFields != market.store.verify(receipt: receipts[0]).latestFields)
    }

    @Test func `Without a store the receipt's own period decides, and nothing newer is told`() {
        let verification = ReceiptVerification(of: receipts[0], signer: market.store.signer, at: market.clock.now)
        #expect(verification.isExpired)
        #expect(verification.latestReceipt == nil)
        #expect(verification.latestFields.isEmpty)
    }

    @Test func `A store of the same key that did not sell the subscription knows nothing newer`() throws {
        let clock = ManualClock(startingAt: market.clock.now - 5 * 86_400)
        let other = try SandboxStore(products: Market.products, clock: clock, signer: market.store.signer)
        App(on: other).buy("gold.monthly")
        let verification = other.verify(receipt: receipts[2])
        #expect(verification.status == .valid)
        #expect(verification.latestReceipt == nil)
        #expect(verification.latestFields.isEmpty)
    }

    @Test func `A store of the same key at the end of time, which no receipt can name, knows nothing newer`() throws {
        let other = try SandboxStore(
            products: Market.products,
            clock: EndOfTime(),
            renewalRate: .month(.hour),
            signer: market.store.signer
        )
        try other.account.buy("gold.monthly")
        #expect(try other.signedTransaction("1").payload.purchaseDate.milliseconds == .max)
        #expect(other.appReceipt == nil)
        let verification = other.verify(receipt: receipts[0])
        #expect(verification.status == .subscriptionExpired)
        #expect(verification.latestFields.isEmpty)
    }

    @Test(arguments: ["sword", "full.game", "lessons"])
    func `What does not renew has nothing newer`(product: String) throws {
        let till = App(on: market.store, finishes: false)
        till.buy(product)
        let receipt = try #require(till.recorder.transactions.last?.transactionReceipt)
        let verification = market.store.verify(receipt: receipt)
        #expect(verification.status == .valid)
        #expect(verification.latestReceipt == nil)
        #expect(verification.latestFields.isEmpty)
    }

    @Test func `The receipts of a purchase that waited name the day on which it was made`() throws {
        let market = try Market(authorizer: .always(.askToBuy))
        let app = App(on: market.store, finishes: false)
        app.buy("gold.monthly")
        market.advance(to: "2025-01-05T00:00:00Z")
        try market.store.decide(try #require(market.store.undecidedRequests.first?.transaction), as: .approve)
        market.advance(to: "2025-02-05T00:00:00Z")
        let bought = app.recorder.transactions.filter { $0.transactionState == .purchased }
        let fields = try bought.map { market.store.verify(receipt: try #require($0.transactionReceipt)).fields }
        #expect(fields.count == 2)
        #expect(Set(fields.map { $0["original_purchase_date"] }) == ["2025-01-01 00:00:00 Etc/GMT"])
        #expect(fields.first?["purchase_date"] == "2025-01-01 00:00:00 Etc/GMT")
        #expect(bought.last?.original?.transactionDate == Market.date("2025-01-01T00:00:00Z"))
    }
}

/// A clock that stands still further away than milliseconds can be counted.
private final class EndOfTime: StoreClock {
    let activity = Activity()
    var now: Date { Date(timeIntervalSince1970: 1e17) }
    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken { TimerToken {} }
}
