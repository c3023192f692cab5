/// The interface that a store implements so that payment queues can sell its products.
///
/// Messages may be repeated, but take effect exactly once. The rules that make this work:
///
/// * A command is accepted once. After a lost reply or a relaunch, ``submit(_:reply:)`` may receive the same command
///   again. The command's ``OrderID`` is its idempotency key; a store needs to remember only one number for each
///   journal.
/// * The outcome of a command, a refusal included, arrives as an update. The store retains a transaction until the
///   transaction is finished: a queue that connects without a cursor receives it again.
/// * A receiver gets one batch of updates at a time, in order, as a chain (see ``UpdateBatch``). Batches may be
///   repeated.
/// * Once a `finish` has been acknowledged, no later snapshot contains the transaction.
///
/// Every requirement may be called on any thread. Implement a network client as an ``AsyncStoreBackend`` instead, and
/// adapt it by ``AsyncStoreBackend/asStoreBackend()``.
public protocol StoreBackend: AnyObject, Sendable {
    /// The store's clock, by which queues also measure the pauses between their attempts.
    ///
    /// By default, the system's clock.
    var clock: any StoreClock { get }

    /// The thread on which the queue calls ``submit(_:reply:)``, ``connect(_:after:)`` and ``disconnect(_:)``.
    ///
    /// As an exception, a queue that is relaunched, released or given another store calls ``disconnect(_:)`` on the
    /// thread that does so.
    ///
    /// By default ``BackendLane/background``.
    var lane: BackendLane { get }

    /// The services that the store offers beyond sales.
    ///
    /// Read each time that a service is needed; must not block.
    ///
    /// By default, the services whose protocols the store conforms to.
    var services: StoreServices { get }

    /// Accepts commands.
    ///
    /// A queue has one submission under way at a time: after the reply, it submits all commands that were added since.
    /// After ``SubmissionReply/tryLater(_:)``, it retries the same commands without the restores, perhaps with more,
    /// after a pause that doubles with each attempt, from 1 to 256 seconds. A command that the store can never accept
    /// would block all others: refuse it with ``SubmissionReply/refused(_:)``.
    ///
    /// - Parameters:
    ///   - commands: at least one, in the order of their numbers, which is the order in which they take effect.
    ///   - reply: to be called once, on any thread, before this method returns or later; further calls do nothing. If
    ///     `reply` is called before the method returns, the queue need not record the commands in its journal.
    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void)

    /// Begins to send updates to a receiver, until ``disconnect(_:)`` is called.
    ///
    /// Without a cursor, the store first sends a snapshot, in any number of batches: the unfinished transactions on
    /// this device, failed ones included, oldest first, and the revocations and promoted purchases that were not
    /// acknowledged. The first batch has no `after`, and the last one's `through` has no part. Then the store sends
    /// changes. With a cursor, it sends only the changes after the cursor. A store that no longer knows the cursor's
    /// position starts again with a snapshot; it may always do so for a cursor within a snapshot.
    ///
    /// Connecting a connected receiver restarts it from the given cursor. Updates may be sent before this method
    /// returns. Call the receiver without a lock: it may call the store on the same thread while it applies a batch.
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?)

    /// Stops sending updates to a receiver, and releases it.
    ///
    /// A batch that another thread is sending may still arrive. Does nothing for a receiver that is not connected.
    func disconnect(_ receiver: any StoreUpdateReceiver)

    /// Confirms that the queue has notified its observers of every update up to a cursor.
    ///
    /// Every snapshot contains the revocations and promoted purchases that are not acknowledged. Acknowledged ones are
    /// in no later snapshot, so that the app is not notified of them again.
    ///
    /// Called after such notifications, usually on the thread that makes callbacks; must not block. The default
    /// implementation does nothing.
    ///
    /// - Parameter cursor: a cursor of a batch that the store has sent; it covers all earlier updates.
    func acknowledge(through cursor: UpdateCursor)

    /// Looks up products.
    ///
    /// Called on the thread of the app's request, whatever the ``lane``: a store on a network replies later, instead of
    /// blocking the thread.
    ///
    /// - Parameters:
    ///   - identifiers: the identifiers that the app requests; any string may be among them.
    ///   - reply: to be called once, on any thread, before this method returns or later; further calls do nothing. Pass
    ///     a product for each identifier that is sold, and the remaining identifiers as invalid; or the reason why the
    ///     store has no result now, with which the app's request fails.
    func products(_ identifiers: Set<String>, reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void)
}

extension StoreBackend {
    /// The system's clock.
    public var clock: any StoreClock { SystemClock.shared }
    /// A serial dispatch queue that each payment queue creates.
    public var lane: BackendLane { .background }
    /// The services whose protocols the store conforms to.
    public var services: StoreServices { StoreServices(implementedBy: self) }
    /// Does nothing.
    public func acknowledge(through cursor: UpdateCursor) {}
}

/// A queue's receiver of updates, one for each connection to a store.
///
/// It may be called on any thread, but with one update at a time, in the order of the updates.
public protocol StoreUpdateReceiver: AnyObject, Sendable {
    /// The journal in which the queue numbers its commands.
    ///
    /// A store need not report to a queue the finishes that the queue itself requested. May be read on any thread at
    /// any time.
    var journal: JournalID { get }
    /// Accepts a batch of updates. A repeated batch is ignored.
    func receive(_ batch: UpdateBatch)
    /// Reports the loss of the connection. The queue reconnects after a pause, from its cursor.
    func connectionLost(_ failure: StoreFailure)
}

/// The thread on which a queue calls its store.
public enum BackendLane: Hashable, Codable, Sendable {
    /// The thread of the app's call: for stores that are in the same process and never block.
    case caller
    /// A serial dispatch queue of the payment queue's: for stores that may block.
    case background
}

/// The identifier of a connection to an ``ImmediateStore``, unique within the store.
package struct StoreConnectionID: Hashable, Sendable, Comparable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
