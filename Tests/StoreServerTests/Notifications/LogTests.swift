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
        #expect(lines.withLock { $0 } == ["notifications wait: the ledger cannot be read"])
        ledger.isBroken = false
        shop.clock.advance(by: 60)
        #expect(lines.withLock { $0.last } == "a notification cannot be signed")
        #expect(lines.withLock { $0.count } == 2)
        withExtendedLifetime(outbox) {}
    }
}
