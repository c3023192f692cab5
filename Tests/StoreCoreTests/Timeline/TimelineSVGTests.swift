import Foundation
import StoreCore
import Testing

/// A timeline is a picture.
@Suite struct TimelineSVGTests {
    private func lived() throws -> SandboxTimeline {
        let shop = try TimelineShop()
        try shop.live()
        return try shop.store.timeline
    }

    @Test func `Every event is in the picture with its sentence, for the eye and for a screen reader`() throws {
        let timeline = try lived()
        let svg = try MarkupElement.read(timeline.svg)
        let items = svg.all("role", "listitem").filter { !$0.all("use").isEmpty }
        #expect(items.count == timeline.entries.count)
        for (item, entry) in zip(items, timeline.entries) {
            #expect(item.text.contains(entry.what), "\(item.text)")
            #expect(item.attributes["aria-label"]?.contains(entry.what) == true)
            #expect(item.all("use").last?.attributes["href"] == "#k-\(entry.kind.rawValue)")
        }
        #expect(svg.all("title").first?.text == "Store timeline")
        #expect(svg.all("desc").first?.text == "\(timeline.entries.count) events, 2025-01-01 to 2025-03-05, in UTC")
    }

    @Test func `Each kind of event has a shape of its own`() throws {
        let timeline = try lived()
        let svg = try MarkupElement.read(timeline.svg)
        let shapes = svg.all("defs").flatMap(\.children).filter { $0.name == "g" }
        #expect(Set(shapes.compactMap { $0.attributes["id"] }) == Set(timeline.entries.map { "k-\($0.kind.rawValue)" }))
        let drawn = shapes.map { shape in
            shape.children.dropFirst().map { "\($0.attributes.sorted { $0.key < $1.key })" }.joined()
        }
        #expect(Set(drawn).count == shapes.count)
    }

    @Test func `Accounts, devices, queues, the store and the server have lanes where they have events`() throws {
        let svg = try MarkupElement.read(try lived().svg)
        let titles = svg.all("class", "h").map(\.text)
        #expect(titles == ["queue of phone", "phone", "queue of tablet", "tablet", "alice", "ben", "store", "server"])
    }

    @Test func `More accounts than there is room for share a lane`() throws {
        let market = try Market()
        for number in 1...20 { _ = try market.store.addAccount("account \(number)") }
        let svg = try MarkupElement.read(try market.store.timeline.svg)
        let titles = svg.all("class", "h").map(\.text)
        #expect(titles.filter { $0.hasPrefix("account ") } == (1...7).map { "account \($0)" })
        #expect(titles.contains("other accounts"))
        #expect(svg.all("role", "listitem").count { $0.text.contains("account opened") } == 20)
    }

    @Test func `The mark of an order's outcome is in its account's lane, and a dot in the queue's`() throws {
        let shop = try TimelineShop()
        shop.phone.buy("sword")
        let timeline = try shop.store.timeline
        let svg = try MarkupElement.read(timeline.svg)
        let lanes = Dictionary(
            uniqueKeysWithValues: zip(
                svg.all("class", "h").map(\.text),
                svg.all("class", "r").map { $0.attributes["d"] ?? "" }
            )
        )
        func isIn(_ lane: String, _ use: MarkupElement?) -> Bool {
            lanes[lane]?.hasPrefix("M\(use?.attributes["x"] ?? "?") ") == true
        }
        let items = svg.all("role", "listitem").filter { !$0.all("use").isEmpty }
        let sale = items[try #require(timeline.places(.sale, "1").first)].all("use")
        #expect(sale.count == 2 && isIn("queue of phone", sale.first) && isIn("alice", sale.last))
        let told = items[try #require(timeline.places(.delivery, "1").first)].all("use")
        #expect(told.count == 1 && isIn("phone", told.first))
        let finish = items[try #require(timeline.places(.finish, "1").first)].all("use")
        #expect(finish.count == 1 && isIn("queue of phone", finish.first))
        let notification = items[try #require(timeline.places(.notification, "1").first)].all("use")
        #expect(notification.count == 1 && isIn("server", notification.first))
    }

    @Test func `Every link is a line`() throws {
        let timeline = try lived()
        let svg = try MarkupElement.read(timeline.svg)
        let kinds = Set(timeline.entries.map(\.kind.rawValue))
        let lines = svg.all("path").filter { path in
            kinds.contains(where: { path.attributes["class"] == "l \($0)" })
        }
        let starts = lines.reduce(0) { $0 + ($1.attributes["d"] ?? "").count { $0 == "M" } }
        #expect(starts == timeline.links.count)
    }

    @Test func `Time in which nothing happens is folded`() throws {
        let market = try Market([.consumable("sword", price: "0.99")])
        let app = App(on: market.store)
        for pause in [59, 60, 3_600, 90_000, 31 * 86_400] {
            market.clock.advance(by: TimeInterval(pause))
            app.buy("sword")
        }
        let svg = try MarkupElement.read(try market.store.timeline.svg)
        let pauses = svg.all("role", "listitem").filter { $0.all("use").isEmpty }
        #expect(
            pauses.compactMap { $0.attributes["aria-label"] } == [
                "2025-01-01", "1 minute later", "1 hour later", "2025-01-02, 1 day 1 hour later",
                "2025-02-02, 31 days later",
            ]
        )
    }

    @Test func `Names that look like markup are text, and what XML forbids is replaced`() throws {
        let name = "<script>&\"'\u{0}\u{B}\u{FFFF}\u{85}]]>"
        let market = try Market([.consumable(name, price: "0.99")])
        _ = try market.store.addAccount(name)
        let seen = "<script>&\"'\u{FFFD}\u{FFFD}\u{FFFD} ]]>"
        for text in try [market.store.timeline.svg, market.store.timeline.html] {
            let document = try MarkupElement.read(text)
            #expect(document.all("script").count <= 1)
            #expect(document.text.contains("\(seen) registered"))
            #expect(document.text.contains("account opened · \(seen)"))
        }
    }

    @Test func `A sentence that is too long for a line goes on in the next`() throws {
        let reason = (1...60).map { "word\($0)" }.joined(separator: " ") + " " + String(repeating: "x", count: 300)
        let market = try Market()
        market.store.purchaseFailure = .storeKit(.unknown, reason)
        App(on: market.store).buy("sword")
        let timeline = try market.store.timeline
        #expect(timeline.entries.contains { $0.refusal?.reason == reason })
        let svg = try MarkupElement.read(timeline.svg)
        let item = try #require(svg.all("role", "listitem").first { $0.text.contains("word60") })
        #expect(item.all("tspan").count > 5)
        #expect(item.text.contains(reason))
        #expect(item.all("tspan").allSatisfy { $0.text.count <= 110 })
        #expect(try MarkupElement.read(timeline.html).text.contains(reason))
    }

    @Test func `The same events make the same picture`() throws {
        let ledger = MemoryLedger()
        let shop = try TimelineShop(ledger: ledger)
        try shop.live()
        let again = try SandboxStore(clock: shop.market.clock, ledger: ledger, locale: "en_US")
        shop.store.tracesDeliveries = false
        #expect(try again.timeline.svg == shop.store.timeline.svg)
        #expect(try again.timeline.html == shop.store.timeline.html)
        #expect(try lived().html == lived().html)
        #expect(try lived().svg == lived().svg)
    }

    @Test func `A timeline without events says so`() throws {
        let store = try SandboxStore(clock: ManualClock(), ledger: MemoryLedger())
        let timeline = SandboxTimeline()
        #expect(try MarkupElement.read(timeline.svg).text.contains("Nothing has happened yet."))
        #expect(try MarkupElement.read(timeline.html).text.contains("Nothing has happened yet."))
        #expect(try MarkupElement.read(store.timeline.svg).all("role", "listitem").count > 0)
    }
}
