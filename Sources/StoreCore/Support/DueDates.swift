import Foundation

/// The moments at which items are due, with the earliest first.
///
/// An item whose moment changes is scheduled again, and its former entry stays until its owner removes it as the first
/// one. The owner knows which entries are current.
struct DueDates<Item: Hashable & Codable & Sendable>: Hashable, Sendable {
    /// An item and its moment.
    struct Entry: Hashable, Codable, Sendable {
        let moment: Date
        let item: Item

        private enum CodingKeys: String, CodingKey {
            // The first items in snapshots were subscriptions.
            case moment, item = "subscription"
        }
    }

    /// A binary heap.
    private var entries: [Entry] = []

    /// The earliest entry; nil without entries.
    var first: Entry? { entries.first }

    /// Whether no entry but the first is due by a moment.
    func isFirstAlone(by moment: Date) -> Bool { entries.dropFirst().prefix(2).allSatisfy { $0.moment > moment } }

    /// Returns the moment of the earliest entry after a moment that is current; nil for none.
    func earliest(after moment: Date, where isCurrent: (Entry) -> Bool) -> Date? {
        earliest(after: moment, below: 0, where: isCurrent)
    }

    private func earliest(after moment: Date, below place: Int, where isCurrent: (Entry) -> Bool) -> Date? {
        guard place < entries.count else { return nil }
        if entries[place].moment > moment, isCurrent(entries[place]) { return entries[place].moment }
        let children = (2 * place + 1)...(2 * place + 2)
        return children.compactMap { earliest(after: moment, below: $0, where: isCurrent) }.min()
    }

    /// Calls a closure with each entry that has the moment of the first, in any order.
    func forEachFirst(_ body: (Entry) -> Void) {
        if let moment = first?.moment { forEach(at: moment, below: 0, body) }
    }

    private func forEach(at moment: Date, below place: Int, _ body: (Entry) -> Void) {
        guard place < entries.count, entries[place].moment == moment else { return }
        body(entries[place])
        for child in (2 * place + 1)...(2 * place + 2) { forEach(at: moment, below: child, body) }
    }

    /// Adds an entry for an item.
    mutating func schedule(_ item: Item, at moment: Date) {
        let new = Entry(moment: moment, item: item)
        // What was just due is usually the first of the heap: its entry is replaced in place.
        if let first = entries.first, first.item == item, first.moment <= moment {
            entries[0] = new
            sink()
        } else {
            push(new)
        }
    }

    private mutating func push(_ new: Entry) {
        entries.append(new)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].moment < entries[parent].moment else { break }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the earliest entry, of which there has to be one.
    mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        sink()
    }

    /// Restores the heap's order after the first entry has become later.
    private mutating func sink() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < entries.count else { return }
            if child + 1 < entries.count, entries[child + 1].moment < entries[child].moment { child += 1 }
            guard entries[child].moment < entries[parent].moment else { return }
            entries.swapAt(child, parent)
            parent = child
        }
    }
}

extension DueDates: Codable {
    init(from decoder: any Decoder) throws { entries = try [Entry](from: decoder) }

    func encode(to encoder: any Encoder) throws { try entries.encode(to: encoder) }
}
