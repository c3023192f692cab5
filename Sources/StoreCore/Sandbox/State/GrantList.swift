/// A list of granted transactions in the order in which they were granted, from which some are removed.
///
/// Appending, removing and finding a place cost the same in a short list and, but for a binary search, in a long one.
struct GrantList: Sendable {
    private struct Entry: Sendable {
        let sequence: Int
        let number: TransactionNumber
        var isRemoved = false
    }

    private var entries: [Entry] = []
    private var removed = 0

    /// Inserts a transaction at the place of its sequence number, which is the end for all but those that return.
    mutating func insert(_ number: TransactionNumber, sequence: Int) {
        let index = place(of: sequence)
        if index == entries.count {
            entries.append(Entry(sequence: sequence, number: number))
        } else if entries[index].sequence == sequence {
            if entries[index].isRemoved { removed -= 1 }
            entries[index].isRemoved = false
        } else {
            entries.insert(Entry(sequence: sequence, number: number), at: index)
        }
    }

    /// Removes a transaction, if it is there.
    mutating func remove(sequence: Int) {
        let index = place(of: sequence)
        guard index < entries.count, entries[index].sequence == sequence, !entries[index].isRemoved else { return }
        entries[index].isRemoved = true
        removed += 1
        if removed > 32, removed > entries.count / 2 {
            entries.removeAll { $0.isRemoved }
            removed = 0
        }
    }

    /// The transactions, oldest first.
    var oldestFirst: some Sequence<TransactionNumber> {
        entries.lazy.filter { !$0.isRemoved }.map(\.number)
    }

    /// Returns the transactions behind a sequence number, oldest first.
    func oldestFirst(after sequence: Int) -> some Sequence<TransactionNumber> {
        entries[place(of: sequence + 1)...].lazy.filter { !$0.isRemoved }.map(\.number)
    }

    /// Returns the transactions granted before a sequence number, newest first; all of them without one.
    func newestFirst(before sequence: Int? = nil) -> some Sequence<TransactionNumber> {
        let end = sequence.map { place(of: $0) } ?? entries.count
        return entries[..<end].reversed().lazy.filter { !$0.isRemoved }.map(\.number)
    }

    /// Returns the index of the first entry that does not come before a sequence number.
    private func place(of sequence: Int) -> Int {
        if let last = entries.last, last.sequence < sequence { return entries.count }
        return entries.indices.partitionPoint { entries[$0].sequence < sequence }
    }
}
