import StoreCore

/// A journal that reports when it is empty: the store has taken every command.
final class WatchedJournal: QueueJournal {
    private let journal: any QueueJournal
    private let waiting = Locked<Set<OrderID>>([])
    private let isEmptied: @Sendable () -> Void

    /// Watches a journal.
    ///
    /// The body is called on the queue's store lane.
    init(_ journal: any QueueJournal, isEmptied: @escaping @Sendable () -> Void) {
        (self.journal, self.isEmptied) = (journal, isEmptied)
    }

    var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents {
        let contents = try journal.open(superseded: superseded)
        waiting.withLock { $0 = Set(contents.commands.map(\.id)) }
        return contents
    }

    func record(_ commands: [StoreCommand]) throws {
        try journal.record(commands)
        waiting.withLock { $0.formUnion(commands.map(\.id)) }
    }

    func forget(_ commands: [OrderID]) throws {
        try journal.forget(commands)
        waiting.withLock { $0.subtract(commands) }
        if isEmpty { isEmptied() }
    }
}
