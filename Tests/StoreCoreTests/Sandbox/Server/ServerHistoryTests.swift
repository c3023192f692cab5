import Foundation
import StoreCore
import TestSupport
import Testing

/// The pages of an account's history that a server is given.
@Suite struct ServerHistoryTests {
    private let market: Market
    private let view: ServerView
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.store.account }

    init() throws { (market, view) = try Market.withView() }

    private func identifiers(_ page: ServerHistoryPage?) -> [String] {
        page?.transactions.map(\.payload.transactionId) ?? []
    }

    private func page(_ query: ServerHistoryQuery) throws -> ServerHistoryPage { try #require(try view.history(query)) }

    /// All that a query finds, page by page.
    private func all(_ query: ServerHistoryQuery) throws -> [String] {
        var query = query
        var found: [String] = []
        while true {
            let page = try #require(try view.history(query))
            found += identifiers(page)
            query.revision = page.revision
            if !page.hasMore { return found }
            #expect(page.transactions.count == query.limit)
        }
    }

    @Test func `Everything is there, finished consumables and renewals too`() throws {
        let app = App(on: store, buying: "sword", "gold.monthly", "silver.monthly")
        try account.buy("full.game")
        market.advance(to: "2025-02-01T00:00:00Z")
        app.restore()
        // The third changed what comes after the period, and the restored ones repeat others.
        let first = try page(ServerHistoryQuery(of: "1", limit: 2))
        #expect(identifiers(first) == ["1", "2"] && first.hasMore)
        let second = try page(ServerHistoryQuery(of: "4", revision: first.revision, limit: 2))
        #expect(identifiers(second) == ["4", "5"] && !second.hasMore)
        #expect(try view.history(ServerHistoryQuery(of: "77"))?.revision == nil)
        #expect(second.transactions.last?.payload == (try view.transaction("5")?.payload))
        #expect(try second.transactions.last?.jws.isEmpty == false)
    }

    @Test func `After a refund the last revision shows what changed`() throws {
        for _ in 0..<3 { try account.buy("sword") }
        let whole = try page(ServerHistoryQuery(of: "1"))
        #expect(identifiers(whole) == ["1", "2", "3"])
        let again = try page(ServerHistoryQuery(of: "1", revision: whole.revision))
        #expect(identifiers(again) == [] && again.revision == whole.revision)
        try store.refund("1")
        let changed = try page(ServerHistoryQuery(of: "1", revision: again.revision))
        #expect(identifiers(changed) == ["1"] && changed.transactions.first?.payload.revocationDate != nil)
        #expect(try all(ServerHistoryQuery(of: "1", limit: 1)) == ["2", "3", "1"])
        try store.reverseRefund(of: "1")
        let back = try page(ServerHistoryQuery(of: "1", revision: changed.revision))
        #expect(back.transactions.map(\.payload.revocationDate) == [nil])
        #expect(identifiers(back) == ["1"])
    }

    @Test func `An upgrade, an extension, a token and a period cut short each move a transaction to the end`() throws {
        try account.buy("silver.monthly", "silver.monthly", "sword")
        var revision = try page(ServerHistoryQuery(of: "1")).revision
        func changed() throws -> [String] {
            let page = try page(ServerHistoryQuery(of: "1", revision: revision))
            revision = page.revision
            return identifiers(page)
        }
        try account.buy("gold.monthly")
        // The purchase that it replaces; buying it again made none.
        #expect(try changed() == ["1", "4"])
        _ = try view.extendRenewal(of: "1", days: 3, reason: 0, request: "r")
        #expect(try changed() == ["4"])
        try view.setAppAccountToken(UUID(), ofOriginal: "1")
        #expect(try changed() == ["1", "4"])
        try account.expireSubscription(inGroup: "metals")
        #expect(try changed() == ["4"])
        #expect(try all(ServerHistoryQuery(of: "3", limit: 1)) == ["3", "1", "4"])
    }

    @Test func `Newest first, the pages go the other way`() throws {
        for _ in 0..<5 { try account.buy("sword") }
        try store.refund("2")
        #expect(try all(ServerHistoryQuery(of: "1", limit: 2, sort: .descending)) == ["2", "5", "4", "3", "1"])
        let last = try page(ServerHistoryQuery(of: "1", limit: 9, sort: .descending))
        let after = ServerHistoryQuery(of: "1", revision: last.revision, sort: .descending)
        #expect(try view.history(after)?.transactions.isEmpty == true)
    }

    @Test(arguments: ["", "n", "n9", "n-1", "o1", "r1", "7", "n01"])
    func `A revision that the store has not given is refused`(revision: String) throws {
        for _ in 0..<3 { try account.buy("sword") }
        #expect(throws: ServerRefusal.invalidRevision(revision)) {
            try view.history(ServerHistoryQuery(of: "1", revision: revision))
        }
    }

    @Test func `Every filter leaves out what it does not name`() throws {
        let bob = try store.addAccount("bob")
        try store.addFamily("smiths", organizer: bob).add(account)
        try account.buy("sword")  // 1
        try market.at("2025-01-02T00:00:00Z").account.buy("full.game")  // 2
        try market.at("2025-01-03T00:00:00Z").account.buy("lessons")  // 3
        try account.buy("gold.monthly")  // 4
        try bob.buy("tv.monthly")  // 5, shared as 6
        try store.refund("1")
        func found(_ change: (inout ServerHistoryQuery) -> Void) throws -> [String] {
            var query = ServerHistoryQuery(of: "2", limit: 1)
            change(&query)
            return try all(query)
        }
        #expect(try found { _ in } == ["2", "3", "4", "6", "1"])
        #expect(try found { $0.startDate = Market.date("2025-01-02T00:00:00Z") } == ["2", "3", "4", "6"])
        #expect(try found { $0.endDate = Market.date("2025-01-03T00:00:00Z") } == ["2", "1"])
        #expect(try found { $0.productIdentifiers = ["sword"] } == ["1"])
        #expect(try found { $0.productIdentifiers = ["sword", "full.game", "none"] } == ["2", "1"])
        #expect(try found { $0.productIdentifiers = ["none"] } == [])
        #expect(try found { $0.productTypes = [.consumable] } == ["1"])
        #expect(try found { $0.productTypes = [.nonRenewing, .autoRenewable] } == ["3", "4", "6"])
        #expect(try found { $0.productTypes = [.nonConsumable] } == ["2"])
        #expect(try found { $0.groups = ["metals"] } == ["4"])
        #expect(try found { $0.groups = ["metals", "plans"] } == ["4", "6"])
        #expect(try found { $0.ownership = .familyShared } == ["6"])
        #expect(try found { $0.ownership = .purchased } == ["2", "3", "4", "1"])
        #expect(try found { $0.isRevoked = true } == ["1"])
        #expect(try found { $0.isRevoked = false } == ["2", "3", "4", "6"])
        let newest = ServerHistoryQuery(of: "2", limit: 1, sort: .descending, groups: ["metals", "plans"])
        #expect(try all(newest) == ["6", "4"])
    }

    @Test func `Purchases by the thousand come page by page, each once`() throws {
        let count = rounds(1_000, thoroughly: 10_000)
        for number in 0..<count { try account.buy(number % 100 == 0 ? "shield" : "sword") }
        #expect(try all(ServerHistoryQuery(of: "1", limit: 200)) == (1...count).map { "\($0)" })
        let shields = try all(ServerHistoryQuery(of: "1", limit: 20, productIdentifiers: ["shield"], sort: .descending))
        #expect(shields == (0..<count / 100).reversed().map { "\($0 * 100 + 1)" })
        let both = ServerHistoryQuery(of: "1", limit: 20, productIdentifiers: ["shield", "sword"])
        #expect(identifiers(try view.history(both)) == (1...20).map { "\($0)" })
    }

    @Test func `What was deleted is not there any more`() throws {
        for _ in 0..<3 { try account.buy("sword") }
        try store.deleteTransaction("2")
        #expect(try all(ServerHistoryQuery(of: "1")) == ["1", "3"])
        #expect(try view.history(ServerHistoryQuery(of: "2"))?.revision == nil)
    }

    // MARK: Refunds

    @Test func `Refunds come in their order, page by page, without what the family lost`() throws {
        let bob = try store.addAccount("bob")
        let family = try store.addFamily("smiths", organizer: bob)
        try family.add(account)
        for _ in 0..<3 { try account.buy("sword") }
        try bob.buy("album")  // shared as 5
        #expect(identifiers(try view.refunds(of: "1", after: nil, limit: 5)) == [])
        for number in ["3", "1"] { try store.refund(number) }
        try family.remove(account)
        try store.refund("2")
        let first = try #require(try view.refunds(of: "1", after: nil, limit: 2))
        #expect(identifiers(first) == ["3", "1"] && first.hasMore)
        let second = try #require(try view.refunds(of: "1", after: first.revision, limit: 2))
        #expect(identifiers(second) == ["2"] && !second.hasMore)
        #expect(identifiers(try view.refunds(of: "1", after: second.revision, limit: 2)) == [])
        try store.reverseRefund(of: "1")
        #expect(identifiers(try view.refunds(of: "1", after: nil, limit: 5)) == ["3", "2"])
        try store.refund("1")
        #expect(identifiers(try view.refunds(of: "1", after: second.revision, limit: 2)) == ["1"])
        #expect(try view.refunds(of: "99", after: nil, limit: 5)?.revision == nil)
        #expect(throws: ServerRefusal.invalidRevision("n1")) { try view.refunds(of: "1", after: "n1", limit: 5) }
    }

    // MARK: Cleared transactions

    @Test(arguments: [1, 3])
    func `A revision from before the transactions were cleared leads to all later ones`(count: Int) throws {
        for _ in 1...3 { try account.buy("sword") }
        let first = try page(ServerHistoryQuery(of: "1"))
        try store.clearTransactions()
        let later = try (0..<count).map { _ in try account.buy("sword") }
        let second = try page(ServerHistoryQuery(of: later[0], revision: first.revision))
        #expect(second.transactions.map(\.content.transactionId) == later)
    }

    @Test func `A cursor from before the transactions were cleared leads to all later ones`() throws {
        for _ in 1...3 { try account.buy("sword") }
        var query = HistoryQuery(.unfinished)
        query.limit = 2
        func page() throws -> HistoryPage? {
            let answer = Locked<Result<HistoryPage, any Error>?>(nil)
            store.transactions(query) { result in answer.withLock { $0 = result.mapError { $0 } } }
            return try answer.withLock { $0 }?.get()
        }
        let first = try #require(try page())
        #expect(first.transactions.count == 2)
        try store.clearTransactions()
        let later = try (1...2).map { _ in try account.buy("sword") }
        query.cursor = first.next
        #expect(try page()?.transactions.map(\.content.transactionId) == later)
    }
}
