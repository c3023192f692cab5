import StoreCore

/// A checker of one connection's chain of batches, which applies them as a queue does.
struct ChainChecker: Sendable {
    /// The updates, each with the number of its batch, without repetitions.
    private(set) var updates: [(number: Int, update: StoreUpdate)] = []
    /// The content of the connection's snapshot; nil if the connection did not begin with one.
    private(set) var snapshot: [StoreTransaction]?
    /// The cursor that the connection has reached.
    private(set) var cursor: UpdateCursor?
    /// The first flaw in the chain.
    private(set) var flaw: (promise: ContractPromise, why: String)?

    private let asked: UpdateCursor?
    private var seen: Set<StoreUpdate> = []
    private var isFirst = true

    init(asked: UpdateCursor?) {
        self.asked = asked
        cursor = asked
    }

    var isSnapshotComplete: Bool { snapshot != nil && cursor?.part == nil }

    /// Adds the next batch, under its number in the trace.
    mutating func take(_ batch: UpdateBatch, _ number: Int) {
        defer { isFirst = false }
        if isFirst, batch.after == nil {
            if let part = batch.through.part, part != 1 {
                note(.snapshotFirst, "the first part of the snapshot ends at \(batch.through)")
            }
            snapshot = []
            return add(batch, number, toSnapshot: true)
        }
        guard let cursor else {
            note(.snapshotFirst, "the first batch of a connection without a cursor follows \(name(batch.after))")
            return add(batch, number, toSnapshot: false)
        }
        if batch.after == cursor, batch.through > cursor {
            if let part = cursor.part {
                let isNext = batch.through.part.map { $0 == part + 1 } ?? true
                if batch.through.position != cursor.position || !isNext {
                    note(.snapshotFirst, "the part of a snapshot behind \(cursor) ends at \(batch.through)")
                }
            } else if batch.through.part != nil {
                note(
                    .chain,
                    "a part of a snapshot, \(batch.through), follows \(cursor), which lies behind the snapshot"
                )
            }
            return add(batch, number, toSnapshot: cursor.part != nil && snapshot != nil)
        }
        if batch.through <= cursor {
            // A repetition, which a queue skips. Its content must have been sent before.
            if let asked, batch.through <= asked { return }
            let new = batch.updates.filter { !seen.contains($0) }
            guard let first = new.first else { return }
            let what = "a batch that ends at \(batch.through), where the receiver had come to \(cursor),"
            note(.chain, "\(what) holds something new: \(first.summary)")
            for update in new { updates.append((number, update)) }
            return
        }
        let promise: ContractPromise = isFirst ? .cursorResumes : .chain
        note(promise, "a batch follows \(name(batch.after)) where the receiver had come to \(cursor)")
        // Adds the batch all the same: the error is recorded, and the updates may still be checked.
        add(batch, number, toSnapshot: false)
    }

    private mutating func add(_ batch: UpdateBatch, _ number: Int, toSnapshot: Bool) {
        cursor = batch.through
        for update in batch.updates {
            seen.insert(update)
            updates.append((number, update))
            if toSnapshot, case .transaction(let transaction) = update { snapshot?.append(transaction) }
        }
    }

    private mutating func note(_ promise: ContractPromise, _ why: String) {
        if flaw == nil { flaw = (promise, why) }
    }

    private func name(_ cursor: UpdateCursor?) -> String { cursor.map { "\($0)" } ?? "nothing" }
}
