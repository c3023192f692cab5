import Foundation
import StoreCore
import Testing

@testable import StoreServer

@Suite(.libcrypto) struct ControlEventsTests {
    private let shop: ConsoleShop

    init() throws { shop = try ConsoleShop() }

    private typealias Listener = ConsoleShop.Listener

    @Test func `A page hears what has happened, and then what happens`() throws {
        try shop.buy("coins")
        let listener = try #require(shop.listen())
        let past = listener.hear("sold for 0.99")
        #expect(past.hasPrefix("event: hello\n") && past.contains("\"transaction\":\"1\""))
        try shop.buy("sword")
        let news = listener.hear("event: changed")
        #expect(news.contains("sold for 1.99") && !news.contains("sold for 0.99"))
    }

    @Test func `Renewals are heard when the clock is moved, one by one`() throws {
        try shop.buy("gold")
        let listener = try #require(shop.listen())
        _ = try shop.act("advance 3mo")
        let news = listener.hear("renewed until 2025-05-01")
        #expect(Listener.places(in: news).count == Set(Listener.places(in: news)).count)
        #expect(news.contains("renewed until 2025-03-01") && news.contains("renewed until 2025-04-01"))
    }

    @Test func `A page that was away gets what it has missed, and nothing twice`() throws {
        try shop.buy("coins")
        let first = try #require(shop.listen())
        let known = try #require(Listener.places(in: first.hear("sold for 0.99")).last)
        first.stream.finish()
        try shop.buy("sword")
        try shop.buy("season")
        let missed = try #require(shop.listen(after: known)).hear("sold for 4.99")
        #expect(missed.contains("sold for 1.99") && !missed.contains("sold for 0.99"))
        #expect(missed.contains("\"areSomeMissing\":false"))
        let last = try #require(Listener.places(in: missed).last)
        let nothing = try #require(shop.listen(after: last)).hear("event: hello")
        #expect(Listener.places(in: nothing).isEmpty)
    }

    @Test(arguments: ["0:3", "nonsense", ":", "", "1:2:3", "0:99999999999999999999"])
    func `A place of another server, or none, begins anew`(place: String) throws {
        try shop.buy("coins")
        let heard = try #require(shop.listen(after: place)).hear("sold for 0.99")
        #expect(Listener.places(in: heard).count == (try shop.shop.store.timeline.entries.count))
    }

    @Test func `A long past is cut short, and the page is told`() throws {
        for _ in 0..<300 { try shop.buy("coins") }
        let heard = try #require(shop.listen()).hear("\"transaction\":\"300\"")
        #expect(heard.contains("\"areSomeMissing\":true"))
        #expect(Listener.places(in: heard).count == 200)
    }

    @Test func `A change of more lines than are kept is told as a gap`() throws {
        let shop = try Shop()
        let chronicle = StoreChronicle(shop.store, minimumLines: 2)
        let events = ControlEvents(chronicle, ServerView(shop.store), maximumListeners: 1, heartbeat: 3600)
        let listener = Listener(try #require(try events.listen(after: nil)))
        _ = listener.hear("event: line")
        // It is told of all of them at once.
        for _ in 0..<9 { try shop.account.buy("coins") }
        events.historyChanged()
        let news = listener.hear("event: changed")
        let gap = try #require(news.range(of: "event: gap\n"))
        #expect(news[gap.upperBound...].contains("\"transaction\":\"9\"") && !news.contains("\"transaction\":\"1\""))
        try shop.account.buy("coins")
        events.historyChanged()
        #expect(!listener.hear("event: changed").contains("event: gap"))
    }

    @Test func `A sentence of any length is cut short`() throws {
        #expect(try shop.act("add-family \(String(repeating: "a", count: 3000))").status == 200)
        let heard = try #require(shop.listen()).hear("more characters)")
        #expect(heard.contains("(2016 more characters)") && !heard.contains(String(repeating: "a", count: 1000)))
    }

    @Test func `Only so many pages listen at a time`() throws {
        let shop = try ConsoleShop(maximumListeners: 2)
        let listeners = [shop.listen(), shop.listen()]
        #expect(listeners.allSatisfy { $0 != nil })
        let refused = shop.respond("GET", "/events")
        #expect(refused.status == 503 && refused.stream == nil)
        #expect(try JSON(data: refused.body).error.text?.isEmpty == false)
        // As the server does when a client has gone.
        listeners[0]?.stream.finish()
        #expect(shop.listen() != nil && shop.listen() == nil)
    }

    @Test func `A page gets signs of life while nothing happens`() throws {
        let shop = try ConsoleShop(heartbeat: 0.05)
        #expect(try #require(shop.listen()).hear("event: beat").contains("\"now\":\"2025-01-01T00:00:00Z\""))
    }

    @Test func `A ledger that cannot be read is told, and read later`() throws {
        let ledger = BrokenLedger()
        let shop = try ConsoleShop(try Shop(ledger: ledger))
        ledger.isBroken = true
        for path in ["/overview", "/events", "/transaction/1"] {
            let response = shop.respond("GET", path)
            #expect(response.status == 500 && response.stream == nil)
            #expect(try JSON(data: response.body).error.text?.isEmpty == false)
        }
        ledger.isBroken = false
        // The store reads its ledger again after a minute.
        shop.shop.clock.advance(by: 60)
        try shop.buy("coins")
        #expect(try #require(shop.listen()).hear("sold for 0.99").contains("event: hello"))
    }
}
