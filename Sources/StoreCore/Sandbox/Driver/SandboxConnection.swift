/// A queue's connection to the updates of one of a sandbox store's devices.
///
/// Its pending news, in order: the rest of a snapshot, then ``waiting``, then the ledger's records after ``seen``.
struct SandboxConnection: Sendable {
    let id: StoreConnectionID
    let device: DeviceID
    let journal: JournalID
    let listener: any NewsListener
    /// The cursor at which the queue wants to go on.
    ///
    /// Nothing is kept for a connection that has not begun.
    var beginning: Beginning?
    var snapshot: Snapshot?
    /// The position that the next batch follows.
    var told = 0
    /// The number of events that have been looked at.
    ///
    /// Those after `told` that are not in `waiting` do not concern the connection.
    var seen = 0
    /// The updates for the events from `told` to `seen`.
    var waiting: [StoreUpdate] = []
    /// The number of events after which an empty batch moves the queue's cursor, if none of them concerns the connection.
    ///
    /// Otherwise, each reconnection would look at them again.
    static var stride: Int { 1024 }
    /// Whether another account has signed in: an empty batch is owed that follows nothing, so that the queue
    /// reconnects.
    var owesGap = false
    /// The reason why the store has closed the connection, until the queue has been told.
    var failure: Failure?
    /// Whether the listener has been notified, or is about to be, and has not asked for everything since.
    var isRung = false

    /// A failure, which is rare and large, behind a reference.
    indirect enum Failure: Error { case because(StoreFailure) }

    /// The cursor that a queue asks for.
    indirect enum Beginning: Sendable { case snapshot, after(UpdateCursor) }

    /// A snapshot whose parts have not all been given yet.
    struct Snapshot: Sendable {
        /// The position at which it was taken.
        let position: Int
        var transactions: [StoreTransaction]
        /// The updates that follow the transactions in the last part.
        var trailer: [StoreUpdate]
        var partsGiven = 0
    }

    init(
        id: StoreConnectionID,
        device: DeviceID,
        journal: JournalID,
        listener: any NewsListener,
        after cursor: UpdateCursor?
    ) {
        self.id = id
        self.device = device
        self.journal = journal
        self.listener = listener
        beginning = cursor.map { .after($0) } ?? .snapshot
    }
}

// Inlined: otherwise these would be given a copy of the connection.
extension SandboxConnection {
    /// Returns whether it has to look at events up to a position.
    @inline(__always)
    func isBehind(_ position: Int) -> Bool { seen != position && beginning == nil && failure == nil }

    @inline(__always)
    func hasNews(at position: Int) -> Bool {
        hasBatch || seen < position || owesGap || snapshot != nil || failure != nil
    }

    /// Whether there are updates, or so many events without any that the cursor is to be moved.
    @inline(__always)
    var hasBatch: Bool { !waiting.isEmpty || seen - told >= Self.stride }

    mutating func lose(_ failure: StoreFailure) {
        forgetNews()
        self.failure = .because(failure)
    }

    mutating func skip(to position: Int) {
        forgetNews()
        owesGap = true
        told = position
        seen = position
    }

    /// Goes back to the store's position, after the store has lost events that could not be written.
    mutating func goBack(to position: Int) {
        told = min(told, position)
        if seen > position { lookAgain() }
    }

    /// Forgets the updates for the events so far, so that they are worked out anew.
    mutating func lookAgain() {
        seen = told
        waiting = []
    }

    /// Moves the next part of the snapshot, if there is one, into a batch.
    mutating func takePart(_ batch: inout UpdateBatch) -> Bool {
        guard let part = snapshot?.nextPart() else { return false }
        if part.through.part == nil { snapshot = nil }
        batch = part
        return true
    }

    /// Moves the waiting updates, of which there may be none, into an empty batch if one is due.
    @inline(__always)
    mutating func takeWaiting(_ batch: inout UpdateBatch) -> Bool {
        if !hasBatch { return false }
        batch.after = UpdateCursor(position: told)
        batch.through = UpdateCursor(position: seen)
        told = seen
        swap(&batch.updates, &waiting)
        return true
    }

    private mutating func forgetNews() {
        snapshot = nil
        waiting = []
    }
}

extension SandboxConnection.Snapshot {
    private static var partSize: Int { 256 }

    /// Drops the matching transactions that have not been given.
    mutating func dropRest(where isDropped: (StoreTransaction) -> Bool) {
        let given = min(transactions.count, partsGiven * Self.partSize)
        transactions[given...].removeAll(where: isDropped)
    }

    /// Returns the next part.
    ///
    /// The cursor of the last one lies behind the snapshot.
    mutating func nextPart() -> UpdateBatch {
        let start = partsGiven * Self.partSize
        let end = min(transactions.count, start + Self.partSize)
        let after = partsGiven == 0 ? nil : UpdateCursor(position: position, part: partsGiven)
        partsGiven += 1
        var updates = transactions[start..<end].map { StoreUpdate.transaction($0) }
        let isLast = end == transactions.count
        if isLast { updates += trailer }
        let through = UpdateCursor(position: position, part: isLast ? nil : partsGiven)
        return UpdateBatch(after: after, through: through, updates: updates)
    }
}
