import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// What a page shows first, and what it says before the clock moves.
@Suite(.libcrypto) struct ConsoleOverviewTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop() }

    @Test func `The overview of a new store has its name, its clock and its customer, and nothing that waits`() throws {
        let overview = try shop.ask("/overview")
        #expect(
            overview.app.text == Shop.bundleIdentifier
                && overview.environment.text == ServerView(shop.shop.store).environment
        )
        #expect(overview.storefront.text == "USA")
        #expect(overview.clock.now.text == "2025-01-01T00:00:00Z" && overview.clock.isMovable.bool == true)
        #expect(overview.counts.products.number == Shop.products.count && overview.counts.transactions.number == 0)
        #expect(overview.counts.accounts.number == 1 && overview.counts.devices.number == 1)
        #expect(overview.waiting.total.number == 0 && overview.recent.total.number == 0)
        #expect(overview.due.total.number == 0 && overview.server.notificationURL.value is NSNull)
        #expect(overview.server.isAvailable.bool == true && overview.server.failed.number == 0)
        #expect(overview.customers[0].account.text == "account" && overview.customers[0].devices[0].text == "device")
    }

    @Test func `What waits is in the overview, with what would be charged`() throws {
        try shop.perform(
            "refund-decision ask",
            "buy sword",
            "request-refund 1",
            "buy coins --quantity 2 --outcome ask",
            "buy coins --outcome interrupt",
            "ask-to-buy on"
        )
        let overview = try shop.ask("/overview")
        let rows = overview.waiting.rows.list
        #expect(rows.map(\.kind.text) == ["purchase", "interrupted", "refund"])
        #expect(rows.map(\.sentence.text) == ["waits for a parent", "was interrupted", "asks for a refund"])
        #expect(rows.map(\.transaction.text) == ["2", "3", "1"] && overview.waiting.total.number == 3)
        #expect(rows.map(\.charge.text) == ["1.98", nil, "1.99"] && rows[0].quantity.number == 2)
        #expect(rows[0].account.text == "account" && rows[0].device.text == "device" && rows[0].title.text == "coins")
        #expect(rows[0].acts[0].line.text == "approve 2" && rows[1].acts[0].line.text == "resolve 3")
        #expect(overview.recent.rows.list.map(\.transaction.text) == ["3", "2", "1"])
        #expect(overview.customers[0].asksToBuy.bool == true)
    }

    @Test func `An open payment sheet waits, and not for a parent`() throws {
        try shop.perform("authorizer later", "buy coins")
        #expect(try shop.ask("/overview").waiting.rows[0].sentence.text == "the payment sheet is open")
    }

    @Test func `The words to choose from are those that the server knows`() throws {
        let words = try shop.ask("/overview").words
        #expect(words.types.list.compactMap(\.text) == NotificationTypes.all)
        #expect(words.types.list.contains { $0.text == "RENEWAL_EXTENSION" })
        for kind in words.kinds.list {
            #expect(try shop.ask("/products?kind=\(try #require(kind[0].text))").total.number != nil)
        }
        let gold = try shop.ask("/products?search=gold").rows[0]
        #expect(words.kinds.list.contains { $0[0].text == gold.kind.text && $0[1].text == gold.kindWords.text })
        #expect(words.kinds.list.contains { $0[0].text == "freeSubscription" })
    }

    @Test func `What falls due next comes first, each subscription once`() throws {
        try shop.perform("buy gold", "buy weekly", "buy daily", "auto-renew off papers")
        let overview = try shop.ask("/overview")
        #expect(overview.due.total.number == 3 && overview.counts.running.number == 3)
        let rows = overview.due.rows.list
        #expect(rows.map(\.what.text) == ["renews", "renews", "ends"])
        #expect(rows[0].sentence.text == "weekly renews for $0.49" && rows[0].date.text == "2025-01-08T00:00:00Z")
        #expect(rows[2].sentence.text == "daily ends: renewal is off" && rows[2].transaction.text == "3")
        try shop.perform("grace-period on", "billing-fails on", "advance 7d")
        let later = try shop.ask("/overview").due.rows.list
        #expect(later.map(\.what.text) == ["grace ends", "payment fails", "ends"])
        #expect(later[1].sentence.text == "the payment for gold fails")
    }

    @Test(arguments: [
        ("next", "2025-01-08T00:00:00Z", "1 renewal"), ("2025-01-31", "2025-01-31T00:00:00Z", "4 renewals"),
        ("2025-02-02", "2025-02-02T00:00:00Z", "5 renewals, 1 subscription ends"),
        ("2025-01-02", "2025-01-02T00:00:00Z", "nothing falls due"),
        ("2024-01-01", "2024-01-01T00:00:00Z", "nothing falls due"),
    ])
    func `Before the clock moves, the page says what falls due, and the store does not change`(
        until: String,
        moment: String,
        sentence: String
    ) throws {
        try shop.perform("buy gold", "buy weekly", "buy daily", "auto-renew off papers")
        let before = try shop.ask("/timeline").rows[0].position.number
        let due = try shop.ask("/due?until=\(until)")
        #expect(due.until.text == moment && due.sentence.text == sentence)
        #expect(try shop.ask("/timeline").rows[0].position.number == before)
    }

    @Test func `What is said to fall due is what happens`() throws {
        try shop.perform("buy gold", "buy weekly", "grace-period on", "billing-fails on")
        let due = try shop.ask("/due?until=2025-06-01")
        #expect(due.sentence.text == "2 subscriptions end, 2 payments fail, 2 grace periods end")
        let answer = try shop.act("advance-to 2025-06-01T00:00:00Z").json
        let told = answer.events.list.compactMap(\.what.text)
        #expect(told.count { $0.hasPrefix("subscription ended") } == 2)
        #expect(due.counts.list.map(\.count.number) == [2, 2, 2])
    }

    @Test func `A clock that stands between two seconds moves to the next renewal, which then has happened`() throws {
        shop.shop.clock.advance(by: 0.5)
        try shop.perform("buy weekly")
        let due = try shop.ask("/due?until=next")
        let until = try #require(due.until.text)
        #expect(until == "2025-01-08T00:00:01Z" && due.sentence.text == "1 renewal")
        try shop.perform("advance-to \(until)")
        #expect(try shop.ask("/transactions").total.number == 2)
        // And to the one after it.
        try shop.perform("advance-to \(try #require(shop.ask("/due?until=next").until.text))")
        #expect(try shop.ask("/transactions").total.number == 3)
    }

    @Test func `Where nothing renews, the next change is meant, and without subscriptions none`() throws {
        let none = try shop.ask("/due?until=next")
        #expect(none.until.value is NSNull && none.sentence.text == "nothing falls due")
        try shop.perform("buy weekly", "billing-fails on")
        let due = try shop.ask("/due?until=next")
        #expect(due.until.text == "2025-01-08T00:00:00Z" && due.sentence.text == "1 payment fails")
    }

    @Test func `Only so many changes are looked ahead`() throws {
        try shop.perform("buy weekly")
        let forecast = shop.shop.store.forecast(until: shop.shop.clock.now + 366 * 86_400, limit: 10)
        #expect(forecast.counts == [.renews: 10] && forecast.hasMore)
    }
}
