/// What one thread at a time takes out in order, in whole batches.
///
/// A part of its owner's locked state. The owner puts things in under its lock and asks `beginDraining`; whoever gets
/// true takes batches until there is none left, without the lock, and everybody else goes on: the one who drains takes
/// theirs too. Two buffers change places, so a queue at rest allocates nothing.
struct Outbox<Item> {
    private(set) var items: [Item] = []
    private(set) var isDraining = false
    private var spare: [Item] = []

    /// Nothing is waiting, and nobody is at work on what was taken.
    var isQuiet: Bool { !isDraining && items.isEmpty }

    mutating func append(_ item: Item) { items.append(item) }

    /// True makes the caller the one who drains.
    mutating func beginDraining() -> Bool {
        guard !isDraining, !items.isEmpty else { return false }
        isDraining = true
        return true
    }

    /// Gives back the last batch and takes the next. False ends the draining.
    mutating func take(_ batch: inout [Item]) -> Bool {
        batch.removeAll(keepingCapacity: batch.capacity <= 4096)
        if items.isEmpty {
            swap(&spare, &batch)
            isDraining = false
            return false
        }
        if batch.capacity == 0 { swap(&spare, &batch) }
        swap(&items, &batch)
        return true
    }

    /// Forgets what is waiting.
    mutating func clear() { items.removeAll() }
}
