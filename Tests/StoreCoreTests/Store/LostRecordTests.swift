import Foundation
import StoreCore
import Testing

/// Ledgers that do not give every record back.
@Suite struct LostRecordTests {
    private let clock = ManualTimekeeper()
    private let ledger = MemoryLedger()
    private let store: SandboxStore

    init() throws {
        store = try SandboxStore(
            products: [
                .consumable("sword", price: "0.99"),
                .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "club"),
            ],
            timekeeper: clock,
            ledger: ledger,
            authoriser: .always(.later)
        )
    }

    /// A store on what is left of the ledger.
    private func store(without lost: Range<Int>) throws -> SandboxStore {
        let rest = MemoryLedger()
        var records = ledger.read(after: 0, limit: ledger.head)
        for index in lost { records[index] = .unreadable }
        #expect(rest.append(records, ifHeadIs: 0))
        return try SandboxStore(timekeeper: clock, ledger: rest, authoriser: .always(.later))
    }

    @Test(arguments: [false, true])
    func `A refund of a subscription that is lost ends nobody else's`(isAnotherThere: Bool) throws {
        let bob = try store.addAccount("bob")
        let start = ledger.head
        #expect(store.submit(UpdateRecorder().commands(.buy("gold"))) == .taken)
        let transaction = try #require(store.undecided.first).transaction
        try store.decide(transaction, .approve)
        let lost = start..<ledger.head
        if isAnotherThere { try bob.buy("gold") }
        try store.refund(transaction)
        #expect(store.account.subscriptions.map(\.isRunning) == [false])
        let damaged = try store(without: lost)
        #expect(damaged.account.subscriptions.isEmpty)
        #expect(damaged.account(named: "bob")?.subscriptions == bob.subscriptions)
        #expect(bob.subscriptions.map(\.isRunning) == (isAnotherThere ? [true] : []))
    }
}
