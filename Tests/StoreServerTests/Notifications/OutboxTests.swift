import Foundation
import StoreCore
import StoreCrypto
import StoreSQLite
import Testing

@testable import StoreServer

/// What sends notifications to a server.
@Suite(.libcrypto) struct OutboxTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    /// The outboxes of the test, which end with it.
    private let kept = Locked<[NotificationOutbox]>([])

    @discardableResult
    private func outbox(
        _ shop: Shop,
        _ transport: any NotificationTransport,
        delays: [TimeInterval] = NotificationOutbox.productionDelays
    ) throws -> NotificationOutbox {
        let view = ServerView(shop.store)
        try view.beginNotifications()
        let outbox = NotificationOutbox(
            view,
            url: URL(string: "http://receiver/notifications"),
            delays: delays,
            transport: transport,
            log: .silent
        )
        outbox.start()
        shop.store.settle()
        kept.withLock { $0.append(outbox) }
        return outbox
    }

    @Test func `Whoever settles finds every notification posted, in order, and recorded`() throws {
        let transport = ScriptedTransport(shop.clock)
        try outbox(shop, transport)
        try shop.account.buy("gold")
        try shop.account.buy("coins")
        try shop.account.setAutoRenew(false, inGroup: "metals")
        shop.store.settle()
        #expect(transport.types == ["SUBSCRIBED", "ONE_TIME_CHARGE", "DID_CHANGE_RENEWAL_STATUS"])
        #expect(transport.posts.allSatisfy { $0.url.absoluteString == "http://receiver/notifications" })
        let attempts = try ServerView(shop.store).notifications(after: nil, limit: 10).map { $0.attempts.map(\.result) }
        #expect(attempts == [["SUCCESS"], ["SUCCESS"], ["SUCCESS"]])
        shop.clock.advance(by: 40 * 86_400)
        #expect(transport.types.last == "EXPIRED")
    }

    @Test func `A renewal is told at its time, with nobody else using the store`() throws {
        let transport = ScriptedTransport(shop.clock)
        try outbox(shop, transport)
        try shop.account.buy("gold")
        shop.clock.advance(by: 65 * 86_400)
        #expect(transport.types == ["SUBSCRIBED", "DID_RENEW", "DID_RENEW"])
        #expect(transport.posts[1].date.timeIntervalSince1970 == 1_738_368_000)
    }

    @Test func `A failed delivery is tried again after 1, 12, 24, 48 and 72 hours, then no more`() throws {
        let transport = ScriptedTransport(shop.clock, Array(repeating: .timedOut, count: 10))
        try outbox(shop, transport)
        let start = shop.clock.now
        try shop.account.buy("coins")
        shop.store.settle()
        shop.clock.advance(by: 30 * 86_400)
        #expect(transport.posts.map { $0.date.timeIntervalSince(start) / 3600 } == [0, 1, 13, 37, 85, 157])
        #expect(Set(transport.posts.map(\.payload.notificationUUID.text)).count == 1)
        let attempts = try ServerView(shop.store).notifications(after: nil, limit: 10)[0].attempts
        #expect(attempts.map(\.result) == Array(repeating: "TIMED_OUT", count: 6))
        #expect(attempts.map(\.date) == transport.posts.map(\.date))
    }

    @Test func `What fails does not hold up what follows, and succeeds once`() throws {
        let transport = ScriptedTransport(shop.clock, [.socketIssue, .success, .success])
        try outbox(shop, transport)
        try shop.account.buy("coins")
        try shop.account.buy("gold")
        shop.store.settle()
        #expect(transport.types == ["ONE_TIME_CHARGE", "SUBSCRIBED"])
        shop.clock.advance(by: 10 * 86_400)
        #expect(transport.types == ["ONE_TIME_CHARGE", "SUBSCRIBED", "ONE_TIME_CHARGE"])
    }

    @Test func `A transport that replies twice is heard once`() throws {
        let transport = ScriptedTransport(shop.clock)
        transport.repeatsReplies = true
        try outbox(shop, transport)
        for _ in 0..<5 { try shop.account.buy("coins") }
        shop.store.settle()
        let view = ServerView(shop.store)
        #expect(transport.posts.count == 5)
        #expect(try view.notifications(after: nil, limit: 10).map(\.attempts.count) == [1, 1, 1, 1, 1])
    }

    @Test func `Without delays each is sent once`() throws {
        let transport = ScriptedTransport(shop.clock, [.unsuccessfulStatus])
        try outbox(shop, transport, delays: [])
        try shop.account.buy("coins")
        shop.clock.advance(by: 30 * 86_400)
        #expect(transport.types == ["ONE_TIME_CHARGE"])
    }

    @Test func `What happened before notifications began is not told`() throws {
        try shop.buy("coins")
        let transport = ScriptedTransport(shop.clock)
        try outbox(shop, transport)
        try shop.buy("gold")
        #expect(transport.types == ["SUBSCRIBED"])
    }

    @Test func `A stopped outbox sends nothing, and the next one goes on with the same identifiers`() throws {
        let transport = ScriptedTransport(shop.clock, [.success, .noResponse])
        let first = try outbox(shop, transport)
        try shop.account.buy("coins")
        try shop.account.buy("coins")
        shop.store.settle()
        first.stop(waits: true)
        try shop.account.buy("gold")
        shop.clock.advance(by: 1800)
        #expect(transport.types.count == 2)
        try outbox(shop, transport)
        // The one that was never sent at once, the one that failed when it is due.
        #expect(transport.types.count == 3 && transport.types.last == "SUBSCRIBED")
        shop.clock.advance(by: 1800)
        let identifiers = transport.posts.map(\.payload.notificationUUID.text)
        #expect(identifiers.count == 4 && identifiers[3] == identifiers[1])
        #expect(Set(identifiers).count == 3)
    }

    @Test func `A transport that blocks does not keep an outbox from being stopped`() throws {
        let transport = BlockingTransport()
        let outbox = try outbox(shop, transport)
        try shop.account.buy("coins")
        transport.waitForPost()
        outbox.stop(waits: true, atMost: 0.05)
        #expect(!transport.hasReturned)
        transport.release()
        shop.store.settle()
    }

    /// A transport that returns when it is told to, or after a minute.
    private final class BlockingTransport: NotificationTransport {
        private let begun = DispatchSemaphore(value: 0)
        private let end = DispatchSemaphore(value: 0)
        private let state = Locked(false)

        var hasReturned: Bool { state.withLock { $0 } }

        func post(_ body: Data, to url: URL, reply: @escaping @Sendable (SendAttemptResult, Int?) -> Void) {
            begun.signal()
            _ = end.wait(timeout: .now() + 60)
            state.withLock { $0 = true }
            reply(.success, 200)
        }

        func waitForPost() { begun.wait() }
        func release() { end.signal() }
    }

    @Test func `A delivery that a killed process made without a record is made again under its identifier`() throws {
        let killed = ScriptedTransport(shop.clock)
        killed.holds = true
        let first = try Gone(outbox: outbox(shop, killed))
        try shop.account.buy("coins")
        // It settles only once there is a reply: the process ends before.
        try killed.waitForPost()
        first.outbox.stop(waits: false)

        let reopened = try Shop(ledger: shop.ledger)
        let transport = ScriptedTransport(reopened.clock)
        let second = try outbox(reopened, transport)
        #expect(transport.types == ["ONE_TIME_CHARGE"])
        #expect(transport.posts[0].payload.notificationUUID.text == killed.posts[0].payload.notificationUUID.text)
        killed.release(.success)
        shop.store.settle()
        withExtendedLifetime((first, second)) {}
    }

    private struct Gone {
        let outbox: NotificationOutbox
    }

    @Test(.sqlite) func `Retries go on in another process's file`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "StoreServer-\(UUID()).sqlite")
        defer {
            for end in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: file.path(percentEncoded: false) + end)
            }
        }
        var identifier: String?
        do {
            let database = try SQLiteDatabase(at: file)
            let shop = try Shop(ledger: database.ledger)
            let transport = ScriptedTransport(shop.clock, [.prematureClose])
            let outbox = try outbox(shop, transport)
            try shop.account.buy("coins")
            shop.store.settle()
            identifier = transport.posts.first?.payload.notificationUUID.text
            outbox.stop(waits: true)
            database.close()
        }
        let database = try SQLiteDatabase(at: file)
        let shop = try Shop(ledger: database.ledger)
        let transport = ScriptedTransport(shop.clock)
        let outbox = try outbox(shop, transport)
        #expect(transport.posts.isEmpty)
        shop.clock.advance(by: 3600)
        #expect(transport.posts.map(\.payload.notificationUUID.text) == [identifier])
        #expect(identifier != nil)
        outbox.stop(waits: true)
        database.close()
    }

    @Test func `A ledger that cannot be read is read again a minute later, and nothing is lost`() throws {
        let ledger = BrokenLedger()
        let shop = try Shop(ledger: ledger)
        let transport = ScriptedTransport(shop.clock)
        try outbox(shop, transport)
        try shop.account.buy("coins")
        ledger.isBroken = true
        shop.store.settle()
        ledger.isBroken = false
        shop.clock.advance(by: 120)
        #expect(Set(transport.posts.map(\.payload.notificationUUID.text)).count == 1)
    }

    @Test func `A notification that cannot be signed is tried again like any other`() throws {
        let shop = try Shop(signer: { _ in FailingSigner() })
        let transport = ScriptedTransport(shop.clock)
        try outbox(shop, transport)
        try shop.account.buy("coins")
        shop.store.settle()
        shop.clock.advance(by: 30 * 86_400)
        #expect(transport.posts.isEmpty)
        let attempts = try ServerView(shop.store).notifications(after: nil, limit: 10)[0].attempts
        #expect(attempts.map(\.result) == Array(repeating: "OTHER", count: 6))
    }
}
