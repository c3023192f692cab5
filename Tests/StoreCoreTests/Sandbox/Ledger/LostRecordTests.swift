import Foundation
import StoreCore
import Testing

/// Ledgers that do not give every record back.
@Suite struct LostRecordTests {
    private let clock = ManualClock()
    private let ledger = MemoryLedger()
    private let store: SandboxStore

    init() throws {
        store = try SandboxStore(
            products: [
                .consumable("sword", price: "0.99"),
                .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "club"),
            ],
            clock: clock,
            ledger: ledger,
            authorizer: .always(.later)
        )
    }

    /// A store on what is left of the ledger.
    private func store(without lost: Range<Int>) throws -> SandboxStore {
        let rest = MemoryLedger()
        var records = ledger.read(after: 0, limit: ledger.head)
        for index in lost { records[index] = .unreadable }
        #expect(rest.append(records, ifHeadIs: 0))
        return try SandboxStore(clock: clock, ledger: rest, authorizer: .always(.later))
    }

    @Test(arguments: [false, true])
    func `A refund of a subscription that is lost ends nobody else's`(isAnotherThere: Bool) throws {
        let bob = try store.addAccount("bob")
        let start = ledger.head
        #expect(store.submit(UpdateRecorder().commands(.buy("gold"))) == .taken)
        let transaction = try #require(store.undecidedRequests.first).transaction
        try store.decide(transaction, as: .approve)
        let lost = start..<ledger.head
        if isAnotherThere { try bob.buy("gold") }
        try store.refund(transaction)
        #expect(store.account.subscriptions.map(\.isRunning) == [false])
        let damaged = try store(without: lost)
        #expect(damaged.account.subscriptions.isEmpty)
        #expect(damaged.account(named: "bob")?.subscriptions == bob.subscriptions)
        #expect(bob.subscriptions.map(\.isRunning) == (isAnotherThere ? [true] : []))
    }

    @Test func `The members of a bundle that is lost are lost with it`() throws {
        let registered = ledger.head
        let bundle = SandboxProduct.subscriptionBundle(
            "all",
            price: "12.99",
            period: .init(1, .month),
            group: "bundles",
            members: ["gold"]
        )
        try store.register(bundle)
        let bought = ledger.head
        try store.account.buy("all")
        clock.advance(by: 40 * 86_400)
        #expect(store.account.subscriptions.map(\.isRunning) == [true, true])
        for lost in [registered..<bought, bought..<bought + 1] {
            let damaged = try store(without: lost)
            #expect(damaged.account.subscriptions.isEmpty && damaged.account.entitlements.isEmpty)
            #expect(try damaged.transactions.isEmpty)
        }
    }

    @Test func `A lost order that was approved is a purchase, and later subscriptions are whose they were`() throws {
        let bob = try store.addAccount("bob")
        let lost = ledger.head
        let commands = UpdateRecorder().commands(.buy("gold"), .buy("sword"))
        #expect(store.submit(commands) == .taken)
        let gold = try #require(store.undecidedRequests.first)
        #expect(gold.productIdentifier == "gold")
        try store.decide(gold.transaction, as: .approve)
        try bob.buy("gold")
        clock.advance(by: 40 * 86_400)
        #expect(bob.subscriptions.map(\.isRunning) == [true])
        try bob.setAutoRenew(false, inGroup: "club")
        let damaged = try store(without: lost..<lost + 1)
        #expect(damaged.account.subscriptions == store.account.subscriptions)
        #expect(damaged.account.subscriptions.map(\.willRenew) == [true])
        #expect(damaged.account(named: "bob")?.subscriptions == bob.subscriptions)
        let transactions = try store.transactions
        #expect(try damaged.transactions == transactions)
        #expect(transactions.map(\.productIdentifier) == ["gold", "sword", "gold", "gold", "gold"])
        // What was taken since is not taken again, and no number is given twice.
        #expect(damaged.submit(commands) == .taken)
        #expect(try damaged.transactions == transactions)
        try damaged.account.buy("sword")
        #expect(try Set(damaged.transactions.map(\.id)).count == transactions.count + 1)
    }
}
