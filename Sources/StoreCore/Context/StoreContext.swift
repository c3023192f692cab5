import Foundation

/// What a default queue lives in: a store, a journal, a clock, and where callbacks are made.
///
/// The process has one, ``process``, whose store may be set at start-up or replaced later. A task and its children may
/// have one of their own, so that tests run side by side:
///
/// ```swift
/// StoreContext(backend: store).run {
///     SKPaymentQueue.default()  // this context's, and nobody else's
/// }
/// ```
///
/// Every callback runs with its queue's context bound. The binding is a task-local value: code that hops by itself
/// through Dispatch or a thread loses it, and code that keeps `default()` in a static keeps what it had.
///
/// Any thread may use a context.
public final class StoreContext: Sendable {
    /// The process's own, which everything uses that no task has given another.
    public static let process = StoreContext()

    @TaskLocal private static var bound: StoreContext?

    /// The running task's, else the process's.
    public static var current: StoreContext { bound ?? process }

    private let state: Locked<State>

    private struct State {
        var setup: Setup
        var defaultQueue = DefaultQueue.none
        var hasWarned = false
        var members: [WeakMember] = []
    }

    private enum DefaultQueue {
        case none
        case owned(AnyObject)
        /// Made by the app, whose context this is.
        case adopted(WeakQueue)

        var object: AnyObject? {
            switch self {
            case .none: nil
            case .owned(let queue): queue
            case .adopted(let queue): queue.object
            }
        }
    }

    private struct WeakQueue { weak var object: AnyObject? }

    private struct WeakMember {
        weak let member: (any ContextMember)?
    }

    /// All that is replaced together.
    struct Setup: Sendable {
        let backend: (any StoreBackend)?
        let journal: any QueueJournal
        let timekeeper: any Timekeeper
        let delivery: StoreDelivery
        let log: StoreLog
        /// Calls the delegates of requests.
        let callbacks: CallbackLane
    }

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - backend: the store; nil until one is set.
    ///   - journal: what keeps commands that the store has not acknowledged; in memory unless given.
    ///   - timekeeper: the clock; the store's unless given.
    ///   - delivery: where callbacks are made.
    ///   - log: where the few lines go that a developer should see.
    public init(
        backend: (any StoreBackend)? = nil,
        journal: (any QueueJournal)? = nil,
        timekeeper: (any Timekeeper)? = nil,
        delivery: StoreDelivery = .main,
        log: StoreLog = .standardError
    ) {
        state = Locked(
            State(
                setup: Setup(
                    backend: backend,
                    journal: journal ?? MemoryJournal(),
                    timekeeper: timekeeper,
                    delivery: delivery,
                    log: log
                )
            )
        )
    }

    /// The store, nil while none is set.
    ///
    /// Setting it is ``use(_:journal:timekeeper:delivery:)`` with all else as it was.
    public var backend: (any StoreBackend)? {
        get { setup.backend }
        set { use(newValue) }
    }

    /// Sets or replaces the store.
    ///
    /// The queues of this context stay the objects that they are and keep their observers; each falls silent for the
    /// store before and begins with what is unfinished in the new one. Transactions of the store before can still be
    /// finished, and the finish goes there. Payments added while there was no store go to the first that is set.
    ///
    /// - Parameters:
    ///   - backend: the store, or nil for none.
    ///   - journal: its journal. Unless given, a new one in memory; the one before, if there was no store before.
    ///   - timekeeper: the clock; the store's unless given.
    ///   - delivery: where callbacks are made; as before unless given.
    public func use(
        _ backend: (any StoreBackend)?,
        journal: (any QueueJournal)? = nil,
        timekeeper: (any Timekeeper)? = nil,
        delivery: StoreDelivery? = nil
    ) {
        let members = state.withLock { state in
            let old = state.setup
            state.setup = Setup(
                backend: backend,
                journal: journal ?? (old.backend == nil ? old.journal : MemoryJournal()),
                timekeeper: timekeeper,
                delivery: delivery ?? old.delivery,
                log: old.log
            )
            state.hasWarned = false
            return state.members.compactMap { $0.member }
        }
        for member in members { member.setupChanged() }
    }

    /// Runs something with this context as ``current``, in the calling task and the tasks that it starts.
    public func run<R>(_ body: () throws -> R) rethrows -> R {
        try Self.$bound.withValue(self, operation: body)
    }

    /// Runs something with this context as ``current``, in the calling task and the tasks that it starts.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async rethrows -> R {
        try await Self.$bound.withValue(self, operation: body, isolation: isolation)
    }

    /// Waits until nothing can happen any more without an outside act: time moved, a decision made, an answer released.
    ///
    /// On the thread that delivers callbacks it makes them itself. Inside a callback it would wait for itself: that stops
    /// the process with a sentence.
    ///
    /// - Returns: what waits for an outside act, a line each, in no promised wording.
    @discardableResult
    public func settle() -> [String] { setup.timekeeper.activity.settle() }

    /// Waits, without holding up a thread, until nothing can happen any more without an outside act.
    ///
    /// - Returns: what waits for an outside act, a line each, in no promised wording.
    @discardableResult
    public func settle() async -> [String] { await setup.timekeeper.activity.settle() }
}

extension StoreContext.Setup {
    init(
        backend: (any StoreBackend)?,
        journal: any QueueJournal,
        timekeeper: (any Timekeeper)?,
        delivery: StoreDelivery,
        log: StoreLog
    ) {
        self.backend = backend
        self.journal = journal
        self.timekeeper = timekeeper ?? backend?.timekeeper ?? SystemTimekeeper.shared
        self.delivery = delivery
        self.log = log
        callbacks = CallbackLane(delivery: delivery, activity: self.timekeeper.activity)
    }
}

/// What follows a context to another store.
protocol ContextMember: AnyObject, Sendable {
    func setupChanged()
}

extension StoreContext {
    var setup: Setup { state.withLock { $0.setup } }

    /// The store, with one logged warning where there is none.
    var backendOrWarning: (any StoreBackend)? {
        let (setup, mustWarn) = state.withLock { state in
            let mustWarn = state.setup.backend == nil && !state.hasWarned
            if mustWarn { state.hasWarned = true }
            return (state.setup, mustWarn)
        }
        if mustWarn { setup.log(Self.noBackend) }
        return setup.backend
    }

    static let noBackend =
        "no store is set: call StoreContext.process.use(store) when the app starts, or run in a StoreContext of your own"

    func register(_ member: any ContextMember) {
        state.withLock { state in
            state.members.removeAll { $0.member == nil }
            state.members.append(WeakMember(member: member))
        }
    }

    /// The context's one default queue, made when it is first asked for.
    func defaultQueue(_ make: () -> AnyObject) -> AnyObject {
        if let queue = state.withLock({ $0.defaultQueue.object }) { return queue }
        let new = make()
        return state.withLock { state in
            if let queue = state.defaultQueue.object { return queue }
            state.defaultQueue = .owned(new)
            return new
        }
    }

    /// Makes a queue the default one.
    ///
    /// The context, which belongs to it, does not keep it alive.
    func adoptDefaultQueue(_ queue: AnyObject) {
        state.withLock { $0.defaultQueue = .adopted(WeakQueue(object: queue)) }
    }

    /// Puts a queue in the place of another, if that was the default one.
    func replaceDefaultQueue(_ old: AnyObject, with queue: AnyObject) {
        state.withLock { state in
            guard state.defaultQueue.object === old else { return }
            switch state.defaultQueue {
            case .none: break
            case .owned: state.defaultQueue = .owned(queue)
            case .adopted: state.defaultQueue = .adopted(WeakQueue(object: queue))
            }
        }
    }
}
