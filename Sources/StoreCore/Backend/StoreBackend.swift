/// The interface that a store implements so that a payment queue can sell from it.
///
/// A store answers at least once and the queue acts exactly once. The rules that make this work:
///
/// * A command is accepted once. ``submit(_:reply:)`` may hand over the same command again, after a lost answer or a
///   relaunch; its ``OrderID`` is the idempotency key (see there: one remembered number a journal is enough).
/// * The outcome of a command, a refusal included, comes with the updates. The store keeps a transaction until it is
///   finished: a queue that connects without a cursor receives it again.
/// * Updates to one receiver come one batch at a time, in order, as a chain (see ``UpdateBatch``). They may be
///   repeated.
/// * Once a `finish` has been acknowledged, no snapshot that is begun afterwards shows the transaction.
///
/// Every requirement may be called on any thread. Write a network client as an ``AsyncStoreBackend`` instead and wrap
/// it: ``AsyncStoreBackend/asStoreBackend()``.
public protocol StoreBackend: AnyObject, Sendable {
    /// The clock that this store goes by. Queues take their pauses from it.
    ///
    /// Default: the system's.
    var clock: any StoreClock { get }

    /// The thread on which the queue calls ``submit(_:reply:)``, ``connect(_:after:)`` and ``disconnect(_:)``.
    ///
    /// A queue that is relaunched, released or given another store calls ``disconnect(_:)`` on whichever thread does
    /// that.
    ///
    /// Default: ``BackendLane/background``.
    var lane: BackendLane { get }

    /// The services that the store offers beyond the sale.
    ///
    /// Read whenever one of them is needed; must not block.
    ///
    /// Default: those whose protocols the store conforms to.
    var services: StoreServices { get }

    /// Accepts commands.
    ///
    /// A queue has one submission under way: it sends the next, with all that was added meanwhile, after the reply. On
    /// ``SubmissionReply/tryLater(_:)`` it retries the same commands (perhaps more) with growing backoff. A command that the
    /// store can never take would then keep all others waiting: ``SubmissionReply/refused(_:)`` names it.
    ///
    /// - Parameters:
    ///   - commands: at least one, in the order of their numbers, which is the order in which they take effect.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing. A store
    ///     that replies before it returns saves the queue from writing the commands to its journal.
    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void)

    /// Begins to send updates to a receiver, until ``disconnect(_:)``.
    ///
    /// Without a cursor, the store first sends a snapshot: the unfinished transactions on this device, failed ones
    /// included, oldest first, and the revocations and promoted purchases that were not acknowledged, in any number of
    /// batches. The first batch has no `after`, and the last one ends behind the snapshot. Then it sends changes. With a cursor, it sends only later changes. A store that no longer knows
    /// that place starts again with a snapshot; it may always do so for a cursor within a snapshot.
    ///
    /// Connecting a connected receiver restarts it from the given cursor. Updates may be sent before this returns. The
    /// receiver is called without a lock: while it takes in a batch, its thread may call the store.
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?)

    /// Stops sending updates to a receiver, and releases it.
    ///
    /// A batch that is under way on another thread may still arrive. Does nothing for a receiver that is not connected.
    func disconnect(_ receiver: any StoreUpdateReceiver)

    /// Confirms that the queue has told its observers every update up to a cursor.
    ///
    /// Updates other than transactions (a revocation, a promoted purchase) are in every snapshot until it, and in none
    /// after it: the app would be told of them again.
    ///
    /// Default: does nothing.
    func acknowledge(through cursor: UpdateCursor)

    /// Looks up products.
    ///
    /// - Parameters:
    ///   - identifiers: the identifiers that the app asks for; any string may be among them.
    ///   - reply: to be called once, on any thread, before this returns or later; further calls do nothing.
    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    )
}

extension StoreBackend {
    /// The system's clock.
    public var clock: any StoreClock { SystemClock.shared }
    /// A serial queue of the payment queue's own.
    public var lane: BackendLane { .background }
    /// The services whose protocols the store conforms to.
    public var services: StoreServices { StoreServices(implementedBy: self) }
    /// Does nothing.
    public func acknowledge(through cursor: UpdateCursor) {}
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

/// The thread on which a queue calls its store.
public enum BackendLane: Hashable, Codable, Sendable {
    /// The thread on which the app called: for stores that live in the process and never block.
    case caller
    /// A serial queue of the payment queue's own: for stores that may block.
    case background
}

/// The name of a connection to an ``ImmediateStore``, unique within the store.
package struct StoreConnectionID: Hashable, Sendable, Comparable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
