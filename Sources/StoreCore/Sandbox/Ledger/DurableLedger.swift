import Foundation

/// A ledger that outlives the process, and keeps a shortcut past its older records.
public protocol DurableLedger: Ledger {
    /// Where queues call a store on this ledger: ``BackendLane/background`` for one that waits for a disk, so that no app
    /// does, and so that what is added meanwhile is written together.
    var lane: BackendLane { get }

    /// How many records come at least between two snapshots: 1,024 unless the ledger says otherwise.
    ///
    /// A ledger to which a snapshot costs little may ask for fewer, and one that is being tried for very few.
    var snapshotDistance: Int { get }

    /// What ``keep(_:)`` was given last; nil for nothing, or for what cannot be read any more.
    ///
    /// - Throws: what keeps it from being read. The store then reads all records.
    func snapshot() throws -> LedgerSnapshot?

    /// Keeps a snapshot in the place of the one before. No record goes with it.
    ///
    /// - Throws: what kept it from being written. The one before is then still there.
    func keep(_ snapshot: LedgerSnapshot) throws
}

extension DurableLedger {
    /// As many as make a snapshot a small part of what the records before it cost.
    public var snapshotDistance: Int { 1024 }
}

/// What a ledger's first records add up to, so that a store need not read them when it opens.
///
/// Only a shortcut: without it, or where another version of the store wrote it, all records are read.
public struct LedgerSnapshot: Hashable, Sendable {
    /// How many records it has taken in.
    public let position: Int
    /// What they add up to: the store's own affair.
    public let state: Data

    /// Puts together what a ledger has kept.
    public init(position: Int, state: Data) {
        self.position = position
        self.state = state
    }
}

extension LedgerRecord {
    /// What a ledger gives back in the place of a record that it cannot read any more.
    ///
    /// The store goes on without it: whatever later records say of what it made is passed over.
    public static let unreadable = LedgerRecord(date: .distantPast, event: .unreadable)

    /// Whether later records refer to what this one made, or took away, by counting: a product, an account, a device, a
    /// family, a subscription.
    ///
    /// Without it they would mean others. A ledger that keeps some records more safely than the rest keeps these.
    public var isCountedOn: Bool {
        switch event {
        case .registered, .accountAdded, .deviceAdded, .redeemed: true
        case .sold(let order), .approved(let order): order.subscription != nil
        case .owner(.bought(let purchase)), .owner(.resolved(_, let purchase)): purchase.subscription != nil
        case .owner(.family(.founded)), .owner(.cleared), .owner(.deleted): true
        default: false
        }
    }
}
