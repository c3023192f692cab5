import Foundation

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

extension LedgerRecord {
    /// The record that a ledger returns in the place of one that it cannot read any more.
    ///
    /// The store continues without it: later references to what it made are skipped.
    public static let unreadable = LedgerRecord(date: .distantPast, event: .unreadable)

    /// Whether later records refer by number to what this one added or removed: a product, an account, a device, a
    /// family, a subscription.
    ///
    /// Without it they would refer to others. A ledger that keeps some records more safely than the rest keeps these.
    public var isCountedOn: Bool {
        switch event {
        case .registered, .accountAdded, .deviceAdded, .redeemed: true
        case .sold(let order), .approved(let order): order.subscription != nil
        case .operator(.bought(let purchase)), .operator(.resolved(_, let purchase)): purchase.subscription != nil
        case .operator(.family(.founded)), .operator(.cleared), .operator(.deleted): true
        default: false
        }
    }
}
