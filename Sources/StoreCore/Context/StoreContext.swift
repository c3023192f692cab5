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
    ///
    /// It begins without a store, or with one on the file that ``SandboxStore/configurationVariable`` names.
    public static let process = StoreContext(backend: SandboxStore.namedByEnvironment(log: .standardError))

    @TaskLocal private static var bound: StoreContext?

    /// The running task's, else the process's.
    public static var current: StoreContext { bound ?? process }

    let core: ContextCore
    private let defaultQueue: Locked<DefaultQueue>

    private enum DefaultQueue: Sendable {
        case none
        case owned(any AnyObject & Sendable)
        /// Made by the app, whose context this is.
        case adopted(WeakQueue)

        var object: (any AnyObject & Sendable)? {
            switch self {
            case .none: nil
            case .owned(let queue): queue
            case .adopted(let queue): queue.object
            }
        }
    }

    private struct WeakQueue: Sendable { weak let object: (any AnyObject & Sendable)? }

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - backend: the store; nil until one is set.
    ///   - journal: what keeps commands that the store has not acknowledged; in memory unless given.
    ///   - clock: the clock; the store's unless given.
    ///   - delivery: where callbacks are made.
    ///   - log: where the few lines go that a developer should see.
    public init(
        backend: (any StoreBackend)? = nil,
        journal: (any QueueJournal)? = nil,
        clock: (any StoreClock)? = nil,
        delivery: StoreDelivery = .main,
        log: StoreLog = .standardError
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
        defaultQueue = Locked(.none)
    }

    /// A context again for a queue whose own has gone.
    init(_ core: ContextCore, defaultQueue: (any AnyObject & Sendable)?) {
        self.core = core
        self.defaultQueue = Locked(.adopted(WeakQueue(object: defaultQueue)))
    }

    /// The store, nil while none is set.
    ///
    /// Setting it is ``use(_:journal:clock:delivery:)`` with the store alone: its own clock, and a new journal in memory
    /// unless there was no store before.
    public var backend: (any StoreBackend)? {
        get { core.setup.backend }
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
    ///   - clock: the clock; the store's unless given.
    ///   - delivery: where callbacks are made; as before unless given.
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
    public func settle() -> [String] { core.settle() }

    /// Waits, without holding up a thread, until nothing can happen any more without an outside act.
    ///
    /// - Returns: what waits for an outside act, a line each, in no promised wording.
    @discardableResult
    public func settle() async -> [String] { await core.settle() }
}

extension StoreContext {
    /// The context's one default queue, made when it is first asked for.
    func defaultQueue(_ make: () -> any AnyObject & Sendable) -> any AnyObject & Sendable {
        if let queue = defaultQueue.withLock({ $0.object }) { return queue }
        let new = make()
        return defaultQueue.withLock { defaultQueue in
            if let queue = defaultQueue.object { return queue }
            defaultQueue = .owned(new)
            return new
        }
    }

    /// Makes a queue the default one.
    ///
    /// The context, which belongs to it, does not keep it alive.
    func adoptDefaultQueue(_ queue: any AnyObject & Sendable) {
        defaultQueue.withLock { $0 = .adopted(WeakQueue(object: queue)) }
    }

    /// Puts a queue in the place of another, if that was the default one.
    func replaceDefaultQueue(_ old: AnyObject, with queue: any AnyObject & Sendable) {
        let kept = defaultQueue.withLock { defaultQueue in
            let kept = defaultQueue
            guard kept.object === old else { return kept }
            switch kept {
            case .none: break
            case .owned: defaultQueue = .owned(queue)
            case .adopted: defaultQueue = .adopted(WeakQueue(object: queue))
            }
            return kept
        }
        // What the old one does when it goes may lead back here.
        withExtendedLifetime(kept) {}
    }
}

// For modules beside this one that set a context's store.
extension StoreContext {
    /// What such a module keeps with the context; nil until it does.
    package var companion: (any AnyObject & Sendable)? {
        get { core.companion.withLock { $0 } }
        set {
            // What was there is let go of without the lock.
            var companion = newValue
            core.companion.withLock { swap(&$0, &companion) }
        }
    }

    /// Writes a line to the context's log.
    package func log(_ line: String) { core.setup.log(line) }
}
