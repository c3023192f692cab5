/// Where a queue keeps what its store has not acknowledged yet, so that it survives the process.
///
/// A journal holds only commands on their way: what a store acknowledged at once never comes here, and what it
/// acknowledges later is forgotten. One queue at a time uses a journal; opening it again, as a relaunch does, silences
/// the queue before, which logs a line unless it was relaunched. Calls come one at a time, on the queue's store lane.
public protocol QueueJournal: AnyObject, Sendable {
    /// Begins a run of the app on this journal.
    ///
    /// - Parameter superseded: to be called when the journal is opened again, before that call returns.
    /// - Returns: a name for this opening that none before had and no other journal will give, and what was recorded and
    ///   not forgotten, in the order in which it was recorded.
    /// - Throws: what keeps the journal from being read. The queue logs it and sells on without a journal: what the store
    ///   takes at once is safe there, everything else fails with this error's sentence.
    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents

    /// Keeps commands. Once this returns they survive the process.
    ///
    /// - Throws: what kept them from being written; then none of them is kept.
    func record(_ commands: [StoreCommand]) throws

    /// Lets go of commands that were recorded and are now acknowledged. Those that are not there do no harm.
    ///
    /// - Throws: what kept it from being written. The commands will be sent once more after a relaunch, which a store
    ///   bears.
    func forget(_ commands: [OrderID]) throws
}

/// What a queue finds in its journal when it starts.
public struct JournalContents: Hashable, Sendable {
    /// The name of this opening.
    public var id: JournalID
    /// Commands of earlier openings that no store has acknowledged, in their order.
    public var commands: [StoreCommand]
    /// Makes contents.
    public init(id: JournalID, commands: [StoreCommand]) {
        self.id = id
        self.commands = commands
    }
}

/// A journal in memory: it survives the queue, not the process.
///
/// For tests, which relaunch within one process.
public final class MemoryJournal: QueueJournal {
    private let state: Locked<State>

    private struct State {
        var nextID: UInt64
        var commands: [StoreCommand] = []
        var superseded: (@Sendable () -> Void)?
    }

    /// Makes an empty journal.
    ///
    /// - Parameter firstID: the name of its first opening, from which the others count on; for runs that are replayed.
    ///   Two journals on one store must not share names.
    public init(firstID: JournalID = .unique()) { state = Locked(State(nextID: firstID.rawValue)) }

    /// What is recorded and not forgotten.
    public var commands: [StoreCommand] { state.withLock { $0.commands } }

    /// Begins a run on this journal.
    ///
    /// Never throws.
    public func open(superseded: @escaping @Sendable () -> Void) -> JournalContents {
        let (contents, previous) = state.withLock { state in
            defer {
                state.nextID &+= 1
                state.superseded = superseded
            }
            let contents = JournalContents(id: JournalID(rawValue: state.nextID), commands: state.commands)
            return (contents, state.superseded)
        }
        previous?()
        return contents
    }

    /// Keeps commands.
    ///
    /// Never throws.
    public func record(_ commands: [StoreCommand]) { state.withLock { $0.commands += commands } }

    /// Lets go of commands.
    ///
    /// Never throws.
    public func forget(_ commands: [OrderID]) {
        state.withLock { state in
            let forgotten = Set(commands)
            state.commands.removeAll { forgotten.contains($0.id) }
        }
    }
}
