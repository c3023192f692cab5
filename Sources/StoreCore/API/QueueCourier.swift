import Foundation
import Synchronization

/// Stands between an engine, which knows numbers, and the observers, which know Store Kit's objects.
///
/// A queue has one courier for life. The courier's engine changes when the context's store does.
final class QueueCourier: QueueStage {
    let core: ContextCore
    /// A context owns its default queue; every other queue keeps its context.
    private let keptContext: StoreContext?
    private let owningContext: WeakContext
    private let state: Locked<State>
    private let observers = ObserverList()
    /// Held while callbacks are made.
    ///
    /// Only where one store follows another do two threads ever want it.
    private let turn = NSRecursiveLock()
    // Set once, before anybody else knows the courier.
    nonisolated(unsafe) private weak var queue: SKPaymentQueue?

    private struct State {
        var port: EnginePort?
        /// The queue's own journal; nil uses the context's.
        var ownJournal: (any QueueJournal)?
        /// A relaunch has put another queue in this one's place, or the queue is gone.
        var isOver = false
        weak var delegate: (any SKPaymentQueueDelegate)?
    }

    private struct WeakContext: Sendable { weak let context: StoreContext? }

    init(_ context: StoreContext, isOwned: Bool = false, journal: (any QueueJournal)?) {
        core = context.core
        keptContext = isOwned ? nil : context
        owningContext = WeakContext(context: isOwned ? context : nil)
        state = Locked(State(ownJournal: journal))
    }

    func attach(_ queue: SKPaymentQueue) {
        self.queue = queue
        core.register(self)
    }

    var context: StoreContext { keptContext ?? owningContext.context ?? StoreContext(core, defaultQueue: queue) }

    var isOwned: Bool { keptContext == nil }

    var ownJournal: (any QueueJournal)? { state.withLock { $0.ownJournal } }

    var delegate: (any SKPaymentQueueDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The engine, made when it is first needed.
    var engine: QueueEngine {
        if let engine = currentEngine { return engine }
        _ = core.setupOrWarning
        let (engine, trouble) = CallScope.outermost { makeEngine() }
        if let trouble { core.setup.log(trouble) }
        return engine
    }

    private func makeEngine() -> (QueueEngine, trouble: String?) {
        state.withLock { state in
            if let engine = state.port?.engine { return (engine, nil) }
            // Read with the lock held: whoever sets another store from now on finds this engine, and retires it.
            let setup = core.setup
            let engine = QueueEngine(
                backend: setup.backend ?? NoBackend.shared,
                journal: state.ownJournal ?? setup.journal,
                timekeeper: setup.timekeeper,
                delivery: setup.delivery,
                log: setup.log,
                stage: self
            )
            state.port = EnginePort(engine)
            return (engine, engine.openingTrouble)
        }
    }

    private var currentEngine: QueueEngine? { state.withLock { $0.port?.engine } }

    /// Falls silent for good.
    ///
    /// The engine stays: another would take the journal away from the queue that follows.
    func retire() {
        state.withLock { $0.isOver = true }
        engine.retire()
    }

    /// The queue is gone, and nobody can ask for another engine: letting go of the port retires this one.
    func retireLast() {
        _ = state.withLock { state in
            state.isOver = true
            return state.port.take()
        }
    }

    // MARK: Observers

    func add(_ observer: any SKPaymentTransactionObserver) {
        // Whoever comes after deallocated observers is the first again.
        noticeDeallocatedObservers()
        let isFirst = observers.load().isEmpty
        observers.add(observer)
        engine.observersChanged()
        if isFirst { engine.askForPriceConsent() }
    }

    func remove(_ observer: any SKPaymentTransactionObserver) {
        observers.remove(observer)
        engine.observersChanged()
    }

    var currentObservers: [any SKPaymentTransactionObserver] { observers.load().all }

    // MARK: QueueStage

    var liveObservers: [AnyObject] { observers.load().all }

    func makeTransaction(_ number: Int, _ payment: StorePayment, in engine: QueueEngine) -> AnyObject {
        SKPaymentTransaction(number: number, payment: payment, engine: engine)
    }

    func makeTransaction(_ number: Int, _ transaction: StoreTransaction, in engine: QueueEngine) -> AnyObject {
        SKPaymentTransaction(number: number, transaction, engine: engine)
    }

    func apply(_ change: StoreTransaction, to transaction: AnyObject) { Self.own(transaction).apply(change) }

    func apply(_ report: DownloadReport, toDownload download: AnyObject) { SKDownload.own(download).apply(report) }

    func markFinished(_ transaction: AnyObject) { Self.own(transaction).markFinished() }

    /// An engine holds only what `makeTransaction` made.
    static func own(_ transaction: AnyObject) -> SKPaymentTransaction {
        unsafeDowncast(transaction, to: SKPaymentTransaction.self)
    }

    func drain(_ engine: QueueEngine) {
        turn.lock()
        defer { turn.unlock() }
        let queue = queue
        context.run {
            var live = observers.load()
            if live.isEmpty { noticeDeallocatedObservers() }
            var batch = DeliveryBatch()
            guard engine.begin(&batch) else { return }
            var isDone = false
            while !isDone {
                if let queue, let first = live.first {
                    let round = CourierRound(
                        queue: queue,
                        first: first,
                        others: live.others,
                        version: live.version,
                        list: observers,
                        engine: engine
                    )
                    isDone = round.run(&batch)
                } else {
                    isDone = skip(&batch, until: live.version, engine)
                }
                if !isDone { live = observers.load() }
            }
        }
    }

    /// With nobody to tell: applies what waits, until observers come.
    ///
    /// Returns false if they do.
    private func skip(_ batch: inout DeliveryBatch, until version: Int, _ engine: QueueEngine) -> Bool {
        repeat {
            while !batch.isDone {
                if observers.version != version { return false }
                CourierRound.skip(&batch, engine)
            }
        } while engine.take(&batch)
        return true
    }

    func noticeDeallocatedObservers() {
        guard observers.removeAllIfDeallocated() else { return }
        core.setup.log(
            "the last observer of a payment queue was deallocated without having been removed; payments and what the "
                + "store sends wait for the next one. The queue does not keep its observers alive."
        )
        currentEngine?.observersChanged(allLeft: true)
    }
}

extension QueueCourier: ContextMember {
    func setupChanged() {
        let old = state.withLock { state -> EnginePort? in
            guard !state.isOver, let old = state.port.take() else { return nil }
            // What waits in the queue's own journal was meant for the store before.
            if state.ownJournal != nil, !(old.engine.backend is NoBackend) { state.ownJournal = MemoryJournal() }
            return old
        }
        guard let old else { return }
        old.engine.retire(leavesFinishes: false)
        if !observers.load().isEmpty { engine.observersChanged() }
    }
}
