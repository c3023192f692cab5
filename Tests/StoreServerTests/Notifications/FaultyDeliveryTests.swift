import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// Notifications that are delivered as a hostile network does, on order.
@Suite(.microHTTPD, .libcrypto) struct FaultyDeliveryTests {
    private let shop: Shop
    private let transport: ScriptedTransport
    private let server: StoreServer

    init() throws {
        shop = try Shop()
        transport = ScriptedTransport(shop.clock)
        server = try Self.server(shop, transport)
    }

    private static func server(
        _ shop: Shop,
        _ transport: any NotificationTransport,
        retries: [TimeInterval] = []
    ) throws -> StoreServer {
        var configuration = StoreServer.Configuration()
        configuration.notificationURL = URL(string: "http://receiver/notifications")
        configuration.transport = transport
        configuration.retries = retries
        configuration.log = .silent
        return try StoreServer(shop.store, configuration: configuration)
    }

    private func buy(_ products: String...) throws {
        for product in products { try shop.account.buy(product) }
        shop.store.settle()
    }

    private func attempts(_ shop: Shop? = nil) throws -> [[String]] {
        try ServerView((shop ?? self.shop).store).notifications(after: nil, limit: 100).map {
            $0.attempts.map(\.result)
        }
    }

    private var deliveries: [DeliveryLine] { server.outbox.deliveries.lines(after: 0, limit: 1000) }

    // MARK: Faults

    @Test func `A notification is posted twice in a row, and is one attempt`() throws {
        try server.deliverNotifications(with: .twice, times: 1)
        try buy("coins", "coins")
        #expect(transport.words == ["ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 2"])
        #expect(transport.posts[0].body == transport.posts[1].body)
        #expect(try attempts() == [["SUCCESS"], ["SUCCESS"]])
        #expect(deliveries.map(\.manner) == ["twice", "twice", "normal"])
        #expect(deliveries.map(\.isAttempt) == [true, false, true])
    }

    @Test func `The first response of two decides, and the second post waits for it`() throws {
        server.retries = [3600]
        try server.deliverNotifications(with: .twice, times: 1)
        transport.holds = true
        try shop.account.buy("coins")
        try transport.waitForPost()
        transport.release(.unsuccessfulStatus)
        try transport.waitForPost()
        transport.release(.success)
        shop.store.settle()
        #expect(try attempts() == [["UNSUCCESSFUL_HTTP_RESPONSE_CODE"]])
        #expect(deliveries.map(\.status) == [500, 200])
        transport.holds = false
        shop.clock.advance(by: 3600)
        #expect(try attempts() == [["UNSUCCESSFUL_HTTP_RESPONSE_CODE", "SUCCESS"]])
    }

    @Test func `A notification is in flight twice at the same time`() throws {
        try server.deliverNotifications(with: .concurrent, times: 1)
        transport.holds = true
        try shop.account.buy("coins")
        try shop.account.buy("coins")
        try transport.waitForPost()
        try transport.waitForPost()
        #expect(transport.words == ["ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 1"])
        #expect(transport.posts[0].body == transport.posts[1].body)
        transport.holds = false
        transport.release(.success)
        shop.store.settle()
        #expect(transport.words.last == "ONE_TIME_CHARGE 2" && transport.posts.count == 3)
        #expect(try attempts() == [["SUCCESS"], ["SUCCESS"]])
    }

    @Test func `Notifications are exchanged in pairs, and a last one waits until the rule is removed`() throws {
        try server.deliverNotifications(with: .reordered)
        for _ in 1...5 { try buy("coins") }
        #expect(transport.words == [2, 1, 4, 3].map { "ONE_TIME_CHARGE \($0)" })
        #expect(deliveries.map(\.manner) == ["normal", "reordered", "normal", "reordered"])
        server.deliverNotificationsNormally()
        shop.store.settle()
        #expect(transport.words.last == "ONE_TIME_CHARGE 5" && transport.posts.count == 5)
        try buy("coins", "coins")
        #expect(transport.words.suffix(2) == ["ONE_TIME_CHARGE 6", "ONE_TIME_CHARGE 7"])
    }

    @Test func `A late notification holds up nothing, and comes by the store's clock`() throws {
        let start = shop.clock.now
        try server.deliverNotifications(with: .late(seconds: 3600), times: 1)
        try buy("coins", "coins")
        #expect(transport.words == ["ONE_TIME_CHARGE 2"])
        shop.clock.advance(by: 7200)
        #expect(transport.words == ["ONE_TIME_CHARGE 2", "ONE_TIME_CHARGE 1"])
        #expect(transport.posts[1].date == start.addingTimeInterval(3600))
        #expect(try attempts() == [["SUCCESS"], ["SUCCESS"]])
    }

    @Test func `A late notification that fails is tried again as any other`() throws {
        server.retries = [60]
        try server.deliverNotifications(with: .late(seconds: 10), times: 1)
        try buy("coins")
        transport.holds = true
        let advance = Thread { [shop] in shop.clock.advance(by: 10) }
        advance.start()
        try transport.waitForPost()
        transport.holds = false
        transport.release(.timedOut)
        shop.store.settle()
        shop.clock.advance(by: 60)
        #expect(try attempts() == [["TIMED_OUT", "SUCCESS"]])
    }

    @Test func `A slow response counts as none, and the notification is sent again`() throws {
        server.retries = [60]
        try server.deliverNotifications(with: .slow, times: 1)
        try buy("coins")
        #expect(try attempts() == [["TIMED_OUT"]])
        #expect(deliveries.map(\.status) == [200] && deliveries.map(\.result) == ["TIMED_OUT"])
        shop.clock.advance(by: 60)
        #expect(try attempts() == [["TIMED_OUT", "SUCCESS"]])
        #expect(deliveries.map(\.manner) == ["slow", "normal"])
    }

    @Test func `The notification before is replayed, whose result is no attempt`() throws {
        let transport = ScriptedTransport(shop.clock, [.success, .success, .timedOut])
        let shop = try Shop()
        let server = try Self.server(shop, transport, retries: [60])
        try server.deliverNotifications(with: .replayed, times: 1)
        for _ in 1...3 { try shop.account.buy("coins") }
        shop.store.settle()
        #expect(transport.words == [1, 2, 1, 3].map { "ONE_TIME_CHARGE \($0)" })
        shop.clock.advance(by: 3600)
        #expect(try attempts(shop) == [["SUCCESS"], ["SUCCESS"], ["SUCCESS"]])
        let lines = server.outbox.deliveries.lines(after: 0, limit: 10)
        #expect(lines.map(\.manner) == ["normal", "normal", "replayed", "normal"])
        #expect(lines.map(\.isAttempt) == [true, true, false, true])
    }

    @Test func `A notification that is never posted has attempts without a response`() throws {
        server.retries = [60, 60]
        try server.deliverNotifications(with: .never, times: 1)
        try buy("coins", "coins")
        shop.clock.advance(by: 3600)
        #expect(transport.words == ["ONE_TIME_CHARGE 2"])
        #expect(try attempts() == [["NO_RESPONSE", "NO_RESPONSE", "NO_RESPONSE"], ["SUCCESS"]])
        #expect(deliveries.filter { $0.manner == "never" }.map(\.status) == [nil, nil, nil])
        #expect(server.deliveryRules.isEmpty)
    }

    @Test func `What is never posted is, at its next retry, once the rules are removed`() throws {
        server.retries = [60, 60]
        try server.deliverNotifications(with: .never)
        try buy("coins")
        server.deliverNotificationsNormally()
        shop.clock.advance(by: 60)
        #expect(try attempts() == [["NO_RESPONSE", "SUCCESS"]])
    }

    // MARK: Forgeries

    @Test(arguments: DeliveryFault.Forgery.allCases)
    func `A forged notification comes before the genuine one`(_ forgery: DeliveryFault.Forgery) throws {
        let shop = try Shop.sandbox(CertificateAuthority(now: ManualClock().now))
        let transport = ScriptedTransport(shop.clock, [.timedOut])
        let server = try Self.server(shop, transport, retries: [60])
        try server.deliverNotifications(with: .forged(forgery), times: 1)
        try shop.account.buy("gold")
        shop.store.settle()
        let posts = transport.posts.compactMap(\.signedPayload)
        let isValid = posts.map { (try? shop.store.payloadSigner.payload(of: $0) { _ in shop.clock.now }) != nil }
        let isSound = forgery == .wrongEnvironment || forgery == .wrongBundleIdentifier
        #expect(isValid == [isSound, true])
        let (forged, genuine) = (transport.posts[0].payload, transport.posts[1].payload)
        #expect(forged.notificationUUID.text == genuine.notificationUUID.text)
        #expect(forged.notificationType.text == (forgery == .changedPayload ? "REFUND" : "SUBSCRIBED"))
        let environment = forgery == .wrongEnvironment ? "Production" : "Sandbox"
        let bundle = Shop.bundleIdentifier + (forgery == .wrongBundleIdentifier ? ".other" : "")
        let inner = forged.data.signedTransactionInfo.payload
        #expect(forged.data.environment.text == environment && inner.environment.text == environment)
        #expect(forged.data.signedRenewalInfo.payload.environment.text == environment)
        #expect(forged.data.bundleId.text == bundle && inner.bundleId.text == bundle)
        #expect(genuine.data.environment.text == "Sandbox" && genuine.data.bundleId.text == Shop.bundleIdentifier)
        // The result of the forged one is no attempt, and brings about no retry.
        shop.clock.advance(by: 3600)
        #expect(try attempts(shop) == [["SUCCESS"]])
        #expect(server.outbox.deliveries.lines(after: 0, limit: 9).map(\.manner) == [forgery.rawValue, "normal"])
    }

    @Test func `A foreign root has another key, and signs what is inside as well`() throws {
        let shop = try Shop.sandbox(CertificateAuthority(now: ManualClock().now))
        let transport = ScriptedTransport(shop.clock)
        let server = try Self.server(shop, transport)
        try server.deliverNotifications(with: .forged(.foreignRoot))
        try shop.account.buy("coins")
        shop.store.settle()
        let inner = transport.posts.compactMap(\.payload.data.signedTransactionInfo.text)
        let isValid = inner.map { (try? shop.store.payloadSigner.payload(of: $0) { _ in shop.clock.now }) != nil }
        #expect(isValid == [false, true])
    }

    @Test func `A store without certificates has no foreign root, but every other forgery`() throws {
        let error = #expect(throws: StoreServerError.self) {
            try server.deliverNotifications(with: .forged(.foreignRoot))
        }
        #expect(error?.description.contains("no chain of certificates") == true)
        for forgery in DeliveryFault.Forgery.allCases where forgery != .foreignRoot {
            try server.deliverNotifications(with: .forged(forgery), times: 1)
            try buy("coins")
        }
        #expect(transport.posts.count == 6 && server.deliveryRules.isEmpty)
    }

    // MARK: Rules

    @Test func `The first rule that a notification satisfies applies, as often as it says`() throws {
        try server.deliverNotifications(with: .twice, times: 1, ofType: "SUBSCRIBED")
        try server.deliverNotifications(with: .never, times: 2)
        try server.deliverNotifications(with: .slow, ofType: "ONE_TIME_CHARGE")
        try buy("coins", "gold", "coins", "coins", "daily")
        #expect(
            deliveries.map { "\($0.type) \($0.manner)" } == [
                "ONE_TIME_CHARGE never", "SUBSCRIBED twice", "SUBSCRIBED twice", "ONE_TIME_CHARGE never",
                "ONE_TIME_CHARGE slow", "SUBSCRIBED normal",
            ]
        )
        #expect(server.deliveryRules == [DeliveryRule(fault: .slow, times: nil, type: "ONE_TIME_CHARGE")])
    }

    @Test func `A rule that no store can follow is refused`() throws {
        let error = #expect(throws: StoreServerError.self) {
            try server.deliverNotifications(with: .twice, ofType: "DID_RENW")
        }
        #expect(error?.description == "\"DID_RENW\" is not a type of notifications; did you mean \"DID_RENEW\"?")
        for seconds in [-1, .nan, .infinity, 1e12] {
            #expect(throws: StoreServerError.self) { try server.deliverNotifications(with: .late(seconds: seconds)) }
        }
        #expect(throws: StoreServerError.self) { try server.deliverNotifications(with: .twice, times: 0) }
        #expect(server.deliveryRules.isEmpty)
    }

    // MARK: Stopping

    /// A transport that stops a server at the first post, as a test may.
    private final class StoppingTransport: NotificationTransport {
        private let inner: ScriptedTransport
        let server = Locked<StoreServer?>(nil)

        init(_ inner: ScriptedTransport) { self.inner = inner }

        func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
            server.withLock { $0.take() }?.stop()
            inner.post(body, to: url, reply: reply)
        }
    }

    private static let faults: [(DeliveryFault, posts: Int, later: [String])] = [
        (.twice, 1, ["2"]), (.concurrent, 2, ["2"]), (.reordered, 1, ["1"]), (.late(seconds: 60), 1, ["1"]),
        (.slow, 1, ["2", "1"]), (.forged(.changedPayload), 1, ["1", "2"]), (.never, 1, ["1"]),
    ]

    @Test(arguments: faults)
    func `A server that is stopped in a delivery sends no more, and the next one what has no response`(
        _ fault: DeliveryFault,
        posts: Int,
        later: [String]
    ) throws {
        let ledger = MemoryLedger()
        let shop = try Shop(ledger: ledger)
        let first = ScriptedTransport(shop.clock)
        let stopping = StoppingTransport(first)
        let server = try Self.server(shop, stopping, retries: [3600])
        try server.deliverNotifications(with: fault, times: 1)
        stopping.server.withLock { $0 = server }
        for _ in 1...2 { try shop.account.buy("coins") }
        shop.store.settle()
        shop.clock.advance(by: 60)
        #expect(first.posts.count == posts)

        let reopened = try Shop(ledger: ledger)
        let second = ScriptedTransport(reopened.clock)
        let next = try Self.server(reopened, second, retries: [3600])
        reopened.store.settle()
        reopened.clock.advance(by: 2 * 3600)
        #expect(second.words == later.map { "ONE_TIME_CHARGE \($0)" })
        withExtendedLifetime((server, next)) {}
    }

    @Test func `A server that is stopped in a replay has recorded the notification before it`() throws {
        let ledger = MemoryLedger()
        let shop = try Shop(ledger: ledger)
        let first = ScriptedTransport(shop.clock)
        let stopping = StoppingTransport(first)
        let server = try Self.server(shop, stopping)
        try shop.account.buy("coins")
        shop.store.settle()
        try server.deliverNotifications(with: .replayed)
        stopping.server.withLock { $0 = server }
        try shop.account.buy("coins")
        shop.store.settle()
        #expect(first.words == ["ONE_TIME_CHARGE 1", "ONE_TIME_CHARGE 2"])
        #expect(try attempts(shop) == [["SUCCESS"], ["SUCCESS"]])
    }
}
