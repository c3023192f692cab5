import Foundation
import StoreCore
import Testing

@Suite struct RenewalTests {
    private let market: Market
    private let app: App

    init() throws { (market, app) = try Market.withApp() }

    @Test func `B120: A subscription renews at the end of each term, through the ordinary updates`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-04-01T00:00:00Z")
        #expect(app.received == Array(repeating: .updated("gold.monthly", .purchased), count: 4))
        let bought = app.recorder.transactions
        #expect(Set(bought.compactMap(\.transactionIdentifier)).count == 4)
        #expect(bought.map(\.transactionDate) == days("2025-01-01", "2025-02-01", "2025-03-01", "2025-04-01"))
        #expect(try market.account.totalCharged == Decimal(string: "39.96"))
    }

    @Test func `B120: A renewal names the transaction that the subscription began with`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-03-01T00:00:00Z")
        let first = try #require(app.recorder.transactions.first)
        for renewal in app.recorder.transactions.dropFirst() {
            #expect(renewal.original?.transactionIdentifier == first.transactionIdentifier)
            #expect(renewal.original?.transactionDate == first.transactionDate)
        }
    }

    @Test func `B120: What fell due while no app was running comes at the next launch`() throws {
        let market = try Market()
        App(on: market.store).buy("gold.monthly")
        market.advance(to: "2025-04-15T00:00:00Z")
        #expect(App(on: market.store).received == Array(repeating: .updated("gold.monthly", .purchased), count: 3))
        #expect(App(on: market.store).received == [])
    }

    @Test func `B120: What fell due while no store was open is done when one is opened, each on its day`() throws {
        let later = try Market.reopened(on: "2025-03-15T00:00:00Z") { App(on: $0.store).buy("gold.monthly") }
        let app = App(on: later.store)
        #expect(app.recorder.transactions.map(\.transactionDate) == days("2025-02-01", "2025-03-01"))
        #expect(later.store.account.subscriptions.first?.expirationDate == Market.date("2025-04-01T00:00:00Z"))
    }

    @Test func `B120: A store opened on an older ledger goes on renewing`() throws {
        let later = try Market.reopened { App(on: $0.store).buy("gold.monthly") }
        let app = App(on: later.store)
        later.advance(to: "2025-02-01T00:00:00Z")
        #expect(app.received == [.updated("gold.monthly", .purchased)])
    }

    @Test func `B120: With renewal turned off access ends when the term does`() throws {
        app.buy("gold.monthly")
        try market.account.setAutoRenew(false, inGroup: "metals")
        #expect(market.at("2025-01-31T23:59:59Z").account.entitlements.map(\.productIdentifier) == ["gold.monthly"])
        #expect(market.at("2025-02-01T00:00:00Z").store.account.entitlements.isEmpty)
        #expect(market.metals?.endReason == .autoRenewDisabled && market.metals?.willRenew == false)
        #expect(app.received.count == 1)
    }

    @Test func `B120: Renewal turned off and on again renews`() throws {
        app.buy("gold.monthly")
        try market.account.setAutoRenew(false, inGroup: "metals")
        try market.account.setAutoRenew(true, inGroup: "metals")
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(app.received.count == 2)
    }

    @Test func `Renewal cannot be turned off where nothing runs`() throws {
        let market = try Market()
        let missing = SandboxError(.notSubscribed(group: "metals"))
        #expect(throws: missing) { try market.account.setAutoRenew(false, inGroup: "metals") }
    }

    @Test func `A subscription that is not on sale any more ends`() throws {
        app.buy("gold.monthly")
        try market.store.setAvailability(.withdrawn, of: "gold.monthly")
        #expect(market.at("2025-02-01T00:00:00Z").metals?.endReason == .productUnavailable)
        #expect(app.received.count == 1)
    }

    @Test func `Several that fall due together all renew`() throws {
        let market = try Market()
        let accounts = try (0..<200).map { try market.store.addAccount("subscriber \($0)") }
        for account in accounts {
            App(on: try market.store.addDevice("of \(account.name)", signedInTo: account)).buy("gold.monthly")
        }
        market.advance(to: "2025-03-01T00:00:00Z")
        for account in accounts {
            #expect(try account.totalCharged == Decimal(string: "29.97"))
            #expect(account.subscriptions.first?.expirationDate == Market.date("2025-04-01T00:00:00Z"))
        }
    }

    @Test func `A ledger that fails delays a renewal and loses none`() throws {
        let ledger = FailingLedger()
        let market = try Market(ledger: ledger)
        let app = App(on: market.store, buying: "gold.monthly")
        ledger.failing = .append
        market.advance(to: "2025-02-01T00:00:30Z")
        #expect(app.received.count == 1)
        ledger.repair()
        market.advance(to: "2025-02-01T00:02:00Z")
        #expect(app.received.count == 2)
        #expect(market.account.subscriptions.first?.periodStart == Market.date("2025-02-01T00:00:00Z"))
        market.advance(to: "2025-03-01T00:00:00Z")
        #expect(app.received.count == 3)
    }

    @Test func `A year is seen term by term, whatever else the clock fires`() throws {
        app.buy("pro.monthly", "gold.yearly")
        market.advance(to: "2026-01-01T00:00:00Z")
        #expect(app.received.filter { $0 == .updated("pro.monthly", .purchased) }.count == 13)
        #expect(app.received.filter { $0 == .updated("gold.yearly", .purchased) }.count == 2)
    }

    @Test func `The clock is set once for each moment, whatever was due before it`() throws {
        let clock = CountingClock()
        let store = try SandboxStore(products: Market.products, clock: clock)
        App(on: store).buy("gold.yearly")
        for number in 1...10 {
            let account = try store.addAccount("guest \(number)")
            App(on: try store.addDevice("of guest \(number)", signedInTo: account)).buy("gold.monthly")
            try account.setAutoRenew(false, inGroup: "metals")
            clock.manual.advance(by: 31 * 86_400)
        }
        #expect(store.account.entitlements.count == 1)
        let before = clock.count
        clock.manual.advance(to: Market.date("2026-01-01T00:00:00Z"))
        #expect(store.account.subscriptions.map(\.expirationDate) == [Market.date("2027-01-01T00:00:00Z")])
        #expect(clock.count == before + 1)
    }

    @Test func `What ended while the authorizer thought is over when it approves`() throws {
        let clock = LateClock(Market.date("2025-01-01T00:00:00Z"))
        let store = try SandboxStore(products: Market.products, clock: clock)
        let app = App(on: store, buying: "gold.monthly")
        try store.account.setAutoRenew(false, inGroup: "metals")
        store.authorizer = .noting { _ in clock.now = Market.date("2025-02-10T00:00:00Z") }
        app.buy("gold.monthly")
        #expect(store.account.subscriptions.map(\.periodStart) == [Market.date("2025-02-10T00:00:00Z")])
        #expect(try store.account.totalCharged == amount("19.98"))
    }
}

/// A clock that counts how often it is set.
private final class CountingClock: StoreClock {
    let manual = ManualClock()
    private let scheduled = Locked(0)

    var count: Int { scheduled.withLock { $0 } }
    var now: Date { manual.now }
    var activity: Activity { manual.activity }

    func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        scheduled.withLock { $0 += 1 }
        return manual.schedule(at: moment, body)
    }
}
