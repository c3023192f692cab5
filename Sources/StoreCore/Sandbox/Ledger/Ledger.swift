/// The log of all changes to a sandbox store.
///
/// The store decides, appends its decision and only then acts on it: one append and one commit for each change.
///
/// Several stores may share a ledger: an append states the expected head, and if another store was faster the caller
/// reads the new records and decides again. A ledger does not report that it has grown. A store notices what another
/// appended when it is next used: when a queue connects or submits, a product is looked up, or its operator asks or
/// changes something.
///
/// An append or commit that throws leaves nothing of what was appended since the last commit. That is the ledger's
/// duty: the store rolls back, and the queue sends the same commands again.
///
/// A store calls its ledger from one thread at a time, with its own lock held; a ledger must not call back.
public protocol Ledger: AnyObject, Sendable {
    /// The number of records.
    var head: Int { get throws }

    /// Appends records behind the last one.
    ///
    /// - Parameters:
    ///   - records: at least one, to be kept together or not at all.
    ///   - head: the number of records that the caller has seen.
    /// - Returns: false, with nothing appended, if there are more by now.
    /// - Throws: the error that keeps the records from being written. Nothing since the last commit is appended then.
    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool

    /// Commits all records appended since the last commit, atomically.
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
