import Foundation
import StoreCore
import Testing

/// Single transactions among many: what finding them costs, and that it is what reading all of them finds.
@Suite struct LookUpTests {
    private let ledger = ReadCountingLedger()
    private let market: Market
    private var store: SandboxStore { market.store }

    init() throws { market = try Market(ledger: ledger) }

    /// Has an app buy and finish consumables.
    private func buySwords(_ count: Int) {
        let app = App(on: store)
        for _ in 0..<count { app.buy("sword") }
    }

    // MARK: Cost

    @Test(arguments: ["1", "250", "500"])
    func `A refund reads a few records, however many the ledger has`(identifier: String) throws {
        buySwords(500)
        #expect(ledger.head > 1000)
        #expect(try ledger.count { try store.refund(identifier) } <= 40)
        #expect(try store.transactions.first { $0.id == identifier }?.refundedAmount == Decimal(string: "0.99"))
    }

    @Test(arguments: ["1", "250", "500"])
    func `The first signed transaction reads a few records, however many the ledger has`(identifier: String) throws {
        buySwords(500)
        var payload: TransactionPayload?
        #expect(try ledger.count { payload = try store.signedTransaction(identifier).payload } <= 40)
        #expect(payload?.transactionId == identifier)
    }

    @Test func `A request for a refund reads a few records, and so does its decision`() throws {
        buySwords(500)
        store.refundDecision = .ask
        var answer: RefundAnswer?
        #expect(try ledger.count { answer = try store.requestRefund(of: "250") } <= 80)
        #expect(answer == .taken && store.refundRequests == ["250"])
        #expect(try ledger.count { try store.refund("250") } <= 40)
        #expect(store.refundRequests.isEmpty)
        #expect(try ledger.count { try store.reverseRefund(of: "250") } <= 40)
    }

    @Test func `The refund of a period reads a few records, however many renewals there were`() throws {
        try store.account.buy("gold.monthly")
        buySwords(300)
        market.advance(to: "2045-01-01T00:00:00Z")
        let newest = try #require(try store.transactions.last)
        #expect(try ledger.count { try store.refund(newest.id) } <= 40)
        #expect(store.account.subscription(inGroup: "metals")?.endReason == .revoked)
    }

    @Test func `A report on consumption and a finish by a server read a few records`() throws {
        buySwords(500)
        try store.account.buy("sword")
        let view = ServerView(store)
        #expect(try ledger.count { try view.takeConsumption(Data("{}".utf8), of: "250") } <= 40)
        #expect(try ledger.count { try view.finish("501") } <= 40)
        var order: String?
        #expect(try ledger.count { order = try view.orderIdentifier(of: "100") } <= 40)
        #expect(order != nil)
    }

    // MARK: The same result

    /// Everything that a history may have.
    private func sellEverything() throws {
        let app = App(on: store, buying: "sword", "full.game", "lessons", "gold.monthly", "full.game")
        buySwords(40)
        market.advance(to: "2025-03-01T00:00:00Z")
        app.buy("silver.monthly", "gold.yearly")
        app.restore()
        try store.account.buy("lessons")
        try store.refund("2")
        buySwords(40)
    }

    /// The payloads of all transactions, or the error of those that gave nothing.
    private func payloads(of store: SandboxStore) throws -> [TransactionPayload?] {
        (0...130).map { try? store.signedTransaction(String($0)).payload }
    }

    private func reopened() throws -> SandboxStore {
        try SandboxStore(clock: market.clock, ledger: ledger, locale: "en_US")
    }

    @Test(arguments: ["nothing", "a deletion", "another country", "a deleted subscription"])
    func `A transaction that is read alone is the same as one of all`(change: String) throws {
        try sellEverything()
        switch change {
        case "a deletion": try store.deleteTransaction("10")
        case "another country": try store.setStorefront("DEU")
        case "a deleted subscription": try store.deleteTransaction("4")
        default: break
        }
        buySwords(10)
        let (alone, all) = (try reopened(), try reopened())
        // The list makes the index of all.
        #expect(try all.account.signedTransactions.count > 90)
        #expect(try payloads(of: alone) == payloads(of: all))
    }

    @Test func `A refund is the same whether all transactions are known or not`() throws {
        try sellEverything()
        let records = ledger.read(after: 0, limit: .max)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for identifier in 0...110 {
            var outcomes: [String] = []
            for isKnown in [false, true] {
                let copy = MemoryLedger()
                #expect(copy.append(records, ifHeadIs: 0))
                let store = try SandboxStore(clock: market.clock, ledger: copy, locale: "en_US")
                if isKnown { _ = try store.account.signedTransactions }
                do {
                    try store.refund(String(identifier))
                    let new = copy.read(after: records.count, limit: 10)
                    outcomes.append(String(decoding: try encoder.encode(new), as: UTF8.self))
                } catch {
                    outcomes.append("\(error)")
                }
            }
            #expect(outcomes[0] == outcomes[1])
        }
    }

    @Test func `What is approved out of order is found, refunded and given back`() throws {
        let store = try SandboxStore(products: World.products, clock: market.clock, authorizer: .always(.later))
        let app = App(on: store)
        for _ in 0..<4 { app.buy("lessons") }
        for identifier in ["3", "1", "4", "2"] { try store.decide(identifier, as: .approve) }
        for identifier in ["1", "2", "3", "4"] {
            try store.refund(identifier)
            #expect(throws: SandboxError(.alreadyRefunded(identifier))) { try store.refund(identifier) }
            #expect(try store.signedTransaction(identifier).payload.revocationDate != nil)
        }
        #expect(try store.purchases().allSatisfy { $0.cancellationDate != nil })
        for identifier in ["4", "1", "3", "2"] { try store.reverseRefund(of: identifier) }
        #expect(try store.purchases().allSatisfy { $0.cancellationDate == nil })
    }
}
