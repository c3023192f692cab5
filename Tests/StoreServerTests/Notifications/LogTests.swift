import Foundation
import StoreCore
import Testing

@testable import StoreServer

@Suite(.libcrypto) struct LogTests {
    @Test func `The log names what could not be done, and nothing of whom or what`() throws {
        let lines = Locked<[String]>([])
        let ledger = BrokenLedger()
        let shop = try Shop(signer: { _ in FailingSigner() }, ledger: ledger)
        let view = ServerView(shop.store)
        try view.beginNotifications()
        let outbox = NotificationOutbox(
            view,
            url: try #require(URL(string: "http://user:password@receiver/path")),
            delays: [],
            transport: ScriptedTransport(shop.clock),
            log: StoreLog { line in lines.withLock { $0.append(line) } }
        )
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
        let lines = Locked<[String]>([])
        let shop = try Shop(signer: { _ in HMACReceiptSigner(key: Data("a key of tests".utf8)) })
        let view = ServerView(shop.store)
        try view.beginNotifications()
        let outbox = NotificationOutbox(
            view,
            url: try #require(URL(string: "http://user:password@receiver/path")),
            delays: [60],
            transport: ScriptedTransport(shop.clock, [.timedOut]),
            log: StoreLog { line in lines.withLock { $0.append(line) } }
        )
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
        let lines = Locked<[String]>([])
        let ledger = BrokenLedger()
        let shop = try Shop(ledger: ledger)
        let clock = shop.clock
        let router = ServerRouter(
            shop.store,
            key: shop.key,
            log: StoreLog { line in lines.withLock { $0.append(line) } },
            now: { clock.now }
        )
        ledger.isBroken = true
        let headers = ["Authorization": "Bearer \(try shop.key.token(shop.claims))"]
        #expect(router.respond(to: HTTPRequest("GET", "/inApps/v1/transactions/1", headers: headers)).status == 500)
        #expect(lines.withLock { $0 } == ["the server API answers with error 5000000: Failure()"])
    }
}
