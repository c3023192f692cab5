import Foundation

/// An update that a store sends to a queue.
public enum StoreUpdate: Hashable, Codable, Sendable {
    /// A transaction that is new or has changed, as a complete value.
    case transaction(StoreTransaction)
    /// The removal of a transaction: another queue finished it, or the store withdrew it.
    case finished(transaction: String, order: OrderID?)
    /// The end of a restore, after all that it brings; with a failure, not all of it could be delivered.
    case restoreEnded(OrderID, failure: StoreFailure?)
    /// A change of the storefront's country. The queue answers with the app's decision about each purchase under way,
    /// see ``StoreBackend/decideAfterStorefrontChange(transaction:shouldContinue:)``.
    case storefront(StoreStorefront?)
    /// The end of access to these products.
    case revoked(productIdentifiers: [String])
    /// A purchase that the user began in the store itself.
    case promoted(StorePayment, product: StoreProduct)
}

/// A queue's position in its store's updates.
///
/// A store numbers the changes that concern one device, so that positions only grow. Before the changes comes the
/// snapshot of unfinished transactions, in numbered parts, all at the position where it was taken. A cursor without a
/// part lies behind the whole snapshot.
public struct UpdateCursor: Hashable, Codable, Sendable, Comparable, CustomStringConvertible {
    /// The position of the last change seen.
    public var position: Int
    /// The number of the snapshot's parts seen; nil behind the snapshot.
    public var part: Int?

    /// Makes a cursor among the changes, or within a snapshot.
    public init(position: Int, part: Int? = nil) {
        self.position = position
        self.part = part
    }

    /// Orders by position; within one position the snapshot's parts come in order, then the place behind it.
    public static func < (left: UpdateCursor, right: UpdateCursor) -> Bool {
        (left.position, left.part ?? .max) < (right.position, right.part ?? .max)
    }

    /// The position, and the part within a snapshot.
    public var description: String { part.map { "\(position)#\($0)" } ?? "\(position)" }
}

/// A batch of consecutive updates, with the cursors before and after it.
///
/// Batches form a chain: each begins where the one before it ended. So a queue distinguishes a repetition from a loss.
/// A repetition ends at or before the queue's cursor and is ignored. A loss begins behind the cursor: the queue
/// reconnects from its cursor.
public struct UpdateBatch: Hashable, Codable, Sendable {
    /// The cursor that these updates follow.
    ///
    /// Nil begins a snapshot of unfinished transactions.
    public var after: UpdateCursor?
    /// The cursor behind these updates.
    ///
    /// A ``UpdateCursor/part`` here means that more of the snapshot follows.
    public var through: UpdateCursor
    /// The updates, in order.
    ///
    /// May be empty, as in the snapshot of a store without unfinished transactions.
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
    /// The name under which the queue numbers its commands. A store need not report to a queue the finishes that it
    /// requested itself.
    var journal: JournalID { get }
    /// Accepts a batch of updates. Repetitions are harmless.
    func receive(_ batch: UpdateBatch)
    /// Reports the loss of the connection. The queue reconnects from its cursor, after a pause.
    func connectionLost(_ failure: StoreFailure)
}
