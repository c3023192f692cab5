import ModelSimulator
import StoreCore
import Testing

@Suite struct StorageTests {
    @Test func `A storage that loses what was committed is found, and removed with the run`() {
        let removals = Locked(0)
        let storage = Storage("forgetful") { _ in ForgetfulStorage { removals.withLock { $0 += 1 } } }
        let simulatedRun = SimulatedRun(
            seed: 0,
            operations: [.crash(after: 1, target: .store), .add(device: 0, product: .sword, quantity: 1)],
            storage: storage
        )
        let rule = #expect(throws: BrokenRule.self) { try simulatedRun.run() }
        #expect(rule?.sentence.hasSuffix(" records were committed, 0 more not, and 0 are left") == true)
        #expect(rule?.operation == 1)
        // The store's, and one for each device.
        #expect(removals.withLock { $0 } == 4)
    }

    @Test func `A storage that loses what was committed after the last crash is found when the run ends`() {
        let storage = Storage("forgetful") { _ in ForgetfulStorage {} }
        let rule = #expect(throws: BrokenRule.self) {
            try SimulatedRun(seed: 0, operations: [], storage: storage).run()
        }
        #expect(rule?.sentence.hasSuffix(" records were committed, 0 more not, and 0 are left") == true)
    }

    @Test func `A storage that mixes up what was committed is found`() {
        let storage = Storage("muddled") { _ in MuddledStorage() }
        let rule = #expect(throws: BrokenRule.self) {
            try SimulatedRun(seed: 0, operations: [], storage: storage).run()
        }
        #expect(rule?.sentence.hasSuffix(" is not the one that was appended") == true)
    }

    @Test func `A storage that keeps what nobody committed is found`() {
        // It keeps all that is appended; of these crashes one falls between an appending and its commit.
        let storage = Storage("hasty") { _ in MuddledStorage(mixes: false) }
        let rules = (1...20).compactMap { count -> BrokenRule? in
            let operations: [SimulatedOperation] = [
                .crash(after: count, target: .store), .add(device: 0, product: .sword, quantity: 1),
            ]
            do throws(BrokenRule) {
                try SimulatedRun(seed: 0, operations: operations, storage: storage).run()
                return nil
            } catch { return error }
        }
        #expect(rules.contains { $0.sentence.contains(" records were committed, ") })
    }

    @Test func `A storage that loses what a journal recorded is found`() {
        let storage = Storage("forgetful") { _ in ForgetfulStorage {} }
        let simulatedRun = SimulatedRun(
            seed: 0,
            operations: [
                .reachable(device: 0, false), .add(device: 0, product: .sword, quantity: 1), .relaunch(device: 0),
            ],
            storage: storage
        )
        let rule = #expect(throws: BrokenRule.self) { try simulatedRun.run() }
        #expect(rule?.sentence.hasPrefix("the journal of device 0 fails: it held [") == true)
    }
}

/// A storage of which nothing is left after a crash.
private final class ForgetfulStorage: StableStorage {
    private var ledger = MemoryLedger()
    private var journal = MemoryJournal()
    private let onRemoval: () -> Void

    init(onRemoval: @escaping () -> Void) { self.onRemoval = onRemoval }

    func open(isOver: @escaping @Sendable () -> Bool) -> (ledger: any Ledger, journal: any QueueJournal) {
        (ledger, journal)
    }

    func crash() {
        ledger = MemoryLedger()
        journal = MemoryJournal()
    }

    func remove() { onRemoval() }
}

/// A storage that keeps everything at once, and the store's records in another order after a crash.
private final class MuddledStorage: StableStorage {
    private let mixes: Bool
    private var ledger = MemoryLedger()
    private let journal = MemoryJournal()

    init(mixes: Bool = true) { self.mixes = mixes }

    func open(isOver: @escaping @Sendable () -> Bool) -> (ledger: any Ledger, journal: any QueueJournal) {
        (ledger, journal)
    }

    func crash() {
        guard mixes else { return }
        let records = ledger.read(after: 0, limit: ledger.head)
        ledger = MemoryLedger()
        _ = ledger.append(records.reversed(), ifHeadIs: 0)
    }

    func remove() {}
}
