import Foundation

/// A store on a network, implemented with `async` functions.
///
/// It makes the promises of ``StoreBackend``; only the form differs. An error that `submit` or `sendUpdates` throws is
/// a temporary failure, after which the queue retries, unless `submit` throws a ``RefusedCommandsError``. One call
/// adapts the store for queues:
///
/// ```swift
/// let queue = SKPaymentQueue(backend: MyStore().asStoreBackend())
/// ```
///
/// Every requirement may be called on any task; each queue calls `submit` on one task at a time.
public protocol AsyncStoreBackend: Sendable {
    /// The store's clock. By default, the system's clock.
    var clock: any StoreClock { get }

    /// Accepts commands, as ``StoreBackend/submit(_:reply:)`` says.
    ///
    /// - Parameter commands: at least one, in the order of their numbers.
    /// - Throws: ``RefusedCommandsError`` for commands that the store will never accept, after it has accepted all
    ///   others. Any other error is a temporary failure, as ``SubmissionReply/tryLater(_:)`` says: the queue retries
    ///   the commands with growing backoff.
    func submit(_ commands: [StoreCommand]) async throws

    /// Sends updates until the task is canceled, as ``StoreBackend/connect(_:after:)`` says.
    ///
    /// Returning or throwing ends the connection. The queue reconnects from its cursor, after a pause.
    ///
    /// - Parameters:
    ///   - cursor: the queue's cursor; nil requests a snapshot.
    ///   - feed: receives the batches, one at a time and in order.
    /// - Throws: any error, for a lost connection.
    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws

    /// Confirms that the queue has notified its observers of every update up to a cursor. By default, does nothing.
    ///
    /// - Parameter cursor: see ``StoreBackend/acknowledge(through:)``.
    func acknowledge(through cursor: UpdateCursor) async

    /// Looks up products.
    ///
    /// - Parameter identifiers: the identifiers that the app requests; any string may be among them.
    /// - Returns: a product for each identifier that is sold, and the remaining identifiers as invalid.
    /// - Throws: the reason why the store has no result now. The app's request fails with this error.
    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer
}

extension AsyncStoreBackend {
    /// The system's clock.
    public var clock: any StoreClock { SystemClock.shared }
    /// Does nothing.
    public func acknowledge(through cursor: UpdateCursor) async {}

    /// Returns this store as a ``StoreBackend``, which queues can use.
    public func asStoreBackend() -> any StoreBackend { AsyncBackendAdapter(self) }
}

/// An adapter from an asynchronous store to ``StoreBackend``, with a task for each call and one for each connection.
final class AsyncBackendAdapter: StoreBackend {
    private let store: any AsyncStoreBackend
    let services: StoreServices
    private let connections = Locked<[ObjectIdentifier: Task<Void, Never>]>([:])

    init(_ store: any AsyncStoreBackend) {
        self.store = store
        services = StoreServices(implementedBy: store)
    }

    deinit { for task in connections.withLock({ $0 }).values { task.cancel() } }

    var clock: any StoreClock { store.clock }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        run { store in
            do {
                try await store.submit(commands)
                reply(.taken)
            } catch let error as RefusedCommandsError {
                reply(.refused(error.commands))
            } catch {
                reply(.tryLater(StoreFailure(error)))
            }
        }
    }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        // Settling waits until a snapshot has arrived. With a cursor it does not wait, since there may be no updates.
        let once = EndOnce(cursor == nil ? store.clock.activity.begin() : nil)
        // Started under the lock. Otherwise, a task that ends at once could be recorded after the task of the next
        // connection, and cancel that task.
        let previous = connections.withLock { connections in
            let task = Task { [store] in
                let failure: StoreFailure
                do {
                    try await store.sendUpdates(after: cursor, to: UpdateFeed(SnapshotWatch(receiver, once)))
                    failure = .network(.networkConnectionLost, "the store has ended the connection")
                } catch {
                    failure = StoreFailure(error)
                }
                if !Task.isCancelled { receiver.connectionLost(failure) }
                once.end()
            }
            return connections.updateValue(task, forKey: ObjectIdentifier(receiver))
        }
        previous?.cancel()
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) {
        connections.withLock { $0.removeValue(forKey: ObjectIdentifier(receiver)) }?.cancel()
    }

    func acknowledge(through cursor: UpdateCursor) { run { await $0.acknowledge(through: cursor) } }

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        run { store in
            do {
                reply(.success(try await store.products(identifiers)))
            } catch {
                reply(.failure(StoreFailure(error)))
            }
        }
    }

    private func run(_ body: @escaping @Sendable (any AsyncStoreBackend) async -> Void) {
        store.clock.run { [store] in await body(store) }
    }
}

/// Work that is registered with an ``Activity`` and ended at most once.
private final class EndOnce: Sendable {
    private let work: Locked<Activity.Work?>
    init(_ work: Activity.Work?) { self.work = Locked(work) }
    func end() { work.withLock { $0.take() }?.end() }
}

/// A receiver that forwards everything, and ends a work item when a snapshot has been received completely.
private final class SnapshotWatch: StoreUpdateReceiver {
    private let receiver: any StoreUpdateReceiver
    private let once: EndOnce

    init(_ receiver: any StoreUpdateReceiver, _ once: EndOnce) {
        self.receiver = receiver
        self.once = once
    }

    var journal: JournalID { receiver.journal }

    func receive(_ batch: UpdateBatch) {
        receiver.receive(batch)
        if batch.through.part == nil { once.end() }
    }

    func connectionLost(_ failure: StoreFailure) { receiver.connectionLost(failure) }
}

/// The receiver to which ``AsyncStoreBackend/sendUpdates(after:to:)`` sends its updates.
public struct UpdateFeed: Sendable {
    private let receiver: any StoreUpdateReceiver

    init(_ receiver: any StoreUpdateReceiver) { self.receiver = receiver }

    /// The journal in which the queue numbers its commands.
    public var journal: JournalID { receiver.journal }

    /// Sends a batch of updates.
    ///
    /// Returns once the queue has accepted the batch; callbacks run later, except with inline delivery.
    public func send(_ batch: UpdateBatch) { receiver.receive(batch) }
}
