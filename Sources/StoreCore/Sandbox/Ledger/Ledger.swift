/// The log of all changes to a sandbox store.
///
/// The store decides, appends its decision and only then acts on it: one append and one commit for each change.
///
/// Several stores may share a ledger: an append states the expected head, and if another store was faster the caller
/// reads the new records and decides again. A store notices what another appended when it is next used: when a queue
/// connects or submits, a product is looked up, or its operator asks or changes something. A ``SharedLedger`` reports
/// it at once.
///
/// An append or commit that throws leaves nothing of what was appended since the last commit. That is the ledger's
/// duty: the store rolls back, and the queue sends the same commands again. A ledger that cannot know, since it lost
/// its server in the middle, may come to have the records later. The store then meets them as another store's, and
/// recognizes the commands that it took with them.
///
/// A store calls its ledger from one thread at a time, with its own lock held; a ledger must not call back.
public protocol Ledger: AnyObject, Sendable {
    /// The number of records.
    var head: Int { get throws }

    /// Appends records behind the last one. They may be durable at once, and are so after ``commit()``.
    ///
    /// - Parameters:
    ///   - records: at least one, to be kept together or not at all.
    ///   - head: the number of records that the caller has seen.
    /// - Returns: false, with nothing appended, if there are more by now.
    /// - Throws: the error that keeps the records from being written. Nothing since the last commit is appended then.
    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool

    /// Commits all records appended since the last commit that are not durable yet, atomically.
    ///
    /// - Throws: the error that kept them from being committed. None of them has been appended then.
    func commit() throws

    /// Returns records in order.
    ///
    /// - Parameters:
    ///   - position: the number of records to skip.
    ///   - limit: the greatest number to read.
    /// - Returns: fewer than `limit` only at the end; none behind it.
    /// - Throws: the error that keeps the records from being read.
    func read(after position: Int, limit: Int) throws -> [LedgerRecord]
}
