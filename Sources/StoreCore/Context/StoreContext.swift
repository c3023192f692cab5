import Foundation

/// The environment of Store Kit's default queue: its store, journal, clock and callback delivery.
///
/// The process has one, ``process``, whose store may be set at launch or replaced later. A task may bind another one
/// for itself and its children, so that tests can run in parallel:
///
/// ```swift
/// StoreContext(backend: store).run {
///     SKPaymentQueue.default()  // this context's own queue
/// }
/// ```
///
/// A detached task has the context of the code that creates it, unless it begins on an actor. The binding is a
/// task-local value: code that continues on a thread or a dispatch queue loses it. Code that stores `default()` in a
/// static property uses the same queue in every context. Callbacks run with the context of their queue.
///
/// Any thread may use a context.
public final class StoreContext: Sendable {
    @TaskLocal private static var bound: StoreContext?

    /// The context bound in the running task or thread or, for a detached task, where the task was created; nil if
    /// there is none.
    static var ofCaller: StoreContext? { bound ?? ofThread ?? DetachedTasks.context }

    /// The context bound in the running task or, for a detached task, where the task was created.
    static var ofTask: StoreContext? { bound ?? DetachedTasks.context }

    /// Returns whether the running task has bound a context with this core.
    static func isBound(with core: ContextCore) -> Bool { bound?.core === core }

    private static let threadKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The context of a thread that simulates a process, used if no task has bound another one.
    ///
    /// The thread does not retain the context.
    package static var ofThread: StoreContext? {
        get { pthread_getspecific(threadKey).map { Unmanaged.fromOpaque($0).takeUnretainedValue() } }
        set { pthread_setspecific(threadKey, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }

    let core: ContextCore
    private let defaultQueue: Locked<DefaultQueue>
    /// The detached tasks that have this context, recorded when needed; nil for the process's context.
    private let owner: Locked<TaskOwner?>?

    private struct DefaultQueue: Sendable {
        /// A queue that this context created and owns.
        var owned: (any AnyObject & Sendable)?
        /// A queue that the app created and that owns this context.
        weak var adopted: (any AnyObject & Sendable)?

        var object: (any AnyObject & Sendable)? { owned ?? adopted }
    }

    /// Creates a context.
    ///
    /// - Parameters:
    ///   - backend: the store; nil if it will be set later.
    ///   - journal: the journal of commands that the store has not acknowledged; in memory by default.
    ///   - clock: the clock; by default the store's, or the system's without a store.
    ///   - delivery: the place where callbacks run.
    ///   - log: the log for messages to the developer.
    public convenience init(
        backend: (any StoreBackend)? = nil,
        journal: (any QueueJournal)? = nil,
        clock: (any StoreClock)? = nil,
        delivery: StoreDelivery = .main,
        log: StoreLog = .standardError
    ) {
        self.init(backend: backend, journal: journal, clock: clock, delivery: delivery, log: log, isOfProcess: false)
    }

    /// Creates a context; for the process's context, no detached tasks are recorded, since it is their default.
    ///
    /// `realTime` is the clock by which requests without a store fail after a second, until the store is replaced.
    init(
        backend: (any StoreBackend)?,
        journal: (any QueueJournal)? = nil,
        clock: (any StoreClock)? = nil,
        delivery: StoreDelivery = .main,
        log: StoreLog = .standardError,
        realTime: any StoreClock = SystemClock(),
        isOfProcess: Bool
    ) {
        core = ContextCore(
            ContextCore.Setup(
                backend: backend,
                journal: journal ?? MemoryJournal(),
                clock: clock,
                delivery: delivery,
                log: log,
                realTime: realTime
            )
        )
        defaultQueue = Locked(DefaultQueue())
        owner = isOfProcess ? nil : Locked(nil)
    }

    /// Creates a new context for a queue whose own context was deallocated.
    init(_ core: ContextCore, defaultQueue: (any AnyObject & Sendable)?) {
        self.core = core
        self.defaultQueue = Locked(DefaultQueue(adopted: defaultQueue))
        owner = Locked(nil)
    }

    deinit { owner?.withLock { $0 }?.end() }

    /// The detached tasks that were created with this context bound; nil for the process's context.
    var tasks: TaskOwner? {
        owner?.withLock { owner in
            let tasks = owner ?? TaskOwner(self)
            owner = tasks
            return tasks
        }
    }

    /// The store; nil if none is set.
    ///
    /// Setting it calls ``use(_:journal:clock:delivery:)`` with the defaults: the clock is the store's, and the journal
    /// is a new one in memory, or the previous one if there was no store before.
    public var backend: (any StoreBackend)? {
        get { core.setup.backend }
        set { use(newValue) }
    }

    /// Sets or replaces the store.
    ///
    /// The queues of this context stay the same objects with the same observers. Each stops reporting the previous
    /// store's transactions and reports the unfinished ones of the new store. Transactions of the previous store can
    /// still be finished, in that store. Payments that it has not acknowledged are left in its journal. Payments added
    /// while there was no store are sent to the first one that is set.
    ///
    /// - Parameters:
    ///   - backend: the store; nil for none.
    ///   - journal: its journal; by default a new one in memory, or the previous one if there was no store before.
    ///   - clock: the clock; by default the store's, or the system's without a store.
    ///   - delivery: the place where callbacks run; by default unchanged.
    public func use(
        _ backend: (any StoreBackend)?,
        journal: (any QueueJournal)? = nil,
        clock: (any StoreClock)? = nil,
        delivery: StoreDelivery? = nil
    ) {
        core.change { old in
            ContextCore.Setup(
                backend: backend,
                journal: journal ?? (old.backend == nil ? old.journal : MemoryJournal()),
                clock: clock,
                delivery: delivery ?? old.delivery,
                log: old.log
            )
        }
    }

    /// Whether the app's purchase history includes finished consumables, as in ``HistoryQuery``.
    ///
    /// By default the value of `SKIncludeConsumableInAppPurchaseHistory` in the app's Info.plist, or else false.
    public var includesFinishedConsumables: Bool {
        get { core.includesFinishedConsumables.withLock { $0 } }
        set { core.includesFinishedConsumables.withLock { $0 = newValue } }
    }

    /// Runs a closure with this context as ``current``, in the calling task and the tasks that it starts.
    ///
    /// The closure is passed nothing: inside it, `SKPaymentQueue.default()` and Store Kit 2 use this context. Calls may be
    /// nested; the inner context is current until its closure returns. Detached tasks that the closure starts have the
    /// context too, unless they begin on an actor.
    ///
    /// - Parameter body: the closure.
    /// - Returns: the result of the closure.
    /// - Throws: the error that the closure throws.
    public func run<R>(_ body: () throws -> R) rethrows -> R {
        if owner != nil { DetachedTasks.use() }
        return try Self.$bound.withValue(self, operation: body)
    }

    /// Runs a closure with this context as ``current``, in the calling task and the tasks that it starts.
    ///
    /// The closure is passed nothing: inside it, `SKPaymentQueue.default()` and Store Kit 2 use this context. Calls may be
    /// nested; the inner context is current until its closure returns. Detached tasks that the closure starts have the
    /// context too, unless they begin on an actor.
    ///
    /// - Parameters:
    ///   - isolation: the actor on which the closure runs; the caller's by default.
    ///   - body: the closure.
    /// - Returns: the result of the closure.
    /// - Throws: the error that the closure throws.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async rethrows -> R {
        if owner != nil { DetachedTasks.use() }
        return try await Self.$bound.withValue(self, operation: body, isolation: isolation)
    }

    /// Waits until nothing can happen without an external event, such as the advance of time, or a decision.
    ///
    /// On the thread that delivers callbacks, this method makes the pending callbacks itself. Calling it inside a
    /// callback or an ``Authorizer`` traps, since it would wait for that call to return.
    ///
    /// - Returns: the external events that are awaited, described in a line each; the wording may change.
    @discardableResult
    public func settle() -> [String] { core.settle() }

    /// Waits, without blocking a thread, until nothing can happen without an external event.
    ///
    /// - Returns: the external events that are awaited, described in a line each; the wording may change.
    @discardableResult
    public func settle() async -> [String] { await core.settle() }
}

extension StoreContext {
    /// The default queue; nil until it is first requested.
    package var defaultQueueIfMade: (any AnyObject & Sendable)? { defaultQueue.withLock { $0.object } }

    /// Returns the default queue, which is created on first use.
    func defaultQueue(_ make: () -> any AnyObject & Sendable) -> any AnyObject & Sendable {
        if let queue = defaultQueueIfMade { return queue }
        let new = make()
        return defaultQueue.withLock { defaultQueue in
            if let queue = defaultQueue.object { return queue }
            defaultQueue.owned = new
            return new
        }
    }

    /// Makes a queue the default one.
    ///
    /// The queue owns the context, which therefore holds the queue weakly.
    func adoptDefaultQueue(_ queue: any AnyObject & Sendable) {
        defaultQueue.withLock { $0 = DefaultQueue(adopted: queue) }
    }

    /// Replaces a queue by another if it is the default queue.
    func replaceDefaultQueue(_ old: AnyObject, with queue: any AnyObject & Sendable) {
        let retained = defaultQueue.withLock { defaultQueue in
            let retained = defaultQueue.object
            guard retained === old else { return retained }
            defaultQueue = defaultQueue.owned == nil ? DefaultQueue(adopted: queue) : DefaultQueue(owned: queue)
            return retained
        }
        // Released without the lock held, since the deallocation of the old queue may call back into the context.
        withExtendedLifetime(retained) {}
    }
}

// For other modules that use a context's store.
extension StoreContext {
    /// The object that another module has attached to the context; nil if none has.
    package var companion: (any AnyObject & Sendable)? {
        get { core.companion.withLock { $0 } }
        set {
            // The old object is released without the lock held, since it may call back into the context.
            var companion = newValue
            core.companion.withLock { swap(&$0, &companion) }
        }
    }

    /// The errors that a test injects into calls of Store Kit 2, by the calls' names.
    package var simulatedErrors: [String: any Error] {
        get { core.simulatedErrors.withLock { $0 } }
        set { core.simulatedErrors.withLock { $0 = newValue } }
    }

    /// Writes a line to the context's log.
    package func log(_ line: String) { core.setup.log(line) }
}

/// A member of a context that is notified when the context's store changes.
protocol ContextMember: AnyObject, Sendable {
    func setupChanged()
}

/// The backend of a context without a store: replies to no command, so that payments wait for the first store.
final class NoBackend: StoreBackend, ReceiptService {
    static let shared = NoBackend()

    /// On the caller's lane, a payment is in the journal when `add` returns, to be sent to the first store.
    let lane = BackendLane.caller

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {}
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {}
    func disconnect(_ receiver: any StoreUpdateReceiver) {}

    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        reply(.failure(.storeKit(.clientInvalid, ContextCore.noBackend)))
    }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        reply(.storeKit(.clientInvalid, ContextCore.noBackend))
    }
}
