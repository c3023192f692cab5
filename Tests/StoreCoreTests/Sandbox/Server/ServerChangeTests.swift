import Foundation
import StoreCore
import Testing

/// What a server changes: tokens, reports on consumption, finished transactions.
@Suite struct ServerChangeTests {
    private let market: Market
    private let view: ServerView
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.store.account }
    private let token = UUID()
    private var text: String { token.uuidString.lowercased() }

    init() throws { (market, view) = try Market.withView() }

    private func told(_ identifier: String) throws -> String? {
        try #require(try view.transaction(identifier)).payload.appAccountToken
    }

    // MARK: Tokens

    @Test func `A token is a purchase's from then on, in place of the payment's own`() throws {
        try account.buy("sword", applicationUsername: UUID().uuidString)
        try account.buy("sword")
        try view.setAppAccountToken(token, ofOriginal: "1")
        #expect(try told("1") == text && told("2") == nil)
        let other = UUID()
        try view.setAppAccountToken(other, ofOriginal: "1")
        #expect(try told("1") == other.uuidString.lowercased())
    }

    @Test func `A subscription's token is in all its transactions and renewals until a payment has another`() throws {
        try account.buy("silver.monthly")
        market.advance(to: "2025-02-01T00:00:00Z")
        try view.setAppAccountToken(token, ofOriginal: "1")
        #expect(try ["1", "2"].map(told) == [text, text])
        market.advance(to: "2025-03-01T00:00:00Z")
        #expect(try told("3") == text)
        let subscription = try #require(try account.signedSubscriptions(inGroup: "metals").first)
        #expect(subscription.renewal.payload.appAccountToken == text)
        let other = UUID().uuidString.lowercased()
        try account.buy("gold.monthly", applicationUsername: other)
        market.advance(to: "2025-04-01T00:00:00Z")
        #expect(try ["3", "4", "5"].map(told) == [text, other, other])
    }

    @Test func `A token is refused for what is no purchase's first transaction, or the family's`() throws {
        try store.addFamily("smiths", organizer: account).add(try store.addAccount("bob"))
        try account.buy("gold.monthly")
        try market.at("2025-02-01T00:00:00Z").account.buy("album")
        let head = try market.ledger.head
        #expect(throws: ServerRefusal.notOriginalTransaction("2")) {
            try view.setAppAccountToken(token, ofOriginal: "2")
        }
        #expect(throws: ServerRefusal.familyShared("4")) { try view.setAppAccountToken(token, ofOriginal: "4") }
        #expect(throws: ServerRefusal.unknownOriginalTransaction("9")) {
            try view.setAppAccountToken(token, ofOriginal: "9")
        }
        #expect(try market.ledger.head == head)
    }

    // MARK: Consumption

    @Test func `A report on a consumption is kept as it was sent`() throws {
        try account.buy("sword")
        let report = Data(#"{ "consumptionStatus": 3 }"#.utf8)
        try view.takeConsumption(report, of: "1")
        let found = try #require(try store.consumptionReports.first)
        #expect(found.transaction == "1" && found.json == report && found.date == market.clock.now)
        #expect(throws: ServerRefusal.unknownTransaction("2")) { try view.takeConsumption(report, of: "2") }
    }

    @Test(arguments: ["", "[]", "{", "3", "null", "[{"])
    func `A report that is no JSON object is refused`(text: String) throws {
        try account.buy("sword")
        #expect(throws: ServerRefusal.invalidReport) { try view.takeConsumption(Data(text.utf8), of: "1") }
        #expect(try store.consumptionReports.isEmpty)
    }

    // MARK: Finishing

    @Test func `What a server finishes is finished on all devices, and what is finished stays so`() throws {
        let app = App(on: store, finishes: false)
        let other = App(on: try store.addDevice("tablet", signedInTo: account), finishes: false)
        try account.buy("full.game")
        app.queue.settle()
        other.queue.settle()
        #expect([app, other].map(\.queue.transactions.count) == [1, 1])
        try store.settle { try view.finish("1") }
        #expect([app, other].map(\.queue.transactions.count) == [0, 0])
        #expect(try account.transactions.map(\.isFinished) == [true])
        let head = try market.ledger.head
        try view.finish("1")
        #expect(try market.ledger.head == head)
        app.restore()
        #expect(app.received.suffix(1) == [.updated("full.game", .restored)])
        #expect(throws: ServerRefusal.unknownTransaction("9")) { try view.finish("9") }
    }

    @Test func `What an app orders, a server may finish; the app may finish it as well`() throws {
        let app = App(on: store, finishes: false, buying: "sword")
        let transaction = try #require(app.queue.transactions.first)
        try view.finish("1")
        app.queue.finishTransaction(transaction)
        app.queue.settle()
        #expect(try app.queue.transactions.isEmpty && store.transactions.map(\.isFinished) == [true])
    }
}
