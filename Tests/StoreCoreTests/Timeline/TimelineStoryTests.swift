import Foundation
import StoreCore
import Testing

/// The README's picture: Anna subscribes; Ben asks for a game, and is allowed to buy it two hours later; the subscription
/// renews; Anna buys coins, but her app is killed before it finishes, and gets them when it is launched again; the game
/// is refunded.
@Suite struct TimelineStoryTests {
    private static let picture = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../.github/pictures/timeline.svg").standardizedFileURL

    private static func story() throws -> SandboxTimeline {
        let market = try Market(
            [
                .consumable("coins", price: "0.99"), .nonConsumable("game", price: "4.99"),
                Market.subscription("gold", level: 1, price: "9.99", .init(1, .month)),
            ],
            on: "2026-03-02T16:30:00Z"
        )
        let store = market.store
        let (anna, ben) = (try store.addAccount("anna"), try store.addAccount("ben"))
        let phone = App(on: try store.addDevice("phone", signedInTo: anna))
        let tablet = App(on: try store.addDevice("tablet", signedInTo: ben))
        try ServerView(store).beginNotifications()
        phone.buy("gold")
        market.clock.advance(by: 40)
        tablet.order("game") { $0.simulatesAskToBuyInSandbox = true }
        market.clock.advance(by: 2 * 3_600)
        try store.decide("2", as: .approve)
        tablet.queue.settle()
        market.advance(to: "2026-04-02T16:30:00Z")
        phone.queue.settle()

        // An app that is told of its purchase, and killed before it finishes.
        let killed = phone.queue.relaunch()
        let (deaf, attentive) = (Recorder(), Recorder.finishing())
        killed.add(deaf)
        killed.settle()
        market.clock.advance(by: 3_600)
        store.tracesDeliveries = true
        killed.add(SKPayment(productIdentifier: "coins"))
        killed.settle()
        let launched = killed.relaunch()
        market.clock.advance(by: 3 * 3_600)
        launched.add(attentive)
        launched.settle()

        market.advance(to: "2026-04-04T09:00:00Z")
        _ = tablet.queue.relaunch()
        try store.refund("2")
        return try withExtendedLifetime((deaf, attentive)) { try store.timeline }
    }

    /// `.ci/pictures` has this test draw the picture anew.
    @Test func `The README's picture is what its story draws`() throws {
        let svg = try Self.story().svg
        if let file = ProcessInfo.processInfo.environment["TIMELINE_PICTURE"] {
            try svg.write(toFile: file, atomically: true, encoding: .utf8)
        }
        let shown = try String(contentsOf: Self.picture, encoding: .utf8)
        #expect(svg == shown, "run .ci/pictures if the change is meant, and look at the picture")
    }

    @Test func `Its story has a sale, a question, a renewal, a refund, and a purchase that a second launch is told of`()
        throws
    {
        let timeline = try Self.story()
        let kinds = Set(timeline.entries.map(\.kind))
        #expect(kinds.isSuperset(of: [.sale, .waiting, .renewal, .refund, .notification]))
        let svg = try MarkupElement.read(timeline.svg)
        #expect(svg.all("role", "listitem").allSatisfy { !$0.text.contains("registered") })
        let coins = timeline.entries.filter { $0.productIdentifier == "coins" }.map(\.what)
        #expect(
            coins == [
                "registered", "sold for 0.99", "told: purchased", "server notified: ONE_TIME_CHARGE", "told: purchased",
                "finished",
            ]
        )
    }
}
