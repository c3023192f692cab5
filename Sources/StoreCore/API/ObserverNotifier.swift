import Foundation
import Synchronization

/// Translates between a driver, which knows numbers, and the observers, which know Store Kit's objects.
///
/// A queue has one notifier for life. The notifier's driver changes when the context's store does.
final class ObserverNotifier: QueueDriverDelegate {
    let core: ContextCore
    /// A context owns its default queue; every other queue keeps its context.
    private let keptContext: StoreContext?
    private let owningContext: WeakContext
    private let state: Locked<State>
    let observers = ObserverList()
    /// Held while callbacks are made.
    ///
    /// Only where one store follows another do two threads ever want it.
    let turn = NSRecursiveLock()
    /// An empty buffer for what a callback is given.
    ///
    /// Guarded by `turn`.
    nonisolated(unsafe) var page: [SKPaymentTransaction] = []
    // Set once, before anybody else knows the notifier.
    nonisolated(unsafe) private(set) weak var queue: SKPaymentQueue?

    private struct State {
        var driver: QueueDriver?
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

    /// The driver, made when it is first needed.
    var driver: QueueDriver {
        if let driver = currentDriver { return driver }
        _ = core.setupOrWarning
        let (driver, trouble) = CallScope.outermost { makeDriver() }
        if let trouble { core.setup.log(trouble) }
        return driver
    }

    private func makeDriver() -> (QueueDriver, trouble: String?) {
        state.withLock { state in
            if let driver = state.driver { return (driver, nil) }
            // Read with the lock held: whoever sets another store from now on finds this driver, and retires it.
            let setup = core.setup
            let driver = QueueDriver(
                backend: setup.backend ?? NoBackend.shared,
                journal: state.ownJournal ?? setup.journal,
                clock: setup.clock,
                delivery: setup.delivery,
                log: setup.log,
                delegate: self
            )
            state.driver = driver
            return (driver, driver.openingTrouble)
        }
    }

    private var currentDriver: QueueDriver? { state.withLock { $0.driver } }

    /// Falls silent for good.
    ///
    /// The driver stays: another would take the journal away from the queue that follows.
    func retire() {
        state.withLock { $0.isOver = true }
        driver.retire()
    }

    /// Lets go of the driver.
    ///
    /// To be called when the queue is gone and nobody can ask for another one.
    func release() {
        let last = state.withLock { state in
            state.isOver = true
            return state.driver.take()
        }
        last?.release()
    }

    // MARK: Observers

    func add(_ observer: any SKPaymentTransactionObserver) {
        // Whoever comes after deallocated observers is the first again.
        noticeDeallocatedObservers()
        let isFirst = observers.load() == nil
        observers.add(observer)
        driver.observersChanged()
        if isFirst { driver.askForPriceConsent() }
    }

    func remove(_ observer: any SKPaymentTransactionObserver) {
        observers.remove(observer)
        driver.observersChanged()
    }

    var currentObservers: [any SKPaymentTransactionObserver] { observers.load()?.all ?? [] }

    // MARK: QueueDriverDelegate

    var liveObservers: [AnyObject] { currentObservers }

    func makeTransaction(_ number: Int, _ payment: StorePayment, in driver: QueueDriver) -> AnyObject {
        SKPaymentTransaction(number: number, payment: payment, driver: driver)
    }

    func makeTransaction(_ number: Int, _ transaction: StoreTransaction, in driver: QueueDriver) -> AnyObject {
        SKPaymentTransaction(number: number, transaction, driver: driver)
    }

    func apply(_ change: StoreTransaction, to transaction: AnyObject) { Self.own(transaction).apply(change) }

    func apply(_ report: DownloadReport, toDownload download: AnyObject) { SKDownload.own(download).apply(report) }

    func markFinished(_ transaction: AnyObject) { Self.own(transaction).markFinished() }

    /// A driver holds only what `makeTransaction` made.
    static func own(_ transaction: AnyObject) -> SKPaymentTransaction {
        unsafeDowncast(transaction, to: SKPaymentTransaction.self)
    }

    func noticeDeallocatedObservers() {
        guard observers.removeAllIfDeallocated() else { return }
        core.setup.log(
            "the last observer of a payment queue was deallocated without having been removed; payments and what the "
                + "store sends wait for the next one. The queue does not keep its observers alive."
        )
        currentDriver?.observersChanged(allLeft: true)
    }
}

extension ObserverNotifier: ContextMember {
    func setupChanged() {
        let old = state.withLock { state -> QueueDriver? in
            guard !state.isOver, let old = state.driver.take() else { return nil }
            // What waits in the queue's own journal was meant for the store before.
            if state.ownJournal != nil, !(old.backend is NoBackend) { state.ownJournal = MemoryJournal() }
            return old
        }
        guard let old else { return }
        old.release(leavesFinishes: false)
        if observers.load() != nil { driver.observersChanged() }
        // The queue may have gone meanwhile, and not have found the new driver.
        if queue == nil { release() }
    }
}
