/// What one thread at a time takes out in order, in whole batches.
///
/// A part of its owner's locked state. The owner puts things in under its lock and asks `schedule`: whoever gets true
/// sees to it that somebody drains. That one asks `begin` and takes batches until there is none left, calling out
/// without the lock; everybody else goes on, because the one who drains takes theirs too. Two buffers change places, so
/// that a queue at rest allocates nothing; what piles up does so in batches, so that it is never moved.
package struct Outbox<Item> {
    private enum Phase { case idle, scheduled, draining }

    private var items: [Item] = []
    /// Batches that wait before `items`; there are none while `items` is empty.
    private var full = Deque<[Item]>()
    private var spare: [Item] = []
    private var phase = Phase.idle
    /// The number of batches that have been taken.
    private var taken = 0

    /// Nothing is waiting, and nobody is at work on what was taken.
    package var isQuiet: Bool { phase == .idle }
    /// Nothing is waiting, and nobody is to drain or drains.
    package var isIdle: Bool { phase == .idle && items.isEmpty }
    /// Somebody is to drain and has not begun.
    package var isScheduled: Bool { phase == .scheduled }
    /// The number of the batch that is being drained; nil if there is none.
    package var batchUnderWay: Int? { phase == .draining ? taken : nil }

    /// Nothing is waiting.
    package init() {}

    private static var batchSize: Int { 1024 }

    /// All that waits, in order.
    package var waiting: [Item] { (0..<full.count).flatMap { full[$0] } + items }

    /// Returns whether an item for which something holds is waiting.
    package func isWaiting(where condition: (Item) -> Bool) -> Bool {
        items.contains(where: condition) || (0..<full.count).contains { full[$0].contains(where: condition) }
    }

    package mutating func append(_ item: consuming Item) {
        if items.count == Self.batchSize { closeBatch() }
        items.append(item)
    }

    // Apart from what is done for each item, which is all over the place.
    @inline(never)
    private mutating func closeBatch() {
        full.append(items)
        items = []
        items.reserveCapacity(Self.batchSize)
    }

    /// True makes the caller the one who sees to the draining.
    package mutating func schedule() -> Bool {
        guard phase == .idle, !items.isEmpty else { return false }
        phase = .scheduled
        return true
    }

    /// Moves items into the outbox.
    package mutating func append(from new: inout [Item]) {
        new.reverseInPlace()
        while let item = new.popLast() { append(item) }
    }

    /// Begins to drain with items that have not been in the outbox, which become the first batch.
    ///
    /// Returns false, with nothing moved, if somebody drains already or something waits.
    @inline(__always)
    package mutating func begin(with new: inout [Item], _ batch: inout [Item]) -> Bool {
        guard isIdle else { return false }
        phase = .draining
        taken &+= 1
        swap(&spare, &batch)
        swap(&new, &batch)
        return true
    }

    /// Takes the first batch; false where somebody else came first.
    package mutating func begin(_ batch: inout [Item]) -> Bool {
        guard phase == .scheduled else { return false }
        phase = .draining
        return take(&batch)
    }

    /// Gives back the last batch and takes the next.
    ///
    /// False ends the draining.
    package mutating func take(_ batch: inout [Item]) -> Bool {
        batch.empty()
        if items.isEmpty {
            if batch.capacity > 0 { swap(&spare, &batch) }
            phase = .idle
            return false
        }
        taken &+= 1
        if !full.isEmpty {
            // Nothing of it stays behind: a batch that two refer to would be copied.
            batch = []
            swap(&full[0], &batch)
            _ = full.removeFirst()
            return true
        }
        if batch.capacity == 0 { swap(&spare, &batch) }
        swap(&items, &batch)
        return true
    }

    /// Gives back the last batch and ends the draining.
    ///
    /// True makes the caller the one who sees to the draining of what waits.
    package mutating func rest(_ batch: inout [Item]) -> Bool {
        batch.empty()
        if batch.capacity > 0 { swap(&spare, &batch) }
        phase = items.isEmpty ? .idle : .scheduled
        return isScheduled
    }

    /// Forgets what is waiting.
    package mutating func clear() {
        full = Deque()
        items = []
    }
}

extension Outbox: Sendable where Item: Sendable {}

extension Array {
    /// Removes everything.
    ///
    /// A buffer of a usual size is kept for what comes next.
    mutating func empty() {
        if count > 8 { return removeAll(keepingCapacity: capacity <= 4096) }
        // Quicker than removing them together.
        while !isEmpty { removeLast() }
    }

    /// Turns it round, for its elements to be moved out from the end: `reverse()` would copy each of them.
    @inline(__always)
    mutating func reverseInPlace() {
        guard count > 1 else { return }
        withUnsafeMutableBufferPointer { elements in
            for index in 0..<elements.count / 2 { elements.swapAt(index, elements.count - 1 - index) }
        }
    }
}
