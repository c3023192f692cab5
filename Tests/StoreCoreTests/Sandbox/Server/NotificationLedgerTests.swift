import Foundation
import StoreCore
import Testing

/// Notifications as a ledger keeps them.
@Suite struct NotificationLedgerTests {
    /// A shop in which something of everything has happened.
    private func eventful() throws -> NotifiedShop {
        let shop = try NotifiedShop(OfferShop.products)
        let account = shop.account
        try account.buy("sword", applicationUsername: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        try account.redeem(code: "FOR.NEW", of: "gold")
        try account.buy("news")
        shop.advance(to: "2025-04-10T00:00:00Z")
        try account.setBillingFails(true)
        shop.advance(to: "2025-05-10T00:00:00Z")
        try account.resolveBillingIssue(inGroup: "metals")
        try account.expireSubscription(inGroup: "metals")
        try shop.store.refund("1")
        _ = try shop.view.requestTestNotification()
        return shop
    }

    private func comparable(_ notification: ServerNotification) -> [String] {
        [
            "\(notification.position.record) \(notification.position.index)", notification.identifier.uuidString,
            notification.words, "\(notification.date)", notification.testToken ?? "",
            notification.transaction.map { String(decoding: $0.json, as: UTF8.self) } ?? "",
            notification.renewal.map { String(decoding: $0.json, as: UTF8.self) } ?? "",
            notification.status.map { "\($0)" } ?? "", "\(notification.attempts)",
        ]
    }

    @Test func `Another store on the ledger has the same notifications, and the same attempts`() throws {
        let shop = try eventful()
        let all = try shop.all
        #expect(all.count > 10)
        #expect(Set(all.map(\.identifier)).count == all.count)
        try shop.view.recordAttempt("TIMED_OUT", at: all[3].position)
        shop.store.advance(by: 3600)
        try shop.view.recordAttempt("SUCCESS", at: all[3].position)
        let (copy, _) = try LedgerCopy.rewritten(shop.market.ledger)
        let other = ServerView(try SandboxStore(clock: shop.market.clock, ledger: copy, locale: "en_US"))
        let found = try other.notifications(after: nil, limit: .max)
        #expect(found.map(comparable) == (try shop.all.map(comparable)))
        #expect(found[3].attempts.map(\.result) == ["TIMED_OUT", "SUCCESS"])
        #expect(found[3].attempts.map(\.date) == [shop.market.clock.now - 3600, shop.market.clock.now])
        #expect(found[2].attempts.isEmpty)
    }

    @Test func `Each payload is as the store said at that moment`() throws {
        let shop = try NotifiedShop(OfferShop.products)
        var said: [TransactionPayload?] = []
        var renewals: [RenewalPayload?] = []
        func note(after act: () throws -> Void) throws {
            try act()
            let last = try #require(try shop.view.subscriptions(of: "1")?.first?.subscriptions.first)
            said.append(last.transaction.payload)
            renewals.append(last.renewal.payload)
        }
        try note { try shop.account.buy("gold") }
        try note { shop.advance(to: "2025-01-08T00:00:00Z") }
        try note { try shop.account.setAutoRenew(false, inGroup: "metals") }
        try note { shop.advance(to: "2025-02-08T00:00:00Z") }
        #expect(try shop.all.map(\.transaction) == said && shop.all.map(\.renewal) == renewals)
        #expect(renewals.last??.eligibleWinBackOfferIds == ["come.back"])
    }

    @Test func `Two records of one change, and two notifications of one record, have different places`() throws {
        let shop = try NotifiedShop()
        try shop.account.buy("gold.monthly")
        try shop.account.setAutoRenew(false, inGroup: "metals")
        try shop.account.buy("silver.monthly")
        let last = try shop.all.suffix(2)
        let words = ["DID_CHANGE_RENEWAL_PREF DOWNGRADE #1", "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED #1"]
        #expect(last.map(\.words) == words)
        #expect(Set(last.map(\.position.record)).count == 1)
        #expect(last.map(\.position.index) == [0, 1])
        #expect(Set(last.map(\.identifier)).count == 2)
        let first = try #require(last.first)
        #expect(try shop.view.notifications(after: first.position, limit: 5).map(\.words) == [last.last?.words])
        #expect(try shop.view.notifications(after: last.last?.position, limit: 5).isEmpty)
    }

    @Test func `They come in pages, oldest first`() throws {
        let shop = try NotifiedShop()
        for _ in 0..<10 { try shop.account.buy("sword") }
        var found: [String] = []
        var last: ServerNotification.Position?
        while true {
            let page = try shop.view.notifications(after: last, limit: 3)
            guard let end = page.last else { break }
            found += page.map(\.words)
            last = end.position
        }
        #expect(found == (1...10).map { "ONE_TIME_CHARGE #\($0)" })
        #expect(try shop.view.notifications(after: nil, limit: 0).isEmpty)
    }

    @Test func `Nothing is told of what was before they began, and they begin once`() throws {
        let market = try Market()
        let view = ServerView(market.store)
        try market.store.account.buy("sword")
        #expect(try view.notifications(after: nil, limit: 10).isEmpty)
        _ = try view.requestTestNotification()
        #expect(try view.notifications(after: nil, limit: 10).map(\.type) == ["TEST"])
        try view.beginNotifications()
        let head = try market.ledger.head
        try view.beginNotifications()
        #expect(try market.ledger.head == head)
        try market.store.account.buy("sword")
        #expect(try view.notifications(after: nil, limit: 10).map(\.words) == ["TEST", "ONE_TIME_CHARGE #2"])
    }

    @Test func `An attempt at what is no notification is not recorded`() throws {
        let shop = try NotifiedShop()
        let head = try shop.market.ledger.head
        try shop.view.recordAttempt("SUCCESS", at: .init(record: 1, index: 0))
        #expect(try shop.market.ledger.head == head)
    }

    @Test func `A record that is lost is not told of, and the others keep their identifiers`() throws {
        let shop = try NotifiedShop()
        for _ in 0..<3 { try shop.account.buy("sword") }
        let all = try shop.all
        var records = try shop.market.ledger.read(after: 0, limit: 100)
        records[all[1].position.record - 1] = .unreadable
        let rest = MemoryLedger()
        #expect(rest.append(records, ifHeadIs: 0))
        let view = ServerView(try SandboxStore(clock: shop.market.clock, ledger: rest, locale: "en_US"))
        let found = try view.notifications(after: nil, limit: 10)
        #expect(found.map(\.identifier) == [all[0].identifier, all[2].identifier])
    }

    @Test func `A listener hears of what happens, and is not kept`() throws {
        final class Listener: HistoryListener {
            let count = Locked(0)
            func historyChanged() { count.withLock { $0 += 1 } }
        }
        let shop = try NotifiedShop()
        var listener: Listener? = Listener()
        weak let kept = listener
        shop.view.follow(try #require(listener))
        try shop.account.buy("sword")
        #expect(listener?.count.withLock { $0 } == 1)
        listener = nil
        #expect(kept == nil)
        try shop.account.buy("sword")
    }
}
