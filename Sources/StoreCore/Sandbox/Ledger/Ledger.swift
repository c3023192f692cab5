import Foundation

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

/// A ledger that outlives the process, and keeps snapshots so that older records need not be replayed.
public protocol DurableLedger: Ledger {
    /// The lane on which queues call a store on this ledger: ``BackendLane/background`` for one that waits for a disk,
    /// so that no app does, and so that records added meanwhile are written together.
    var lane: BackendLane { get }

    /// The least number of records between two snapshots: 1,024 unless the ledger says otherwise.
    ///
    /// A ledger whose snapshots are cheap may ask for fewer, and a ledger under test for very few.
    var snapshotDistance: Int { get }

    /// Returns the snapshot that ``keep(_:)`` was given last; nil for none, or one that cannot be read any more.
    ///
    /// - Throws: the error that keeps it from being read. The store then reads all records.
    func snapshot() throws -> LedgerSnapshot?

    /// Replaces the snapshot. No record is removed with it.
    ///
    /// - Throws: the error that kept it from being written. The former one is then still there.
    func keep(_ snapshot: LedgerSnapshot) throws
}

extension DurableLedger {
    /// The number at which a snapshot costs little compared with the records before it.
    public var snapshotDistance: Int { 1024 }
}

/// A ledger to which stores in other processes append too, and which reports that they have.
///
/// A store on it learns of what others append without being used, and tells its queues.
public protocol SharedLedger: DurableLedger {
    /// Adds a listener, to be told when another store may have appended records.
    ///
    /// The ledger keeps a weak reference. It may tell a listener that nothing has come, and it may be late; it is never
    /// silent for good, whatever is lost on the way.
    ///
    /// - Parameter listener: is told on a thread of the ledger's, with no lock held, one call at a time.
    func add(_ listener: any LedgerListener)
}

/// The recipient of the news that a ledger may have grown.
public protocol LedgerListener: AnyObject, Sendable {
    /// Reports that other stores may have appended records. It may call the ledger.
    func ledgerMayHaveGrown()
}

/// A ledger on which stores take turns where several append.
///
/// Otherwise each record has all but one of them decide in vain, and the slowest never succeeds. A turn saves work, and is
/// no promise: an append may still find that another store was faster.
package protocol TurnTakingLedger: SharedLedger {
    /// Waits for the caller's turn if other stores have appended lately, and learns of their records.
    ///
    /// The turn ends with the next append of the calling thread, or with ``endTurn()``. Other stores wait meanwhile.
    ///
    /// - Returns: whether it has learned of records.
    func beginTurn() -> Bool

    /// Ends the calling thread's turn, if it has one.
    func endTurn()
}

/// The state after a ledger's first records, so that a store need not replay them when it opens.
///
/// It is only a shortcut: without it, or where another version of the store wrote it, all records are read.
public struct LedgerSnapshot: Hashable, Sendable {
    /// The number of records that it covers.
    public let position: Int
    /// The encoded state, in a form private to the store.
    public let state: Data

    /// Creates a snapshot from its kept parts.
    public init(position: Int, state: Data) {
        self.position = position
        self.state = state
    }
}
