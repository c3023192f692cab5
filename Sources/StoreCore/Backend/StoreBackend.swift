/// The interface that a store implements so that a payment queue can sell from it.
///
/// A store replies at least once, and the queue acts exactly once. The rules that make this work:
///
/// * A command is accepted once. After a lost reply or a relaunch, ``submit(_:reply:)`` may receive the same command again;
///   its ``OrderID`` is the idempotency key (see there: one remembered number a journal is enough).
/// * The outcome of a command, a refusal included, arrives as an update. The store retains a transaction until it is
///   finished: a queue that connects without a cursor receives it again.
/// * Updates to one receiver come one batch at a time, in order, as a chain (see ``UpdateBatch``). They may be
///   repeated.
/// * After a `finish` has been acknowledged, no new snapshot contains the transaction.
///
/// Every requirement may be called on any thread. Write a network client as an ``AsyncStoreBackend`` instead and wrap
/// it: ``AsyncStoreBackend/asStoreBackend()``.
public protocol StoreBackend: AnyObject, Sendable {
    /// The store's clock, which also times the queues' pauses.
    ///
    /// Default: the system's.
    var clock: any StoreClock { get }

    /// The thread on which the queue calls ``submit(_:reply:)``, ``connect(_:after:)`` and ``disconnect(_:)``.
    ///
    /// A queue that is relaunched, released or given another store calls ``disconnect(_:)`` on the current thread instead.
    ///
    /// Default: ``BackendLane/background``.
    var lane: BackendLane { get }

    /// The services that the store offers beyond sales.
    ///
    /// Read whenever one of them is needed; must not block.
    ///
    /// Default: those whose protocols the store conforms to.
    var services: StoreServices { get }

    /// Accepts commands.
    ///
    /// A queue has one submission under way: it sends the next, with all that was added meanwhile, after the reply. On
    /// ``SubmissionReply/tryLater(_:)`` it retries the same commands (perhaps more) with growing backoff. To keep a command
    /// that the store can never accept from blocking all others, name it in ``SubmissionReply/refused(_:)``.
    ///
    /// - Parameters:
    ///   - commands: at least one, in the order of their numbers, which is the order in which they take effect.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing. A store
    ///     that replies before it returns saves the queue from writing the commands to its journal.
    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void)

    /// Begins to send updates to a receiver, until ``disconnect(_:)``.
    ///
    /// Without a cursor, the store first sends a snapshot, in any number of batches: the unfinished transactions on this
    /// device, failed ones included, oldest first, and the revocations and promoted purchases that were not acknowledged.
    /// The first batch has no `after`, and the last one ends after the snapshot. Then it sends changes. With a cursor, it
    /// sends only later changes. A store that no longer knows that position starts again with a snapshot; it may always do
    /// so for a cursor within a snapshot.
    ///
    /// Connecting a connected receiver restarts it from the given cursor. Updates may be sent before this returns. The
    /// receiver is called without a lock and may call the store on the same thread while it applies a batch.
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?)

    /// Stops sending updates to a receiver, and releases it.
    ///
    /// A batch that is under way on another thread may still arrive. Does nothing for a receiver that is not connected.
    func disconnect(_ receiver: any StoreUpdateReceiver)

    /// Confirms that the queue has notified its observers of every update up to a cursor.
    ///
    /// Updates other than transactions (a revocation, a promoted purchase) are in every snapshot until they are
    /// acknowledged, and in none afterwards, so the app is not notified of them again.
    ///
    /// Default: does nothing.
    func acknowledge(through cursor: UpdateCursor)

    /// Looks up products.
    ///
    /// - Parameters:
    ///   - identifiers: the identifiers that the app requests; any string may be among them.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing.
    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    )
}

extension StoreBackend {
    /// The system's clock.
    public var clock: any StoreClock { SystemClock.shared }
    /// A serial queue of the payment queue.
    public var lane: BackendLane { .background }
    /// The services whose protocols the store conforms to.
    public var services: StoreServices { StoreServices(implementedBy: self) }
    /// Does nothing.
    public func acknowledge(through cursor: UpdateCursor) {}
}

/// The queue's end of a connection, which receives updates.
///
/// Any thread may call, one at a time for each connection and in the order of the updates.
public protocol StoreUpdateReceiver: AnyObject, Sendable {
    /// The journal in which the queue numbers its commands. A store need not report to a queue the finishes that it
    /// requested itself.
    var journal: JournalID { get }
    /// Accepts a batch of updates. Repetitions are harmless.
    func receive(_ batch: UpdateBatch)
    /// Reports the loss of the connection. The queue reconnects from its cursor, after a pause.
    func connectionLost(_ failure: StoreFailure)
}

/// The thread on which a queue calls its store.
public enum BackendLane: Hashable, Codable, Sendable {
    /// The app's calling thread: for stores that are in the same process and never block.
    case caller
    /// A serial queue of the payment queue: for stores that may block.
    case background
}

/// The name of a connection to an ``ImmediateStore``, unique within the store.
package struct StoreConnectionID: Hashable, Sendable, Comparable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
