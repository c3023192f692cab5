import Foundation

/// Stores snapshots of the state in a durable ledger, at intervals.
///
/// The cost of writing a snapshot, and of opening a store with it, grows with its rows. A snapshot is due when as many
/// records have been added since the last one as the new one would have rows. Rows are counted now and then, so that a
/// snapshot may come later by the ledger's least distance between two if rows were removed. Snapshots thus add a
/// constant share to the cost of each record, and the cost of opening a store depends on its present content, not on
/// its past.
struct SnapshotStorage: Sendable {
    private let ledger: (any DurableLedger)?
    /// The position of the last snapshot, or of the last attempt.
    private var position = 0
    /// The number of records since the last snapshot from which one may be due.
    private var distance = 0

    init(_ ledger: (any Ledger)?) { self.ledger = ledger as? any DurableLedger }

    /// Returns the initial state: that of the last snapshot, or that of an empty ledger.
    mutating func latest() -> SandboxState {
        distance = 0
        guard let snapshot = try? ledger?.snapshot(), let state = SandboxState(snapshot) else {
            position = 0
            return SandboxState()
        }
        position = snapshot.position
        return state
    }

    /// Whether the ledger stores snapshots.
    ///
    /// Check this first on fast paths, since passing the state to a function may copy the state.
    var areStored: Bool { ledger != nil }

    /// Stores a snapshot of a committed state, if one is due.
    @inline(__always)
    mutating func storeIfDue(_ state: borrowing SandboxState) {
        let count = state.position - position
        guard count >= distance, let ledger else { return }
        let least = ledger.snapshotDistance
        // Rows are counted now and then only, in time that is proportional to the accounts.
        distance = max(least, state.rowCount)
        if count < distance {
            if distance - count > least { distance = count + least }
            return
        }
        // A failure is ignored, since nothing depends on a snapshot: the next one is written when it is due.
        position = state.position
        distance = least
        if let snapshot = state.snapshot { try? ledger.keep(snapshot) }
    }
}

extension SandboxState {
    /// The version of the snapshot format; a snapshot of another version is not used.
    static var snapshotVersion: Int { 12 }

    /// The number of rows of the snapshot.
    fileprivate var rowCount: Int {
        let external = operatorState.external.map { $0.tokens.count + $0.reports.count + $0.lineItems.count } ?? 0
        return accounts.reduce(transactions.count + subscriptions.count + external) { $0 + $1.history.count }
    }

    fileprivate var snapshot: LedgerSnapshot? {
        var pack = BinaryEncoder()
        pack.add(Self.snapshotVersion)
        guard (try? self.pack(into: &pack)) != nil else { return nil }
        return LedgerSnapshot(position: position, state: pack.data)
    }

    fileprivate init?(_ snapshot: LedgerSnapshot) {
        var pack = BinaryDecoder(snapshot.state)
        guard (try? pack.int()) == Self.snapshotVersion,
            let state = try? SandboxState(unpacking: &pack),
            state.position == snapshot.position
        else { return nil }
        self = state
    }
}
