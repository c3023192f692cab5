import Foundation
import StoreCore
import Testing

/// A timeline says what led to what.
@Suite struct TimelineLinkTests {
    @Test func `A sale leads to what the device is told, and that to the finish`() throws {
        let shop = try TimelineShop()
        shop.phone.buy("sword")
        let timeline = try shop.store.timeline
        let told = try #require(timeline.places(.delivery, "1").first)
        #expect(timeline.sources(of: told) == ["sale #1"])
        let finish = try #require(timeline.places(.finish, "1").first)
        #expect(timeline.sources(of: finish) == ["delivery #1"])
    }

    @Test func `Without a trace of what is told, a sale leads to the finish`() throws {
        let market = try Market()
        App(on: market.store).buy("sword")
        let timeline = try market.store.timeline
        #expect(timeline.sources(of: try #require(timeline.places(.finish, "1").first)) == ["sale #1"])
    }

    @Test func `An order leads to the wait, and that to its outcome`() throws {
        let shop = try TimelineShop()
        try shop.live()
        let timeline = try shop.store.timeline
        let wait = try #require(timeline.places(.waiting, "2").first)
        #expect(timeline.sources(of: wait) == ["order #2"])
        #expect(timeline.sources(of: try #require(timeline.places(.sale, "2").first)) == ["waiting #2"])
        #expect(
            timeline.places(.delivery, "2").map { timeline.sources(of: $0) } == [
                ["order #2"], ["waiting #2"], ["sale #2"],
            ]
        )
    }

    @Test func `A subscription's first period leads to its renewal, and each to the next`() throws {
        let shop = try TimelineShop()
        try shop.live()
        let timeline = try shop.store.timeline
        #expect(timeline.sources(of: try #require(timeline.places(.renewal, "4").first)) == ["sale #1"])
        #expect(timeline.sources(of: try #require(timeline.places(.renewal, "5").first)) == ["renewal #4"])
    }

    @Test func `A sale leads to its refund, and both to the notifications of them`() throws {
        let shop = try TimelineShop()
        try shop.live()
        let timeline = try shop.store.timeline
        #expect(timeline.sources(of: try #require(timeline.places(.refund, "2").first)) == ["sale #2"])
        let notifications = timeline.places(.notification, "2")
        #expect(
            notifications.map { timeline.entries[$0].what } == [
                "server notified: ONE_TIME_CHARGE", "server notified: REFUND",
            ]
        )
        #expect(notifications.map { timeline.sources(of: $0) } == [["sale #2"], ["refund #2"]])
    }

    @Test func `A notification leads to its delivery`() throws {
        let shop = try TimelineShop()
        shop.phone.buy("sword")
        let view = ServerView(shop.store)
        let position = try #require(try view.notifications(after: nil, limit: 1).first?.position)
        try view.recordAttempt("SUCCESS", at: position)
        let timeline = try shop.store.timeline
        let attempt = try #require(timeline.entries.indices.last)
        #expect(timeline.entries[attempt].what.hasSuffix("sent: SUCCESS"))
        #expect(timeline.sources(of: attempt) == ["notification #1"])
    }

    @Test func `A purchase leads to its restoration, and that to what the device is told`() throws {
        let (market, app) = try Market.withApp()
        app.buy("full.game")
        market.store.tracesDeliveries = true
        app.restore()
        let timeline = try market.store.timeline
        let restoration = try #require(timeline.entries.firstIndex { $0.what.hasPrefix("restored ") })
        #expect(timeline.sources(of: restoration) == ["sale #1"])
        #expect(timeline.sources(of: try #require(timeline.places(.delivery, "2").first)) == ["restoration #"])
        #expect(
            timeline.sources(of: try #require(timeline.entries.firstIndex { $0.what == "restore ended" })) == [
                "restoration #"
            ]
        )
    }

    @Test func `A refund leads to what the device is told of the access that ends`() throws {
        let (market, app) = try Market.withApp()
        app.buy("full.game")
        market.store.tracesDeliveries = true
        try market.store.refund("1")
        app.queue.settle()
        let timeline = try market.store.timeline
        let told = try #require(timeline.entries.firstIndex { $0.what.hasPrefix("told: revoked") })
        #expect(timeline.sources(of: told) == ["refund #1"])
    }

    @Test func `A link leads from an earlier event to a later one, and there are not many`() throws {
        let shop = try TimelineShop()
        try shop.live()
        shop.sell(200)
        let timeline = try shop.store.timeline
        #expect(timeline.links.allSatisfy { $0.source < $0.target })
        #expect(timeline.links.count < timeline.entries.count)
        #expect(timeline.links.count > timeline.entries.count / 2)
    }
}
