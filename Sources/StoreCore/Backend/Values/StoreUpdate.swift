import Foundation

/// One thing that a store tells a queue.
public enum StoreUpdate: Hashable, Codable, Sendable {
    /// A transaction that is new or has changed, whole.
    case transaction(StoreTransaction)
    /// A transaction is finished or withdrawn: another queue finished it, or the store took it back.
    case finished(transaction: String, order: OrderID?)
    /// All that a restore brings has been delivered before this; with a failure, not all of it could be.
    case restoreEnded(OrderID, failure: StoreFailure?)
    /// The store sells for another country now. The queue says what becomes of each purchase under way, see
    /// ``StoreBackend/decideAfterStorefrontChange(transaction:shouldContinue:)``.
    case storefront(StoreStorefront?)
    /// Access to these products has ended.
    case revoked(productIdentifiers: [String])
    /// The user began a purchase in the store itself.
    case promoted(StorePayment, product: StoreProduct)
}

/// How far into a store's updates a queue has come.
///
/// A store numbers the changes that concern one device, so that positions only grow. Before the changes comes the
/// snapshot of what is unfinished, in numbered parts, all at the position where it was taken; a cursor without a part
/// lies behind the whole snapshot.
public struct UpdateCursor: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    /// The position of the last change seen.
    public var position: Int
    /// Within a snapshot, how many of its parts have been seen; nil behind it.
    public var part: Int?

    /// A place among the changes, or within a snapshot.
    public init(position: Int, part: Int? = nil) {
        self.position = position
        self.part = part
    }

    /// Earlier positions first; within one position the snapshot's parts in order, then what is behind it.
    public static func < (left: UpdateCursor, right: UpdateCursor) -> Bool {
        (left.position, left.part ?? .max) < (right.position, right.part ?? .max)
    }

    /// The position, and the part within a snapshot.
    public var description: String { part.map { "\(position)#\($0)" } ?? "\(position)" }
}

/// Some updates in order, and where they lie.
///
/// Batches form a chain: each begins where the one before it ended. That is how a queue tells a repetition (it ends at
/// or before the queue's cursor: nothing happens) from a loss (it begins behind the cursor: the queue connects again
/// from where it is).
public struct UpdateBatch: Hashable, Codable, Sendable {
    /// The cursor that these updates follow.
    ///
    /// Nil begins a snapshot of what is unfinished.
    public var after: UpdateCursor?
    /// The cursor behind them.
    ///
    /// A ``UpdateCursor/part`` here says that more of the snapshot follows.
    public var through: UpdateCursor
    /// What happened.
    ///
    /// May be empty, as in the snapshot of a store that has nothing unfinished.
    public var updates: [StoreUpdate]

    /// Makes a batch.
    public init(after: UpdateCursor?, through: UpdateCursor, updates: [StoreUpdate]) {
        self.after = after
        self.through = through
        self.updates = updates
    }
}

/// The queue's end of a connection.
///
/// Any thread may call, one at a time for each connection and in the order of the updates.
public protocol StoreUpdateReceiver: AnyObject, Sendable {
    /// Under which name the queue numbers its commands. A store need not tell a queue of the finishes it asked for
    /// itself.
    var journal: JournalID { get }
    /// Takes in some updates. Repetitions do no harm.
    func receive(_ batch: UpdateBatch)
    /// The connection is gone. The queue connects again from its cursor, after a pause.
    func connectionLost(_ failure: StoreFailure)
}
