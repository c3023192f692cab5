/// A durable record of the commands that a queue's store has not acknowledged, so that they survive the process.
///
/// A journal holds only commands on their way. A command that the store acknowledges at once is never recorded; one
/// that it acknowledges later is forgotten. One queue at a time uses a journal. Opening it again, as a relaunch does,
/// silences the previous queue, which logs a line unless it was relaunched. Calls come one at a time, on the queue's
/// store lane.
public protocol QueueJournal: AnyObject, Sendable {
    /// Opens the journal for a launch of the app.
    ///
    /// - Parameter superseded: to be called when the journal is opened again, before that call returns.
    /// - Returns: a name for this opening, unique among all openings of all journals, and the commands that were
    ///   recorded and not forgotten, in the order in which they were recorded.
    /// - Throws: the error that keeps the journal from being read. The queue logs it and sells without a journal:
    ///   commands that the store accepts at once are safe there, all others fail with this error's sentence.
    func open(superseded: @escaping @Sendable () -> Void) throws -> JournalContents

    /// Records commands, which survive the process once this returns.
    ///
    /// - Throws: the error that kept them from being written, and then this call has kept none of them: the queue fails the
    ///   purchases among them. ``JournalInDoubtError`` where the journal cannot know; it may then be given the same commands
    ///   again, and records once those that it has.
    func record(_ commands: [StoreCommand]) throws

    /// Forgets recorded commands that are now acknowledged. Unknown commands are ignored.
    ///
    /// - Throws: the error that kept it from being written. The commands will be sent once more after a relaunch, which
    ///   a store tolerates.
    func forget(_ commands: [OrderID]) throws
}

/// The contents of a journal when a queue opens it.
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
