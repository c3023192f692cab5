import Foundation
import StoreCore
import Testing

@Suite struct SharedLedgerTests {
    /// A ledger in memory that reports growth when it is told to.
    private final class ReportingLedger: SharedLedger {
        private let records: MemoryLedger
        private let listeners = Locked<[Weak]>([])

        private struct Weak { weak var listener: (any LedgerListener)? }

        init(_ records: MemoryLedger) { self.records = records }

        var lane: BackendLane { .caller }
        var head: Int { records.head }
        /// The number of listeners that are alive.
        var audience: Int { listeners.withLock { $0.count { $0.listener != nil } } }

        func append(_ new: [LedgerRecord], ifHeadIs head: Int) -> Bool { records.append(new, ifHeadIs: head) }
        func commit() {}
        func read(after position: Int, limit: Int) -> [LedgerRecord] { records.read(after: position, limit: limit) }
        func snapshot() -> LedgerSnapshot? { nil }
        func keep(_ snapshot: LedgerSnapshot) {}
        func add(_ listener: any LedgerListener) { listeners.withLock { $0.append(Weak(listener: listener)) } }
        func report() { for entry in listeners.withLock({ $0 }) { entry.listener?.ledgerMayHaveGrown() } }
    }

    private let records = MemoryLedger()
    private let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]

    @Test func `B36: A store tells its queues of what another appended as soon as the ledger reports it`() throws {
        let ledger = ReportingLedger(records)
        let here = try SandboxStore(products: products, ledger: records)
        let app = App(on: try SandboxStore(products: products, ledger: ledger), finishes: false)
        try here.account.buy("sword")
        #expect(app.recorder.history.isEmpty)
        ledger.report()
        #expect(app.recorder.history == [.updated("sword", .purchased)])
        // A report of nothing tells nothing.
        ledger.report()
        #expect(app.recorder.history.count == 1)
    }

    @Test(arguments: [false, true])
    func `Before it sells a store renews what a faster one began and is due by its own clock`(isOrdered: Bool) throws {
        let club = SandboxProduct.autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "club")
        let rival = Locked<SandboxStore?>(nil)
        // Another store is faster, once.
        let ledger = CuriousLedger { _ = try? rival.withLock { $0.take() }?.account.buy("gold") }
        let here = try SandboxStore(products: products + [club], ledger: ledger)
        let there = try SandboxStore(clock: ManualClock(startingAt: ManualClock().now + 40 * 86_400), ledger: ledger)
        rival.withLock { $0 = here }
        let commands = UpdateRecorder().commands(.buy("sword"))
        if isOrdered { _ = there.submit(commands) } else { try there.account.buy("sword") }
        #expect(try there.transactions.map(\.productIdentifier) == ["gold", "gold", "sword"])
    }

    @Test func `A ledger does not keep a store alive that listens to it`() throws {
        let ledger = ReportingLedger(records)
        var store: SandboxStore? = try SandboxStore(products: products, ledger: ledger)
        #expect(ledger.audience == 1)
        weak let released = store
        store = nil
        #expect(released == nil)
        #expect(ledger.audience == 0)
    }
}
