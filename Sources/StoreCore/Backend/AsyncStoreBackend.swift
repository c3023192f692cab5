/// A store behind a network, written with `async` functions.
///
/// The promises are those of ``StoreBackend``; only the form differs. A thrown error is a temporary failure, after
/// which the queue retries, unless it is a ``RefusedCommandsError``. One line turns it into a store that queues can use:
///
/// ```swift
/// let queue = SKPaymentQueue(backend: MyStore().asStoreBackend())
/// ```
///
/// Every requirement may be called on any task, `submit` by one at a time for each queue.
public protocol AsyncStoreBackend: Sendable {
    /// The clock that this store goes by. Default: the system's.
    var clock: any StoreClock { get }

    /// Accepts commands, as ``StoreBackend/submit(_:reply:)`` says.
    ///
    /// - Parameter commands: at least one, in the order of their numbers.
    /// - Throws: ``RefusedCommandsError`` for commands that the store will never take, once it has taken all others. Any other
    ///   error is a temporary failure: the queue retries the same commands with growing backoff.
    func submit(_ commands: [StoreCommand]) async throws

    /// Sends updates until the task is canceled, as ``StoreBackend/connect(_:after:)`` says.
    ///
    /// Returning or throwing ends the connection. The queue reconnects from its cursor, after a pause.
    ///
    /// - Parameters:
    ///   - cursor: the queue's cursor; nil for a queue that knows nothing.
    ///   - feed: receives the batches, one at a time and in order.
    /// - Throws: any error, for a connection that broke.
    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws

    /// Confirms that the queue has told its observers every update up to a cursor. Default: does nothing.
    ///
    /// - Parameter cursor: see ``StoreBackend/acknowledge(through:)``.
    func acknowledge(through cursor: UpdateCursor) async

    /// Looks up products.
    ///
    /// - Parameter identifiers: the identifiers that the app asks for; any string may be among them.
    /// - Returns: a product for each identifier that is sold, and the other identifiers.
    /// - Throws: the reason why there is no answer now. The app's request fails with it.
    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer
}

extension AsyncStoreBackend {
    /// The system's clock.
    public var clock: any StoreClock { SystemClock.shared }
    /// Does nothing.
    public func acknowledge(through cursor: UpdateCursor) async {}

    /// Returns this store in the form that queues use.
    public func asStoreBackend() -> any StoreBackend { AsyncBackendAdapter(self) }
}
