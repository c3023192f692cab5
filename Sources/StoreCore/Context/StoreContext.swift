import Foundation
import Synchronization

/// The environment of a default queue: its store, journal, clock and callback delivery.
///
/// The process has one, ``process``, whose store may be set at launch or replaced later. A task and its children may
/// have one of their own, so that tests run in parallel:
///
/// ```swift
/// StoreContext(backend: store).run {
///     SKPaymentQueue.default()  // this context's own queue
/// }
/// ```
///
/// A detached task has the context of the code that creates it, unless it begins on an actor. The binding is a
/// task-local value: code that moves to a thread or a dispatch queue loses it, and code that stores `default()` in a static
/// property retains that queue. Every callback runs with its queue's context bound.
///
/// Any thread may use a context.
public final class StoreContext: Sendable {
    /// The process's context, used wherever no task has bound another.
    ///
    /// It starts without a store, or with one on the file that ``SandboxStore/configurationVariable`` names.
    public static let process = StoreContext(
        backend: SandboxStore.namedByEnvironment(log: .standardError),
        isOfProcess: true
    )

    @TaskLocal private static var bound: StoreContext?

    /// The running task's context, or else the process's.
    public static var current: StoreContext { bound ?? ofThread ?? DetachedTasks.context ?? processForStray }

    /// The context that is bound in the running task or, if it is detached, was bound where it was created.
    static var ofTask: StoreContext? { bound ?? DetachedTasks.context }

    /// Whether the running task has bound a context with a core.
    static func isBound(with core: ContextCore) -> Bool { bound?.core === core }

    /// The process's context for code that has no other; the call is counted while processes are simulated.
    private static var processForStray: StoreContext {
        StrayCalls.note()
        return process
    }

    private static let threadKey: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The context of a thread that simulates a process of its own, where no task has bound another.
    ///
    /// The thread does not retain it.
    package static var ofThread: StoreContext? {
        get { pthread_getspecific(threadKey).map { Unmanaged.fromOpaque($0).takeUnretainedValue() } }
        set { pthread_setspecific(threadKey, newValue.map { Unmanaged.passUnretained($0).toOpaque() }) }
    }

    let core: ContextCore
    private let defaultQueue: Locked<DefaultQueue>
    /// The tasks that may not inherit this context; nil for the process's, which they have anyway, and until one is created.
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
    ///   - backend: the store; nil until one is set.
    ///   - journal: the journal of commands that the store has not acknowledged; in memory by default.
    ///   - clock: the clock; the store's by default.
    ///   - delivery: the place where callbacks run.
    ///   - log: the log for messages to the developer.
    public convenience init(
        backend: (any StoreBackend)? = nil,
        journal: (any QueueJournal)? = nil,
        clock: (any StoreClock)? = nil,
        delivery: StoreDelivery = .main,
        log: StoreLog = .standardError
    ) {
        self.init(
            backend: backend,
            journal: journal,
            clock: clock,
            delivery: delivery,
            log: log,
            isOfProcess: false
        )
    }

    private init(
        backend: (any StoreBackend)?,
        journal: (any QueueJournal)? = nil,
        clock: (any StoreClock)? = nil,
        delivery: StoreDelivery = .main,
        log: StoreLog = .standardError,
        isOfProcess: Bool
    ) {
        core = ContextCore(
            ContextCore.Setup(
                backend: backend,
                journal: journal ?? MemoryJournal(),
                clock: clock,
                delivery: delivery,
                log: log
            )
        )
        defaultQueue = Locked(DefaultQueue())
        owner = isOfProcess ? nil : Locked(nil)
    }

    /// Recreates a context for a queue that has outlived its own.
    init(_ core: ContextCore, defaultQueue: (any AnyObject & Sendable)?) {
        self.core = core
        self.defaultQueue = Locked(DefaultQueue(adopted: defaultQueue))
        owner = Locked(nil)
    }

    deinit { owner?.withLock { $0 }?.end() }

    /// The tasks created with this context bound; nil for the process's.
    var tasks: TaskOwner? {
        owner?.withLock { owner in
            let tasks = owner ?? TaskOwner(self)
            owner = tasks
            return tasks
        }
    }

    /// The store, nil while none is set.
    ///
    /// Setting it calls ``use(_:journal:clock:delivery:)`` with the store alone: the clock is the store's, and the
    /// journal a new one in memory unless there was no store before.
    public var backend: (any StoreBackend)? {
        get { core.setup.backend }
        set { use(newValue) }
    }

    /// Sets or replaces the store.
    ///
    /// The queues of this context retain their identity and their observers. Each stops reporting the previous store and
    /// starts with the unfinished transactions of the new one. Transactions of the previous store can still be
    /// finished, and the finish goes there. Payments added while there was no store go to the first one set.
    ///
    /// - Parameters:
    ///   - backend: the store, or nil for none.
    ///   - journal: its journal; by default a new one in memory, or the previous one if there was no store before.
    ///   - clock: the clock; the store's by default.
    ///   - delivery: the place where callbacks run; unchanged by default.
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

    /// Whether an app's history includes finished consumables, as in ``HistoryQuery``.
    ///
    /// Default: the value of `SKIncludeConsumableInAppPurchaseHistory` in the app's Info.plist, or else false.
    public var includesFinishedConsumables: Bool {
        get { core.includesFinishedConsumables.withLock { $0 } }
        set { core.includesFinishedConsumables.withLock { $0 = newValue } }
    }

    /// Runs a closure with this context as ``current``, in the calling task and the tasks that it starts.
    ///
    /// A detached task among them has it too, unless it begins on an actor.
    public func run<R>(_ body: () throws -> R) rethrows -> R {
        if owner != nil { DetachedTasks.use() }
        return try Self.$bound.withValue(self, operation: body)
    }

    /// Runs a closure with this context as ``current``, in the calling task and the tasks that it starts.
    ///
    /// A detached task among them has it too, unless it begins on an actor.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async rethrows -> R {
        if owner != nil { DetachedTasks.use() }
        return try await Self.$bound.withValue(self, operation: body, isolation: isolation)
    }

    /// Waits until only an external event can cause more work: time advances, a decision is made, a response is released.
    ///
    /// On the thread that delivers callbacks it runs them itself. Inside a callback it would wait for itself, so it
    /// traps with a message.
    ///
    /// - Returns: the work that waits for an external event, a line each; the wording may change.
    @discardableResult
    public func settle() -> [String] { core.settle() }

    /// Waits, without blocking a thread, until only an external event can cause more work.
    ///
    /// - Returns: the work that waits for an external event, a line each; the wording may change.
    @discardableResult
    public func settle() async -> [String] { await core.settle() }
}

extension StoreContext {
    /// The default queue, nil until it is first requested.
    package var defaultQueueIfMade: (any AnyObject & Sendable)? { defaultQueue.withLock { $0.object } }

    /// Returns the context's one default queue, created on first use.
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
    /// The context belongs to the queue and holds it weakly.
    func adoptDefaultQueue(_ queue: any AnyObject & Sendable) {
        defaultQueue.withLock { $0 = DefaultQueue(adopted: queue) }
    }

    /// Replaces a queue with another, if it was the default one.
    func replaceDefaultQueue(_ old: AnyObject, with queue: any AnyObject & Sendable) {
        let kept = defaultQueue.withLock { defaultQueue in
            let kept = defaultQueue.object
            guard kept === old else { return kept }
            defaultQueue = defaultQueue.owned == nil ? DefaultQueue(adopted: queue) : DefaultQueue(owned: queue)
            return kept
        }
        // Released without the lock held: deallocating the old queue may call back into the context.
        withExtendedLifetime(kept) {}
    }
}

// For other modules that set a context's store.
extension StoreContext {
    /// The object that such a module attaches to the context, nil until then.
    package var companion: (any AnyObject & Sendable)? {
        get { core.companion.withLock { $0 } }
        set {
            // The old object is released without the lock held.
            var companion = newValue
            core.companion.withLock { swap(&$0, &companion) }
        }
    }

    /// The errors that a test injects into Store Kit 2 calls, under the calls' names.
    package var simulatedErrors: [String: any Error] {
        get { core.simulatedErrors.withLock { $0 } }
        set { core.simulatedErrors.withLock { $0 = newValue } }
    }

    /// Writes a line to the context's log.
    package func log(_ line: String) { core.setup.log(line) }
}

/// A member of a context, notified when the context's store changes.
protocol ContextMember: AnyObject, Sendable {
    func setupChanged()
}

/// The backend of a context without a store: accepts nothing, so that payments wait for the first store that is set.
final class NoBackend: StoreBackend, ReceiptService {
    static let shared = NoBackend()

    /// The caller's lane: a payment is in the journal when the call returns, for the first store that is set.
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

/// The promotion overrides of a context whose store does not store them, in memory for the context's lifetime.
final class PromotionMemory: Sendable {
    private let state = Locked((order: [any AnyObject & Sendable](), visibility: [ExactText: Int]()))

    /// The products that come first, as the app passed them; empty for the store's own order.
    var order: [any AnyObject & Sendable] {
        get { state.withLock { $0.order } }
        set { state.withLock { $0.order = newValue } }
    }

    /// The raw value of a product's visibility; 0 for the store's own.
    subscript(visibilityOf productIdentifier: String) -> Int {
        get { state.withLock { $0.visibility[ExactText(productIdentifier)] ?? 0 } }
        set { state.withLock { $0.visibility[ExactText(productIdentifier)] = newValue == 0 ? nil : newValue } }
    }
}

/// A count of calls on threads that belong to no simulated process, while processes are simulated.
///
/// Such calls reach the process's own context, and thus another store than the simulated code intended.
package enum StrayCalls {
    private static let simulations = Atomic<Int>(0)
    private static let calls = Atomic<Int>(0)

    /// The number of calls so far.
    package static var count: Int { calls.load(ordering: .relaxed) }

    /// Begins to count, until ``end()`` has been called as many times.
    package static func begin() { simulations.wrappingAdd(1, ordering: .relaxed) }
    package static func end() { simulations.wrappingSubtract(1, ordering: .relaxed) }

    /// Counts a call, if a simulation is under way.
    package static func note() {
        if simulations.load(ordering: .relaxed) > 0 { calls.wrappingAdd(1, ordering: .relaxed) }
    }
}
