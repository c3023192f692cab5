import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// Notifications of stores that were seen to send them otherwise, and what that does to servers.
@Suite(.microHTTPD, .libcrypto) struct NotificationQuirkTests {
    private let shop: Shop
    private let transport: ScriptedTransport
    private let server: StoreServer

    init() throws {
        shop = try Shop()
        transport = ScriptedTransport(shop.clock)
        server = try Self.server(shop, transport)
    }

    private static func server(_ shop: Shop, _ transport: any NotificationTransport) throws -> StoreServer {
        var configuration = StoreServer.Configuration()
        configuration.notificationURL = URL(string: "http://receiver/notifications")
        configuration.transport = transport
        configuration.retries = [60]
        configuration.log = .silent
        return try StoreServer(shop.store, configuration: configuration)
    }

    private func buy(_ products: String...) throws {
        for product in products { try shop.account.buy(product) }
        shop.store.settle()
    }

    private func coins(_ numbers: Int...) -> [String] { numbers.map { "ONE_TIME_CHARGE \($0)" } }

    private var attempts: [[String]] {
        get throws {
            try ServerView(shop.store).notifications(after: nil, limit: 100).map { $0.attempts.map(\.result) }
        }
    }

    // MARK: What is seen

    @Test func `C18: Every notification is sent twice, until the quirk is removed`() throws {
        shop.store.quirks = [.notifiesTwice]
        try buy("coins", "coins")
        #expect(transport.words == coins(1, 1, 2, 2))
        #expect(transport.posts[0].body == transport.posts[1].body)
        #expect(try attempts == [["SUCCESS"], ["SUCCESS"]])
        let lines = server.outbox.deliveries.lines(after: 0, limit: 10)
        #expect(lines.map(\.manner) == ["normal", "twice", "normal", "twice"])
        shop.store.quirks = []
        try buy("coins")
        #expect(transport.words == coins(1, 1, 2, 2, 3))
    }

    @Test func `A retry is sent once`() throws {
        let failing = try FailingReceiver(.timedOut)
        failing.shop.store.quirks = [.notifiesTwice]
        try failing.buy()
        #expect(failing.transport.posts.count == 2)
        failing.shop.clock.advance(by: 3600)
        #expect(failing.transport.posts.count == 3)
    }

    @Test func `C18: Notifications are exchanged in pairs`() throws {
        shop.store.quirks = [.notifiesOutOfOrder]
        for _ in 1...4 { try buy("coins") }
        #expect(transport.words == coins(2, 1, 4, 3))
    }

    @Test func `C18: A notification is late by the store's clock`() throws {
        shop.store.quirks = [.notifiesLate(by: 60)]
        try buy("coins", "coins")
        shop.clock.advance(by: 59)
        #expect(transport.posts.isEmpty)
        shop.clock.advance(by: 1)
        #expect(transport.words == coins(1, 2))
    }

    @Test(arguments: [StoreQuirk.notifiesOutOfOrder, .notifiesLate(by: 60)])
    func `C18: What a quirk holds back is sent once it is removed`(quirk: StoreQuirk) throws {
        shop.store.quirks = [quirk, .listsLate(by: 1)]
        try buy("coins")
        shop.store.quirks = [quirk]
        shop.store.settle()
        #expect(transport.posts.isEmpty)
        shop.store.quirks = [.notifiesTwice]
        shop.store.settle()
        #expect(transport.words == coins(1, 1))
        shop.clock.advance(by: 3600)
        #expect(transport.posts.count == 2)
    }

    @Test func `A delivery that is ordered is not sent twice`() throws {
        shop.store.quirks = [.notifiesTwice]
        try server.deliverNotifications(with: .late(seconds: 60), times: 1)
        try buy("coins")
        shop.clock.advance(by: 60)
        #expect(transport.words == coins(1))
    }

    @Test func `All three come together`() throws {
        shop.store.quirks = [.notifiesTwice, .notifiesOutOfOrder, .notifiesLate(by: 60)]
        try buy("coins", "coins")
        #expect(transport.posts.isEmpty)
        shop.clock.advance(by: 60)
        #expect(transport.words == coins(2, 2, 1, 1))
        #expect(try attempts == [["SUCCESS"], ["SUCCESS"]])
    }

    @Test func `A rule of deliveries comes before a quirk`() throws {
        shop.store.quirks = [.notifiesLate(by: 60)]
        try server.deliverNotifications(with: .concurrent, times: 1)
        try buy("coins")
        #expect(transport.words == coins(1, 1))
        try buy("coins")
        #expect(transport.posts.count == 2)
    }

    @Test func `C17b: A bad request is final while the quirk is set`() throws {
        let failing = try FailingReceiver(.unsuccessfulStatus, .unsuccessfulStatus, status: 400)
        failing.shop.store.quirks = [.badRequestIsFinal]
        try failing.buy()
        failing.shop.clock.advance(by: 3600)
        #expect(failing.transport.words == coins(1))
        failing.shop.store.quirks = []
        try failing.buy()
        failing.shop.clock.advance(by: 3600)
        #expect(failing.transport.words == coins(1, 2, 2))
    }

    // MARK: What breaks

    @Test func `C18: A server that credits each notification credits twice, one that knows its UUIDs does not`() throws
    {
        shop.store.quirks = [.notifiesTwice]
        try buy("coins")
        let identifiers = transport.posts.map(\.payload.notificationUUID.text)
        #expect(identifiers.count == 2)
        #expect(Set(identifiers).count == 1)
    }

    @Test func `C18: A server that believes the last notification is wrong about auto-renewal, one that asks is right`()
        throws
    {
        try buy("gold")
        shop.store.quirks = [.notifiesOutOfOrder]
        try shop.account.setAutoRenew(false, inGroup: "metals")
        try shop.account.setAutoRenew(true, inGroup: "metals")
        shop.store.settle()
        let believed = transport.posts.last?.payload.subtype.text
        #expect(believed == "AUTO_RENEW_DISABLED")
        #expect(shop.account.subscription(inGroup: "metals")?.willRenew == true)
    }

    @Test func `C18: A server that waits for the notification locks out who has paid, one that asks does not`() throws {
        shop.store.quirks = [.notifiesLate(by: 60)]
        try buy("gold")
        #expect(!transport.types.contains("SUBSCRIBED"))
        #expect(shop.account.entitlements.map(\.productIdentifier) == ["gold"])
    }

    @Test(arguments: [(400, 1), (500, 2)])
    func `A server that answers 400 while it cannot write loses the notification, one that answers 500 does not`(
        status: Int,
        posts: Int
    ) throws {
        let failing = try FailingReceiver(.unsuccessfulStatus, status: status)
        failing.shop.store.quirks = [.badRequestIsFinal]
        try failing.buy()
        failing.shop.clock.advance(by: 3600)
        #expect(failing.transport.posts.count == posts)
    }

    /// A receiver whose first answers are failures.
    private struct FailingReceiver {
        let shop: Shop
        let transport: ScriptedTransport
        private let server: StoreServer

        init(_ results: SendAttemptResult..., status: Int = 500) throws {
            shop = try Shop()
            transport = ScriptedTransport(shop.clock, results)
            transport.failureStatus = status
            server = try NotificationQuirkTests.server(shop, transport)
        }

        func buy() throws {
            try shop.account.buy("coins")
            shop.store.settle()
        }
    }
}
