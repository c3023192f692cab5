/// A FIFO of work items that exactly one thread drains at a time, in batches.
///
/// An outbox is part of its owner's locked state. The owner appends items under its lock and calls `schedule`; if that
/// returns true, the caller must start a drain. The draining thread calls `begin` and takes batches until none is left,
/// working without the lock. Threads that append items during a drain need not wait, since the draining thread takes
/// their items too.
///
/// Two buffers are swapped, so that an idle queue allocates nothing. A backlog is stored in batches, so that it is
/// never moved.
package struct Outbox<Item> {
    private enum Phase { case idle, scheduled, draining }

    private var items: [Item] = []
    /// The full batches that precede `items`; none while `items` is empty.
    private var full = Deque<[Item]>()
    private var spare: [Item] = []
    private var phase = Phase.idle
    /// The number of batches that have been taken.
    private var taken = 0

    /// Whether no drain is scheduled or under way.
    package var isQuiet: Bool { phase == .idle }
    /// Whether no drain is scheduled or under way, and no item is pending.
    package var isIdle: Bool { phase == .idle && items.isEmpty }
    /// Whether a drain is scheduled and has not begun.
    package var isScheduled: Bool { phase == .scheduled }
    /// The number of the batch that is being drained; nil if there is none.
    package var batchUnderWay: Int? { phase == .draining ? taken : nil }

    /// Creates an empty outbox.
    package init() {}

    private static var batchSize: Int { 1024 }

    /// All pending items, in order.
    package var waiting: [Item] { (0..<full.count).flatMap { full[$0] } + items }

    /// Returns whether an item that satisfies a condition is pending.
    package func isWaiting(where condition: (Item) -> Bool) -> Bool {
        items.contains(where: condition) || (0..<full.count).contains { full[$0].contains(where: condition) }
    }

    package mutating func append(_ item: consuming Item) {
        if items.count == Self.batchSize { closeBatch() }
        items.append(item)
    }

    // Separate from `append` to keep that small, since it is inlined in many places.
    @inline(never)
    private mutating func closeBatch() {
        full.append(items)
        items = []
        items.reserveCapacity(Self.batchSize)
    }

    /// Schedules a drain; returns true if the caller must perform it.
    package mutating func schedule() -> Bool {
        guard phase == .idle, !items.isEmpty else { return false }
        phase = .scheduled
        return true
    }

    /// Appends items by moving them.
    package mutating func append(from new: inout [Item]) {
        new.reverseInPlace()
        while let item = new.popLast() { append(item) }
    }

    /// Begins a drain with new items, which become the first batch without entering the outbox.
    ///
    /// Returns false, with nothing moved, if a drain is scheduled or under way, or if items are pending.
    @inline(__always)
    package mutating func begin(with new: inout [Item], _ batch: inout [Item]) -> Bool {
        guard isIdle else { return false }
        phase = .draining
        taken &+= 1
        swap(&spare, &batch)
        swap(&new, &batch)
        return true
    }

    /// Takes the first batch; returns false if another thread has taken it.
    package mutating func begin(_ batch: inout [Item]) -> Bool {
        guard phase == .scheduled else { return false }
        phase = .draining
        return take(&batch)
    }

    /// Gives back the previous batch's buffer, and takes the next batch.
    ///
    /// Returns false if there is no next batch, which ends the drain.
    package mutating func take(_ batch: inout [Item]) -> Bool {
        batch.empty()
        if items.isEmpty {
            if batch.capacity > 0 { swap(&spare, &batch) }
            phase = .idle
            return false
        }
        taken &+= 1
        if !full.isEmpty {
            // Moved out, so that no second reference remains, which would make a change copy the batch.
            batch = []
            swap(&full[0], &batch)
            _ = full.removeFirst()
            return true
        }
        if batch.capacity == 0 { swap(&spare, &batch) }
        swap(&items, &batch)
        return true
    }

    /// Gives back the previous batch's buffer, and ends the drain early.
    ///
    /// Returns true if items are pending; the caller must then start another drain.
    package mutating func endEarly(_ batch: inout [Item]) -> Bool {
        batch.empty()
        if batch.capacity > 0 { swap(&spare, &batch) }
        phase = items.isEmpty ? .idle : .scheduled
        return isScheduled
    }

    /// Discards the pending items.
    package mutating func clear() {
        full = Deque()
        items = []
    }
}

extension Outbox: Sendable where Item: Sendable {}

extension Locked {
    /// Drains a scheduled outbox, unless another thread drains it; works without the lock.
    ///
    /// - Parameters:
    ///   - outbox: the path of the outbox in the locked value.
    ///   - hasTurns: whether to end after one batch.
    ///   - work: processes one item.
    /// - Returns: whether items are still pending; if so, the caller must start another drain.
    @discardableResult
    package func drain<Item>(
        _ outbox: WritableKeyPath<Value, Outbox<Item>>,
        hasTurns: Bool = false,
        _ work: (Item) -> Void
    ) -> Bool {
        var batch: [Item] = []
        guard withLock({ $0[keyPath: outbox].begin(&batch) }) else { return false }
        repeat {
            for item in batch { work(item) }
            if hasTurns { return withLock { $0[keyPath: outbox].endEarly(&batch) } }
        } while withLock { $0[keyPath: outbox].take(&batch) }
        return false
    }
}
