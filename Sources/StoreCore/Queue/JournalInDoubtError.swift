/// The error of a ``QueueJournal`` that does not know whether commands are recorded: its answer was lost on the way.
///
/// A purchase that failed may not come back at the next launch. So the queue neither fails these purchases nor tells of them.
/// They go with the next submission to the store, and are offered to the journal again when it is not taken.
public struct JournalInDoubtError: Error, CustomStringConvertible {
    /// The sentence that says what was lost, for a developer's log.
    public let description: String

    /// Creates an error with a sentence that holds no receipt, account or key.
    public init(_ description: String) { self.description = description }
}
