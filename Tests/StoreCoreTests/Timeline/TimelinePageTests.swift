import Foundation
import StoreCore
import Testing

/// A timeline is a page.
@Suite struct TimelinePageTests {
    private func lived() throws -> SandboxTimeline {
        let shop = try TimelineShop()
        try shop.live()
        return try shop.store.timeline
    }

    /// What happens in a store with more accounts than there are lanes for, with sentences of several lines.
    private func crowded() throws -> SandboxTimeline {
        let market = try Market([.consumable("sword", price: "0.99")])
        market.store.tracesDeliveries = true
        for number in 1...12 {
            let account = try market.store.addAccount("customer \(number)")
            let app = App(on: try market.store.addDevice("phone \(number)", signedInTo: account))
            app.buy("sword")
            app.buy("dragon")
            market.clock.advance(by: 90)
        }
        return try market.store.timeline
    }

    private func rows(_ page: MarkupElement) -> [MarkupElement] {
        page.all("li").filter { $0.attributes["data-k"] != nil }
    }

    @Test func `Every event is a row with its time, its sentence, its people and links to what led to it`() throws {
        let timeline = try lived()
        let rows = rows(try MarkupElement.read(timeline.html))
        #expect(rows.count == timeline.entries.count)
        for (place, (row, entry)) in zip(rows, timeline.entries).enumerated() {
            #expect(row.attributes["id"] == "e\(place)")
            #expect(row.all("time").first?.text == String("\(entry.date.ISO8601Format())".dropFirst(11).prefix(8)))
            #expect(row.text.contains(entry.what))
            for name in [entry.account, entry.device].compactMap({ $0 }) { #expect(row.text.contains(name)) }
            let sources = timeline.links.filter { $0.target == place }.map { "#e\($0.source)" }
            #expect(row.all("a").compactMap { $0.attributes["href"] } == sources)
        }
    }

    @Test func `What is set up is one row, which opens without a script, and holds every sentence`() throws {
        let page = try MarkupElement.read(try lived().html)
        let fold = try #require(page.all("details").first)
        #expect(
            fold.all("summary").first?.all("span").first?.text
                == "3 products registered, 2 accounts opened, 1 device set up, servers notified"
        )
        #expect(rows(fold).count == 7 && fold.text.contains("sword registered"))
        #expect(page.all("details").count == 1)
    }

    @Test func `The heads of the lanes stay where they can be seen, and are on each printed page`() throws {
        let page = try MarkupElement.read(try lived().html)
        let bar = try #require(page.all("class", "bar").first)
        #expect(
            bar.all("class", "heads").first?.all("span").map { $0.attributes["title"] }
                == ["alice", "phone", "queue of phone", "ben", "tablet", "queue of tablet", "server"]
        )
        let style = try #require(page.all("style").first?.text)
        #expect(style.contains(".bar{position:sticky;top:0") && style.contains(".bar{display:table-header-group"))
        #expect(!style.contains("rotate("))
    }

    @Test func `It loads nothing, and its policy allows only its own style and script`() throws {
        let html = try lived().html
        let page = try MarkupElement.read(html)
        #expect(
            !html.contains("url(") && !html.contains("@import") && !html.contains(" src=") && !html.contains("style=")
        )
        // But for the names of the kinds of markup.
        #expect(html.components(separatedBy: "http").count == 2 + 1)
        let policy = try #require(
            page.all("meta").compactMap { $0.attributes["content"] }.first { $0.hasPrefix("default-src") }
        )
        #expect(policy.hasPrefix("default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-"))
        #expect(!policy.contains("unsafe"))
        #expect(page.all("style").count == 1 && page.all("script").count == 1)
    }

    @Test func `What is told and notified belongs to the account and product of what led to it`() throws {
        let timeline = try lived()
        let page = try MarkupElement.read(timeline.html)
        func options(_ name: String) -> [String] {
            page.all("name", name).flatMap { $0.all("option") }.dropFirst().map(\.text)
        }
        #expect(options("product") == ["sword", "game", "gold", "dragon"])
        #expect(options("account") == ["alice", "ben"])
        #expect(options("state").contains("refunded") && options("state").contains("waiting"))
        let rows = rows(page)
        for place in timeline.places(.delivery, "2") + timeline.places(.notification, "2") {
            #expect(rows[place].attributes["data-a"] == "1")
            #expect(rows[place].attributes["data-p"] == "0")
        }
    }

    @Test func `Filters are shown only by the script`() throws {
        let form = try #require(try MarkupElement.read(try lived().html).all("form").first)
        #expect(form.attributes["hidden"] != nil)
        for control in form.all("input") + form.all("select") { #expect(control.attributes["name"] != nil) }
    }

    /// `.ci/timeline` opens what this test writes.
    @Test func `Thousands of events make a page and a picture whose size is proportional to them`() throws {
        let shop = try TimelineShop()
        try shop.live()
        let folder = ProcessInfo.processInfo.environment["TIMELINE_PAGES"]
        // Four events a sale; a browser is given ten thousand.
        let sales = folder == nil ? 300 : 2_650
        shop.sell(sales / 10)
        let tenth = try shop.store.timeline
        shop.sell(sales * 9 / 10)
        let whole = try shop.store.timeline
        #expect(whole.entries.count > sales * 15 / 4)
        let growth = Double(whole.entries.count) / Double(tenth.entries.count)
        #expect(Double(whole.html.utf8.count) < Double(tenth.html.utf8.count) * growth * 1.2)
        #expect(Double(whole.svg.utf8.count) < Double(tenth.svg.utf8.count) * growth * 1.2)
        #expect(whole.html.utf8.count < whole.entries.count * 500)
        guard let folder else { return }
        try whole.html.write(toFile: "\(folder)/large.html", atomically: true, encoding: .utf8)
        try lived().html.write(toFile: "\(folder)/small.html", atomically: true, encoding: .utf8)
        try crowded().html.write(toFile: "\(folder)/crowded.html", atomically: true, encoding: .utf8)
        try lived().svg.write(toFile: "\(folder)/small.svg", atomically: true, encoding: .utf8)
    }
}
