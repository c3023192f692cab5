/// A durable record of the commands that a queue's store has not acknowledged, so that they survive the process.
///
/// A journal contains only unacknowledged commands. A command that the store acknowledges at once is never recorded;
/// one that it acknowledges later is removed.
///
/// A journal serves one queue at a time. When another queue opens it, as after a relaunch, the previous queue stops.
/// Unless it was relaunched, the previous queue also logs a message. A queue makes one call at a time: it opens the
/// journal when it starts, and makes all other calls where it calls its store, see ``StoreBackend/lane``.
public protocol QueueJournal: AnyObject, Sendable {
    /// Opens the journal for a launch of the app.
    ///
    /// - Parameter superseded: a closure to call when the journal is opened again, before the later call returns.
    /// - Returns: an identifier of this opening, unique among all openings of all journals, and the commands that were
    ///   recorded and not forgotten, in the order in which they were recorded.
    /// - Throws: the error that prevents reading. The queue logs the error and sells without a journal: a purchase that
    ///   has to wait for its submission, or that the store puts off, fails with the error's description.
    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents

    /// Records commands, which survive the process once this returns.
    ///
    /// - Throws: the error that prevented writing, if none of the commands is recorded. The queue then fails the
    ///   purchases among them, except those that are being submitted. Throw a ``JournalInDoubtError`` if the journal
    ///   cannot know whether the commands are recorded. It may then receive the same commands again, and must record
    ///   each of them only once.
    func record(_ commands: [StoreCommand]) throws

    /// Forgets recorded commands that are now acknowledged. Unknown commands are ignored.
    ///
    /// - Throws: the error that prevented writing. The commands will be sent once more after a relaunch, which a store
    ///   tolerates.
    func forget(_ commands: [OrderID]) throws
}

/// The contents of a journal when a queue opens it.
public struct JournalContents: Hashable, Sendable {
    /// The identifier of this opening of the journal, unique among all openings of all journals.
    public var id: JournalID
    /// The unacknowledged commands of earlier openings, in the order in which they were recorded.
    public var commands: [StoreCommand]
    /// Creates contents.
    public init(id: JournalID, commands: [StoreCommand]) {
        self.id = id
        self.commands = commands
    }
}

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

    /// Creates an empty journal.
    ///
    /// - Parameter firstID: the identifier of the journal's first opening; later openings count up from it. A fixed
    ///   identifier makes a run reproducible. Two journals on one store must not share identifiers.
    public init(firstID: JournalID = .unique()) { state = Locked(State(nextID: firstID.rawValue)) }

    /// The commands that are recorded and not forgotten.
    package var commands: [StoreCommand] { state.withLock { $0.commands } }

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

/// The error of a ``QueueJournal`` that does not know whether commands are recorded, because the reply was lost.
///
/// The queue neither reports the purchases among these commands nor fails them, since a failed purchase must not return
/// at the next launch. It sends the commands with its next submission. If the store does not accept the submission, the
/// queue offers them to the journal again.
public struct JournalInDoubtError: Error, CustomStringConvertible {
    /// A sentence that says what was lost, for a developer's log.
    public let description: String

    /// Creates an error with a sentence, which must contain no receipt, account or key.
    public init(_ description: String) { self.description = description }
}

/// A placeholder for a journal that could not be opened: records nothing, and throws the error.
final class UnreadableJournal: QueueJournal {
    let error: StoreFailure
    init(error: StoreFailure) { self.error = error }
    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents { throw error }
    func record(_ commands: [StoreCommand]) throws { throw error }
    func forget(_ commands: [OrderID]) throws {}
}
