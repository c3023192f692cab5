import Foundation
import StoreCore
import Testing

@testable import StoreServer

@Suite(.libcrypto) struct LogTests {
    private let lines = Locked<[String]>([])

    private var log: StoreLog { StoreLog { [lines] line in lines.withLock { $0.append(line) } } }

    /// Returns an outbox whose deliveries have such results, and else succeed.
    private func outbox(
        _ shop: Shop,
        delays: [TimeInterval] = [],
        _ results: [SendAttemptResult] = []
    ) throws -> (view: ServerView, outbox: NotificationOutbox) {
        let view = ServerView(shop.store)
        try view.beginNotifications()
        let url = try #require(URL(string: "http://user:password@receiver/path"))
        let transport = ScriptedTransport(shop.clock, results)
        return (view, NotificationOutbox(view, url: url, delays: delays, transport: transport, log: log))
    }

    @Test func `The log names what could not be done, and nothing of whom or what`() throws {
        let ledger = BrokenLedger()
        let shop = try Shop(signer: { _ in FailingSigner() }, ledger: ledger)
        let (_, outbox) = try outbox(shop)
        try shop.account.buy("coins", applicationUsername: "somebody")
        ledger.isBroken = true
        outbox.start()
        shop.store.settle()
        #expect(lines.withLock { $0 } == ["notifications wait: the ledger cannot be read: Failure()"])
        ledger.isBroken = false
        shop.clock.advance(by: 60)
        #expect(lines.withLock { $0.last } == "a notification cannot be signed: Failure()")
        #expect(lines.withLock { $0.count } == 2)
        withExtendedLifetime(outbox) {}
    }

    @Test func `A delivery that failed leaves a line with the reason`() throws {
        let shop = try Shop(signer: { _ in HMACReceiptSigner(key: Data("a key of tests".utf8)) })
        let (view, outbox) = try outbox(shop, delays: [60], [.timedOut])
        outbox.start()
        try shop.account.buy("coins", applicationUsername: "somebody")
        shop.store.settle()
        let notification = try #require(try view.notifications(after: nil, limit: 1).first)
        let line = "the notification ONE_TIME_CHARGE \(notification.identifier) was not delivered: TIMED_OUT"
        #expect(lines.withLock { $0 } == [line])
        shop.clock.advance(by: 60)
        #expect(try view.notifications(after: nil, limit: 1).first?.attempts.map(\.result) == ["TIMED_OUT", "SUCCESS"])
        #expect(lines.withLock { $0 } == [line])
        withExtendedLifetime(outbox) {}
    }

    @Test func `An internal error of the API leaves a line with the reason`() throws {
        let ledger = BrokenLedger()
        let shop = try Shop(ledger: ledger)
        let clock = shop.clock
        let router = ServerRouter(shop.store, key: shop.key, log: log, now: { clock.now })
        ledger.isBroken = true
        let headers = ["Authorization": "Bearer \(try shop.key.token(shop.claims))"]
        #expect(router.respond(to: HTTPRequest("GET", "/inApps/v1/transactions/1", headers: headers)).status == 500)
        #expect(lines.withLock { $0 } == ["the server API answers with error 5000000: Failure()"])
    }
}
