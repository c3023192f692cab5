import StoreCore

/// A ledger in memory that fails when told to, and counts.
final class FailingLedger: Ledger {
    enum Act { case append, commit }

    private struct State {
        var records: [LedgerRecord] = []
        var staged: [LedgerRecord] = []
        var failing: Act?
        var isReadable = true
        var hidesRecords = false
        var appends = 0
        var commits = 0
    }

    private let state = Locked(State())
    private let error = StoreFailure.storeKit(.unknown, "the disk is full")

    /// What cannot be done.
    var failing: Act? {
        get { state.withLock { $0.failing } }
        set { state.withLock { $0.failing = newValue } }
    }

    /// Whether reading works.
    var isReadable: Bool {
        get { state.withLock { $0.isReadable } }
        set { state.withLock { $0.isReadable = newValue } }
    }

    /// Whether it breaks its word and gives no records where there are some.
    var hidesRecords: Bool {
        get { state.withLock { $0.hidesRecords } }
        set { state.withLock { $0.hidesRecords = newValue } }
    }

    /// How often it was appended to, and how often that was committed.
    var writes: [Int] { state.withLock { [$0.appends, $0.commits] } }

    /// Everything works again.
    func repair() {
        state.withLock { state in
            state.failing = nil
            state.isReadable = true
            state.hidesRecords = false
        }
    }

    var head: Int { state.withLock { $0.records.count } }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        try state.withLock { state in
            if state.failing == .append { throw error }
            guard state.records.count + state.staged.count == head else { return false }
            state.appends += 1
            state.staged += records
            return true
        }
    }

    func commit() throws {
        try state.withLock { state in
            defer { state.staged = [] }
            if state.failing == .commit { throw error }
            state.commits += 1
            state.records += state.staged
        }
    }

    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        try state.withLock { state in
            if !state.isReadable { throw StoreFailure.storeKit(.unknown, "the disk is unreadable") }
            if state.hidesRecords { return [] }
            return Array((state.records + state.staged).dropFirst(position).prefix(limit))
        }
    }
}
