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

    /// The rows of events, which have a mark each.
    private func items(_ svg: MarkupElement) -> [MarkupElement] {
        svg.all("role", "listitem").filter { !$0.all("use").isEmpty }
    }

    /// The titles of the lanes, as often as they are shown.
    private func titles(_ svg: MarkupElement) -> [String] {
        svg.all("class", "h").compactMap { $0.all("title").first?.text }
    }

    @Test func `Every event after the set-up is in the picture with its sentence, for the eye and for a screen reader`()
        throws
    {
        let timeline = try lived()
        let svg = try MarkupElement.read(timeline.svg)
        let told = timeline.entries.drop { entry in
            ["registered", "account opened", "device set up", "servers are notified from now on"].contains(entry.what)
        }
        let items = items(svg)
        #expect(told.count < timeline.entries.count && items.count == told.count)
        for (item, entry) in zip(items, told) {
            #expect(item.text.contains(entry.what), "\(item.text)")
            #expect(item.attributes["aria-label"]?.contains(entry.what) == true)
            #expect(item.all("use").last?.attributes["href"] == "#k-\(entry.kind.rawValue)")
        }
        #expect(svg.all("title").first?.text == "Store timeline")
        #expect(
            svg.all("desc").first?.text == """
                \(timeline.entries.count) events, 2025-01-01 to 2025-03-05, in UTC. \
                Before: 3 products registered, 2 accounts opened, 1 device set up, servers notified
                """
        )
    }

    @Test
    func `Products, accounts and devices that are added together are one row, one that is added alone is its own`()
        throws
    {
        let market = try Market([.consumable("sword", price: "0.99")])
        App(on: market.store).buy("sword")
        market.clock.advance(by: 3_600)
        _ = try market.store.addAccount("anna")
        _ = try market.store.addAccount("ben")
        market.clock.advance(by: 3_600)
        _ = try market.store.addAccount("cleo")
        let svg = try MarkupElement.read(market.store.timeline.svg)
        let labels = svg.all("role", "listitem").compactMap { $0.attributes["aria-label"] }
        #expect(labels.contains("2 accounts opened"))
        #expect(!labels.contains { $0.contains("anna") } && labels.contains { $0.contains("cleo") })
        #expect(!labels.contains { $0.contains("registered") })
        #expect(svg.text.contains("Before: 1 product registered"))
    }

    @Test func `Each kind of event has a shape of its own`() throws {
        let timeline = try lived()
        let svg = try MarkupElement.read(timeline.svg)
        let shapes = svg.all("defs").flatMap(\.children).filter { $0.name == "g" }
        let kinds = Set(timeline.entries.map(\.kind)).subtracting([.setting, .server])
        #expect(Set(shapes.compactMap { $0.attributes["id"] }).isSuperset(of: kinds.map { "k-\($0.rawValue)" }))
        let drawn = shapes.map { shape in
            shape.children.dropFirst().map { "\($0.attributes.sorted { $0.key < $1.key })" }.joined()
        }
        #expect(Set(drawn).count == shapes.count)
    }

    @Test func `Each account has a lane beside those of its devices, and the store and the server have theirs`() throws
    {
        let svg = try MarkupElement.read(try lived().svg)
        #expect(titles(svg) == ["alice", "phone", "queue of phone", "ben", "tablet", "queue of tablet", "server"])
        #expect(svg.all("class", "a").compactMap { $0.all("title").first?.text } == ["alice", "ben"])
        #expect(svg.all("class", "c").map(\.text) == ["phone", "queue", "tablet", "queue", "server"])
    }

    @Test func `A device shares a lane with its queue, unless it is told something`() throws {
        let market = try Market([.consumable("sword", price: "0.99")])
        let app = App(on: market.store)
        app.buy("sword")
        #expect(titles(try MarkupElement.read(try market.store.timeline.svg)) == ["account", "device"])
        market.store.tracesDeliveries = true
        app.buy("sword")
        #expect(
            titles(try MarkupElement.read(try market.store.timeline.svg)) == ["account", "device", "queue of device"]
        )
    }

    @Test func `The names of the lanes are repeated in a long picture`() throws {
        let shop = try TimelineShop()
        shop.sell(60)
        let svg = try MarkupElement.read(try shop.store.timeline.svg)
        let rows = items(svg).count
        #expect(rows > 200)
        #expect(titles(svg).count { $0 == "phone" } > rows / 60)
    }

    @Test func `More accounts than there is room for share a lane`() throws {
        let market = try Market()
        for number in 1...20 {
            try market.store.addAccount("user \(number)").setAsksToBuy(true)
        }
        let svg = try MarkupElement.read(try market.store.timeline.svg)
        #expect(titles(svg) == (1...7).map { "user \($0)" } + ["other accounts"])
        let asking = svg.all("role", "listitem").filter { $0.text.contains("asks to buy from now on") }
        #expect(asking.count == 20)
        // A lane that is shared does not say whose event it is.
        #expect(asking.count { $0.text.contains("· user ") } == 13)
    }

    @Test func `Names are cut where their lanes end, so that they do not overlap, and are whole in a tooltip`() throws {
        let market = try Market([.consumable("sword", price: "0.99")])
        for name in ["an account whose name goes on and on", "another"] {
            let account = try market.store.addAccount(name)
            App(on: try market.store.addDevice("the device of \(name)", signedInTo: account)).buy("sword")
        }
        let svg = try MarkupElement.read(try market.store.timeline.svg)
        let heads = svg.all("class", "a")
        #expect(heads.compactMap { $0.all("title").first?.text }.first == "an account whose name goes on and on")
        let ends = heads.map { head in
            // A bound of the width of a letter.
            let shown = head.text.dropLast(head.all("title").first?.text.count ?? 0)
            return (
                start: Int(head.attributes["x"] ?? "") ?? 0,
                end: (Int(head.attributes["x"] ?? "") ?? 0) + shown.count * 8
            )
        }
        #expect(ends.count == 2 && ends[0].end < ends[1].start)
        #expect(titles(svg).contains("the device of an account whose name goes on and on"))
    }

    /// Without a bound on the work for each name, this takes hours.
    @Test(.timeLimit(.minutes(10))) func `A very long name is cut as a short one is`() throws {
        let market = try Market([.consumable("sword", price: "0.99")])
        let name = String(repeating: "e\u{301}", count: 300_000)
        let account = try market.store.addAccount(name)
        App(on: try market.store.addDevice("phone", signedInTo: account)).buy("sword")
        let svg = try market.store.timeline.svg
        let shown = try #require(svg.firstMatch(of: #/class="a"[^>]*>([^<]*)</#)).1
        #expect(shown == String(repeating: "e\u{301}", count: 7) + "…")
    }

    @Test func `The legend explains the shapes that are drawn, and no others`() throws {
        let market = try Market([.consumable("sword", price: "0.99")])
        App(on: market.store).buy("sword")
        market.clock.advance(by: 3_600)
        _ = try market.store.addAccount("anna")
        _ = try market.store.addAccount("ben")
        let svg = try MarkupElement.read(try market.store.timeline.svg)
        let drawn = items(svg).compactMap { $0.all("use").last?.attributes["href"] }
        let explained = svg.all("use").filter { "#k-\($0.attributes["class"] ?? "")" == $0.attributes["href"] }
        #expect(Set(drawn) == ["#k-sale", "#k-finish"])
        #expect(explained.compactMap { $0.attributes["href"] } == ["#k-sale", "#k-finish"])
    }

    @Test func `The mark of an order's outcome is in its account's lane, and a dot in the queue's`() throws {
        let shop = try TimelineShop()
        shop.phone.buy("sword")
        let timeline = try shop.store.timeline
        let svg = try MarkupElement.read(timeline.svg)
        let lanes = Dictionary(
            uniqueKeysWithValues: zip(
                titles(svg),
                svg.all("class", "r").map { $0.attributes["d"] ?? "" }
            )
        )
        func isIn(_ lane: String, _ use: MarkupElement?) -> Bool {
            lanes[lane]?.hasPrefix("M\(use?.attributes["x"] ?? "?") ") == true
        }
        let items = items(svg)
        let setUp = timeline.entries.count - items.count
        func marks(_ kind: SandboxTimeline.Entry.Kind) throws -> [MarkupElement] {
            items[try #require(timeline.places(kind, "1").first) - setUp].all("use")
        }
        let sale = try marks(.sale)
        #expect(sale.count == 2 && isIn("queue of phone", sale.first) && isIn("alice", sale.last))
        let told = try marks(.delivery)
        #expect(told.count == 1 && isIn("phone", told.first))
        let finish = try marks(.finish)
        #expect(finish.count == 1 && isIn("queue of phone", finish.first))
        let notification = try marks(.notification)
        #expect(notification.count == 1 && isIn("server", notification.first))
    }

    @Test func `Every link is a line`() throws {
        let timeline = try lived()
        let svg = try MarkupElement.read(timeline.svg)
        let kinds = Set(timeline.entries.map(\.kind.rawValue))
        let lines = svg.all("path").filter { path in
            path.attributes["id"] == nil && kinds.contains(where: { path.attributes["class"] == "l \($0)" })
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
        let pauses = svg.all("role", "listitem").filter { $0.all("class", "g").count + $0.all("class", "d").count > 0 }
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
        let account = try market.store.addAccount(name)
        App(on: try market.store.addDevice("of \(name)", signedInTo: account)).buy(name)
        let seen = "<script>&\"'\u{FFFD}\u{FFFD}\u{FFFD} ]]>"
        for text in try [market.store.timeline.svg, market.store.timeline.html] {
            let document = try MarkupElement.read(text)
            #expect(document.all("script").count <= 1)
            #expect(document.text.contains("\(seen) #1 sold for 0.99"))
            #expect(document.all("title", seen).count + document.all("title").count { $0.text == seen } > 0)
        }
        #expect(try MarkupElement.read(market.store.timeline.html).text.contains("account opened · \(seen)"))
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
