import Foundation
import StoreCore
import Testing

/// Refunds that are taken back, and requests for refunds that the ledger keeps.
@Suite struct RefundReversalTests {
    private let market: Market
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.store.account }

    init() throws { market = try Market(NotifiedShop.allProducts) }

    private func revocation(of identifier: String) throws -> PayloadDate? {
        try store.signedTransaction(identifier).payload.revocationDate
    }

    @Test func `A product bought for good is the account's again, with all that repeated it`() throws {
        let app = App(on: store, buying: "full.game", "full.game")
        try store.refund("2")
        #expect(account.entitlements.isEmpty)
        try store.reverseRefund(of: "1")
        #expect(account.entitlements.map(\.transaction) == ["1"])
        #expect(try ["1", "2"].map(revocation) == [nil, nil])
        #expect(try account.totalRefunded == 0)
        #expect(try store.transactions.map(\.cancellationDate) == [nil, nil])
        #expect(try store.purchases().map(\.cancellationDate) == [nil, nil])
        app.restore()
        #expect(app.received.filter { $0 == .updated("full.game", .restored) }.count == 2)
        // It may be paid back once more.
        try store.refund("1")
        #expect(account.entitlements.isEmpty)
    }

    @Test func `B176: What is taken back before an app was told of it, no app is told of`() throws {
        for product in ["full.game", "sword"] { try account.buy(product) }
        for number in ["1", "2"] { try store.refund(number) }
        try store.reverseRefund(of: "1")
        let app = App(on: store)
        #expect(app.recorder.callbacks.contains([.revoked(["full.game"])]) == false)
        try store.refund("1")
        #expect(app.recorder.callbacks.last == [.revoked(["full.game"])])
    }

    @Test func `A subscription continues in its period, and renews`() throws {
        try account.buy("gold.monthly")
        try market.at("2025-01-10T00:00:00Z").store.refund("1")
        try market.at("2025-01-20T00:00:00Z").store.reverseRefund(of: "1")
        #expect(account.subscription(inGroup: "metals")?.state == .subscribed)
        #expect(account.subscription(inGroup: "metals")?.endReason == nil)
        #expect(try market.at("2025-02-01T00:00:00Z").account.transactions.map(\.id) == ["1", "2"])
    }

    @Test func `Where the period is over, or another has begun, only the period counts again`() throws {
        try account.buy("gold.monthly")
        try store.refund("1")
        try market.at("2025-03-10T00:00:00Z").store.reverseRefund(of: "1")
        #expect(try account.subscription(inGroup: "metals")?.state == .expired && revocation(of: "1") == nil)
        try account.buy("gold.monthly")
        try store.refund("2")
        try account.buy("silver.monthly")
        try store.reverseRefund(of: "2")
        #expect(account.subscription(inGroup: "metals")?.productIdentifier == "silver.monthly")
        #expect(account.subscription(inGroup: "metals")?.expirationDate == Market.date("2025-04-10T00:00:00Z"))
        #expect(try market.at("2025-04-10T00:00:00Z").account.transactions.map(\.id) == ["1", "2", "3", "4"])
    }

    @Test func `Members of the family have it again, as a share of its own`() throws {
        let bob = try store.addAccount("bob")
        try store.addFamily("smiths", organizer: account).add(bob)
        try account.buy("tv.monthly")
        try store.refund("1")
        #expect(bob.entitlements.isEmpty)
        try store.reverseRefund(of: "1")
        #expect(bob.entitlements.map(\.transaction) == ["3"])
    }

    @Test func `What is not refunded cannot be taken back`() throws {
        try account.buy("sword")
        for identifier in ["1", "9", "x"] {
            #expect(throws: SandboxError(.notRefunded(identifier))) { try store.reverseRefund(of: identifier) }
        }
        try store.refund("1")
        try store.reverseRefund(of: "1")
        #expect(throws: SandboxError(.notRefunded("1"))) { try store.reverseRefund(of: "1") }
        try store.refund("1")
        try store.deleteTransaction("1")
        #expect(throws: SandboxError(.notRefunded("1"))) { try store.reverseRefund(of: "1") }
    }

    // MARK: Requests

    @Test func `The ledger keeps the requests, those that were declined too`() throws {
        for _ in 0..<4 { try account.buy("sword") }
        store.refundDecision = .ask
        for identifier in ["2", "1", "3"] { #expect(try store.requestRefund(of: identifier) == .taken) }
        #expect(try store.requestRefund(of: "1") == .duplicate)
        try store.declineRefund(of: "1")
        try store.refund("2")
        store.refundDecision = .decline
        #expect(try store.requestRefund(of: "4") == .taken)
        let again = try SandboxStore(clock: market.clock, ledger: market.ledger)
        #expect(again.refundDecision == .approve && again.refundRequests == ["3"])
        for identifier in ["1", "2", "3", "4"] { #expect(try again.requestRefund(of: identifier) == .duplicate) }
        #expect(throws: SandboxError(.notUndecided("2"))) { try again.declineRefund(of: "2") }
        try again.declineRefund(of: "3")
        #expect(again.refundRequests.isEmpty)
        #expect(throws: SandboxError(.notUndecided("3"))) { try again.declineRefund(of: "3") }
    }

    @Test func `A request that is approved is a refund, and what cost nothing is not eligible`() throws {
        try account.buy("sword")
        #expect(try store.requestRefund(of: "1", reason: .other) == .taken)
        #expect(try revocation(of: "1") != nil && store.requestRefund(of: "1") == .duplicate)
        try account.buy("full.game", "full.game")
        #expect(try store.requestRefund(of: "3") == .ineligible)
        #expect(throws: SandboxError(.unknownTransaction("9"))) { try store.requestRefund(of: "9") }
        // After a reversal it is as if nobody had asked.
        try store.reverseRefund(of: "1")
        store.refundDecision = .ask
        #expect(try store.requestRefund(of: "1") == .taken)
        try store.deleteTransaction("1")
        #expect(store.refundRequests.isEmpty)
    }
}
