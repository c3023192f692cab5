import Foundation
import StoreCore
import Testing

@testable import StoreServer

/// What of an outbox can change while it runs, and what is sent on request.
@Suite(.microHTTPD, .libcrypto) struct OutboxSettingsTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    private func server(
        _ transport: any NotificationTransport,
        _ change: (inout StoreServer.Configuration) -> Void = { _ in }
    ) throws -> StoreServer {
        var configuration = StoreServer.Configuration()
        configuration.notificationURL = URL(string: "http://receiver/notifications")
        configuration.transport = transport
        configuration.log = .silent
        change(&configuration)
        return try StoreServer(shop.store, configuration: configuration)
    }

    private func buy() throws {
        try shop.account.buy("coins")
        shop.store.settle()
    }

    private var attempts: [[String]] {
        get throws {
            try ServerView(shop.store).notifications(after: nil, limit: 10).map { $0.attempts.map(\.result) }
        }
    }

    private let failed = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"

    // MARK: Retries

    @Test func `A bad request is tried again, unless the server is told otherwise`() throws {
        let transport = ScriptedTransport(shop.clock, Array(repeating: .unsuccessfulStatus, count: 4))
        transport.failureStatus = 400
        let server = try server(transport) { configuration in
            configuration.retries = [60, 60]
            configuration.retriesAfterBadRequest = false
        }
        try buy()
        shop.clock.advance(by: 3600)
        #expect(try attempts == [[failed]])
        server.retriesAfterBadRequest = true
        try buy()
        transport.failureStatus = 404
        shop.clock.advance(by: 60)
        server.retriesAfterBadRequest = false
        shop.clock.advance(by: 3600)
        #expect(try attempts == [[failed], [failed, failed, failed]])
        #expect(server.outbox.deliveries.lines(after: 0, limit: 9).map(\.status) == [400, 400, 404, 404])
    }

    @Test func `New retries apply from the next attempt, and leave the dates of those that are due`() throws {
        let transport = ScriptedTransport(shop.clock, Array(repeating: .timedOut, count: 3))
        let server = try server(transport) { $0.retries = [60] }
        #expect(server.retries == [60])
        let start = shop.clock.now
        try buy()
        server.retries = [600, 600]
        shop.clock.advance(by: 7200)
        #expect(transport.posts.map { $0.date.timeIntervalSince(start) } == [0, 60, 660])
    }

    @Test func `The App Store's retries are the default, by the environment`() throws {
        #expect(try server(ScriptedTransport(shop.clock)).retries.isEmpty)
    }

    // MARK: URL

    @Test func `Notifications are sent once there is a URL, those of before as well, and none without one`() throws {
        let transport = ScriptedTransport(shop.clock)
        let server = try server(transport) { $0.notificationURL = nil }
        try buy()
        #expect(transport.posts.isEmpty)
        server.notificationURL = URL(string: "http://first/")
        shop.store.settle()
        #expect(transport.posts.count == 1)
        server.notificationURL = nil
        try buy()
        shop.clock.advance(by: 3600)
        #expect(transport.posts.count == 1)
        server.notificationURL = URL(string: "http://second/")
        shop.store.settle()
        #expect(transport.words == ["ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 2"])
        #expect(transport.posts.map { $0.url.host() } == ["first", "second"])
    }

    @Test func `A retry goes to the URL of its time`() throws {
        let transport = ScriptedTransport(shop.clock, [.socketIssue])
        let server = try server(transport) { $0.retries = [60] }
        try buy()
        server.notificationURL = URL(string: "http://second/")
        shop.clock.advance(by: 60)
        #expect(transport.posts.map { $0.url.host() } == ["receiver", "second"])
    }

    // MARK: Sending again

    @Test func `A notification is sent again on request, as a further attempt`() throws {
        let transport = ScriptedTransport(shop.clock, [.success, .timedOut])
        let server = try server(transport) { $0.retries = [60, 60] }
        let view = ServerView(shop.store)
        try buy()
        let notification = try #require(try view.notifications(after: nil, limit: 1).first)
        server.outbox.resend(notification)
        shop.store.settle()
        #expect(try attempts == [["SUCCESS", "TIMED_OUT"]])
        // It failed as any other does: the second of two retries is left.
        shop.clock.advance(by: 3600)
        #expect(try attempts == [["SUCCESS", "TIMED_OUT", "SUCCESS"]])
        #expect(server.outbox.deliveries.lines(after: 0, limit: 9).map(\.manner) == ["normal", "resent", "normal"])
    }

    @Test func `What is sent again is not sent later, too`() throws {
        let transport = ScriptedTransport(shop.clock, [.timedOut])
        let server = try server(transport) { $0.retries = [60, 60] }
        let view = ServerView(shop.store)
        try buy()
        server.outbox.resend(try #require(try view.notifications(after: nil, limit: 1).first))
        shop.store.settle()
        try server.deliverNotifications(with: .late(seconds: 60), times: 1)
        try server.deliverNotifications(with: .reordered, times: 1)
        try buy()
        try buy()
        for notification in try view.notifications(after: nil, limit: 9).dropFirst() {
            server.outbox.resend(notification)
            shop.store.settle()
        }
        shop.clock.advance(by: 3600)
        try buy()
        #expect(try attempts == [["TIMED_OUT", "SUCCESS"], ["SUCCESS"], ["SUCCESS"], ["SUCCESS"]])
        #expect(transport.posts.count == 5)
    }

    // MARK: Logs

    @Test(.timeLimit(.minutes(20)))
    func `Requests and deliveries are told to an observer, which may use the server`() throws {
        let lines = Locked<[String]>([])
        let held = Locked<StoreServer?>(nil)
        let transport = ScriptedTransport(shop.clock)
        let server = try server(transport) { configuration in
            configuration.hasControl = true
            configuration.observer = { line in
                guard let server = held.withLock({ $0 }) else { return }
                let count = server.outbox.deliveries.lines(after: 0, limit: 9).count
                switch line {
                case .request(let request): lines.withLock { $0.append("\(request.method) \(request.path) \(count)") }
                case .delivery(let delivery): lines.withLock { $0.append("\(delivery.type) \(count)") }
                }
            }
        }
        held.withLock { $0 = server }
        try buy()
        let client = try Client(
            port: server.port,
            sending: "GET /inApps/v1/history/1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        )
        _ = client.readToEnd()
        #expect(lines.withLock { $0 } == ["ONE_TIME_CHARGE 1", "GET /inApps/v1/history/1 1"])
        held.withLock { $0 = nil }
    }
}
