import Foundation

/// Has a durable ledger keep what its records add up to, every now and then.
///
/// A snapshot costs what it holds, and so does opening on it. One is made when as many records have come since the last as
/// it would hold rows: so it adds a fixed share to the cost of each record, and opening costs what there is, however
/// much there once was.
struct SnapshotKeeper: Sendable {
    private let ledger: (any DurableLedger)?
    /// How many records the last one has taken in, or was to.
    private var position = 0

    init(_ ledger: (any Ledger)?) { self.ledger = ledger as? any DurableLedger }

    /// The state to begin from: the last snapshot's, or that of an empty ledger.
    mutating func latest() -> SandboxState {
        guard let snapshot = try? ledger?.snapshot(), let state = SandboxState(snapshot) else {
            position = 0
            return SandboxState()
        }
        position = snapshot.position
        return state
    }

    /// Whether the ledger keeps any.
    ///
    /// To be asked first where it matters: whoever is handed a state may be given a copy of it.
    var areKept: Bool { ledger != nil }

    /// Keeps a state, all of whose records last, if that is due.
    @inline(__always)
    mutating func keepIfDue(_ state: borrowing SandboxState) {
        guard let ledger, state.position - position >= max(ledger.snapshotDistance, state.rowCount) else { return }
        // If it cannot be written now the next one is: nothing depends on it.
        position = state.position
        if let snapshot = state.snapshot { try? ledger.keep(snapshot) }
    }
}

extension SandboxState {
    /// Counts the forms that snapshots have had: one in another form is of no use.
    static var snapshotVersion: Int { 3 }

    /// What there is to write down, in rows.
    fileprivate var rowCount: Int {
        accounts.reduce(transactions.count + subscriptions.count) { $0 + $1.history.count }
    }

    fileprivate var snapshot: LedgerSnapshot? {
        let data = try? JSONEncoder().encode(VersionedState(version: Self.snapshotVersion, state: self))
        return data.map { LedgerSnapshot(position: position, state: $0) }
    }

    fileprivate init?(_ snapshot: LedgerSnapshot) {
        let decoder = JSONDecoder()
        guard let found = try? decoder.decode(VersionedState.self, from: snapshot.state),
            found.version == Self.snapshotVersion, found.state.position == snapshot.position
        else { return nil }
        self = found.state
    }
}

private struct VersionedState: Codable {
    let version: Int
    let state: SandboxState
}
