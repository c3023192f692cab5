import Foundation

/// The log of all changes to a sandbox store.
///
/// The store decides about a change, appends the decision, commits once, and only then applies the decision.
///
/// Several stores may share a ledger. An append states the expected ``head``; if another store has appended first, the
/// caller reads the new records and decides again. A store reads the records of other stores at its next use: when a
/// queue connects or submits, a product is looked up, or the operator reads or changes something. A ``SharedLedger``
/// reports new records at once.
///
/// An append or commit that throws discards everything appended since the last commit. The ledger must ensure this,
/// since the store rolls back, and the queue sends the same commands again. If a ledger loses the connection to its
/// server and cannot know the outcome, the records may turn out to be in the ledger later. The store then reads them
/// like the records of another store, and recognizes their commands as accepted.
///
/// A store calls its ledger from one thread at a time, with its own lock held, so a ledger must not call a store.
public protocol Ledger: AnyObject, Sendable {
    /// The number of records.
    var head: Int { get throws }

    /// Appends records after the last one; they are durable after ``commit()``, or at once.
    ///
    /// - Parameters:
    ///   - records: at least one; all or none of them are stored.
    ///   - head: the number of records that the caller has seen.
    /// - Returns: false, with nothing appended, if the ledger has more records by now.
    /// - Throws: the error that prevents writing the records. The ledger then contains nothing appended since the last
    ///   commit.
    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool

    /// Commits all records appended since the last commit that are not durable yet, atomically.
    ///
    /// - Throws: the error that prevented the commit. None of the records is in the ledger then.
    func commit() throws

    /// Returns records in order.
    ///
    /// - Parameters:
    ///   - position: the number of records to skip.
    ///   - limit: the maximum number to read.
    /// - Returns: the records, fewer than `limit` only at the end of the ledger.
    /// - Throws: the error that prevents reading the records.
    func read(after position: Int, limit: Int) throws -> [LedgerRecord]
}

/// A ledger that outlives the process, and stores snapshots so that older records need not be replayed.
public protocol DurableLedger: Ledger {
    /// The lane on which queues call a store on this ledger.
    ///
    /// A ledger that waits for a disk uses ``BackendLane/background``: no app waits for the disk, and records that are
    /// added during a write are written together.
    var lane: BackendLane { get }

    /// The minimum number of records between two snapshots: 1,024 by default.
    ///
    /// A ledger whose snapshots are cheap may use fewer, and a ledger under test very few.
    var snapshotDistance: Int { get }

    /// Returns the snapshot last passed to ``keep(_:)``; nil if there is none, or if it can no longer be read.
    ///
    /// - Throws: the error that prevents reading the snapshot. The store then reads all records.
    func snapshot() throws -> LedgerSnapshot?

    /// Replaces the snapshot; no records are removed.
    ///
    /// - Throws: the error that prevented writing the snapshot. The previous snapshot then remains.
    func keep(_ snapshot: LedgerSnapshot) throws
}

extension DurableLedger {
    /// The default: a distance at which a snapshot costs little compared with the records before it.
    public var snapshotDistance: Int { 1024 }
}

/// A ledger that stores in several processes append to, and that reports new records.
///
/// A store on such a ledger reads the records of other stores even while the store is not used, and notifies its
/// queues.
public protocol SharedLedger: DurableLedger {
    /// Adds a listener, to be notified when another store may have appended records.
    ///
    /// The ledger references the listener weakly. A notification may be late, or come without new records, but each new
    /// record is followed by a notification eventually, even if the connection to the ledger was lost meanwhile.
    ///
    /// - Parameter listener: the listener, notified on a thread of the ledger's, with no lock held, one call at a time.
    func add(_ listener: any LedgerListener)
}

/// A listener that is notified when a ledger may have grown.
public protocol LedgerListener: AnyObject, Sendable {
    /// Reports that other stores may have appended records; the listener may call the ledger.
    func ledgerMayHaveGrown()
}

/// A ledger on which several appending stores take turns.
///
/// Without turns, only one of the stores succeeds in appending each record, and the slowest store never does. A turn
/// only saves work: an append may still fail because another store was faster.
package protocol TurnTakingLedger: SharedLedger {
    /// Waits for the caller's turn if other stores have appended lately, and reads their records.
    ///
    /// The turn ends with the calling thread's next append, or with ``endTurn()``. Until then, other stores wait.
    ///
    /// - Returns: whether records were read.
    func beginTurn() -> Bool

    /// Ends the calling thread's turn, if it has one.
    func endTurn()
}

/// The state after a ledger's first records, so that a store need not replay them when it opens.
///
/// A snapshot is only an optimization: without one, or if another version of the store wrote it, all records are read.
public struct LedgerSnapshot: Hashable, Sendable {
    /// The number of records that the snapshot covers.
    public let position: Int
    /// The encoded state, in a form private to the store.
    public let state: Data

    /// Creates a snapshot from its stored parts.
    public init(position: Int, state: Data) {
        self.position = position
        self.state = state
    }
}
