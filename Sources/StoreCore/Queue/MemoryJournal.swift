/// A journal in memory, which survives the queue but not the process.
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
    /// - Parameter firstID: the name of its first opening, from which later names count up; for runs that are replayed.
    ///   Two journals on one store must not share names.
    public init(firstID: JournalID = .unique()) { state = Locked(State(nextID: firstID.rawValue)) }

    /// The commands that are recorded and not forgotten.
    public var commands: [StoreCommand] { state.withLock { $0.commands } }

    /// Opens the journal for a launch of the app.
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

    /// Records commands.
    ///
    /// Never throws.
    public func record(_ commands: [StoreCommand]) { state.withLock { $0.commands += commands } }

    /// Forgets commands.
    ///
    /// Never throws.
    public func forget(_ commands: [OrderID]) {
        state.withLock { state in
            let forgotten = Set(commands)
            state.commands.removeAll { forgotten.contains($0.id) }
        }
    }
}
