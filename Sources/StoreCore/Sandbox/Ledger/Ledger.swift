/// Where a sandbox store keeps everything that ever changed.
///
/// The store decides, appends what it decided and only then acts on it: one append and one commit for each change.
///
/// Several stores may share a ledger: whoever appends says where it believes the end to be, and if somebody was faster it
/// reads what is new and decides again. A ledger tells nobody that it has grown. A store notices what another appended
/// when it is next used: when a queue connects or submits, a product is looked up, or its owner asks or changes something.
///
/// An append or commit that throws leaves nothing of what was appended since the last commit. That is the ledger's duty:
/// the store goes back to what it was, and the queue sends the same commands again.
///
/// A store calls its ledger from one thread at a time, with its own lock held; a ledger must not call back.
public protocol Ledger: AnyObject, Sendable {
    /// How many records there are.
    var head: Int { get throws }

    /// Appends records behind the last one.
    ///
    /// - Parameters:
    ///   - records: at least one, to be kept together or not at all.
    ///   - head: how many records the caller has seen.
    /// - Returns: false, with nothing appended, if there are more by now.
    /// - Throws: what keeps the records from being written. Nothing since the last commit has been appended then.
    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool

    /// Makes all that was appended since the last commit last, together.
    ///
    /// - Throws: what kept it from lasting. Nothing of it has been appended then.
    func commit() throws

    /// Reads in order.
    ///
    /// - Parameters:
    ///   - position: how many records to pass over.
    ///   - limit: how many to read at the most.
    /// - Returns: fewer than `limit` only at the end; none behind it.
    /// - Throws: what keeps the records from being read.
    func read(after position: Int, limit: Int) throws -> [LedgerRecord]
}

/// A ledger in memory.
///
/// It grows by segments: the millionth record costs what the first did.
public final class MemoryLedger: Ledger {
    private let records = Locked(PackedRecords())

    /// Makes an empty ledger.
    public init() {}

    /// How many records there are.
    public var head: Int { records.withLock { $0.count } }

    /// Appends records.
    ///
    /// Never throws.
    public func append(_ new: [LedgerRecord], ifHeadIs head: Int) -> Bool {
        records.withLock { records in
            guard records.count == head else { return false }
            for index in new.indices { records.append(new[index]) }
            return true
        }
    }

    /// Does nothing: what is in memory lasts as long as it can.
    public func commit() {}

    /// Reads in order.
    ///
    /// Never throws.
    public func read(after position: Int, limit: Int) -> [LedgerRecord] {
        records.withLock { $0.read(after: position, limit: limit) }
    }
}
