import Foundation
import Synchronization

/// Stands between an engine, which knows numbers, and the observers, which know Store Kit's objects.
///
/// A queue has one courier for life. The courier's engine changes when the context's store does.
final class QueueCourier: QueueStage {
    let context: StoreContext
    /// The queue's own journal; nil uses the context's.
    var ownJournal: (any QueueJournal)? { ownJournalBox.withLock { $0 } }
    private let ownJournalBox: Locked<(any QueueJournal)?>
    private let port = Locked<EnginePort?>(nil)
    private let observers = ObserverList()
    private let delegateLink = Locked(DelegateLink())
    // Set once, before anybody else knows the courier.
    nonisolated(unsafe) private weak var queue: SKPaymentQueue?
    /// A relaunch has put another queue in this one's place.
    private let isOver = Atomic<Bool>(false)

    private struct DelegateLink { weak var delegate: (any SKPaymentQueueDelegate)? }

    init(context: StoreContext, journal: (any QueueJournal)?) {
        self.context = context
        ownJournalBox = Locked(journal)
    }

    func attach(_ queue: SKPaymentQueue) {
        self.queue = queue
        context.register(self)
    }

    var delegate: (any SKPaymentQueueDelegate)? {
        get { delegateLink.withLock { $0.delegate } }
        set { delegateLink.withLock { $0.delegate = newValue } }
    }

    /// The engine, made when it is first needed.
    var engine: QueueEngine {
        port.withLock { port in
            if let engine = port?.engine { return engine }
            let setup = context.setup
            let engine = QueueEngine(
                backend: context.backendOrWarning ?? NoBackend.shared,
                journal: ownJournal ?? setup.journal,
                timekeeper: setup.timekeeper,
                delivery: setup.delivery,
                log: setup.log,
                stage: self
            )
            port = EnginePort(engine)
            return engine
        }
    }

    /// Falls silent for good.
    ///
    /// The engine stays: another would take the journal away from the queue that follows.
    func retire() {
        isOver.store(true, ordering: .sequentiallyConsistent)
        engine.retire()
    }

    /// The queue is gone, and nobody can ask for another engine.
    func retireLast() { _ = takePort() }

    /// Letting go of the port retires the engine.
    private func takePort() -> EnginePort? { port.withLock { $0.take() } }

    // MARK: Observers

    func add(_ observer: any SKPaymentTransactionObserver) {
        // Whoever comes after observers that have vanished is the first again.
        if observers.haveVanished() { observersVanished() }
        observers.add(observer)
        engine.observersChanged()
    }

    func remove(_ observer: any SKPaymentTransactionObserver) {
        observers.remove(observer)
        engine.observersChanged()
    }

    var currentObservers: [any SKPaymentTransactionObserver] { observers.load().all }

    // MARK: QueueStage

    var hasObservers: Bool { observers.hasAny }

    func makeTransaction(_ number: Int, _ payment: StorePayment, in engine: QueueEngine) -> AnyObject {
        SKPaymentTransaction(number: number, payment: payment, engine: engine)
    }

    func makeTransaction(_ number: Int, _ transaction: StoreTransaction, in engine: QueueEngine) -> AnyObject {
        SKPaymentTransaction(number: number, transaction, engine: engine)
    }

    func apply(_ change: StoreTransaction, to transaction: AnyObject) { Self.own(transaction).apply(change) }

    func markFinished(_ transaction: AnyObject) { Self.own(transaction).markFinished() }

    /// An engine holds only what `makeTransaction` made.
    static func own(_ transaction: AnyObject) -> SKPaymentTransaction {
        unsafeDowncast(transaction, to: SKPaymentTransaction.self)
    }

    func drain(_ engine: QueueEngine, next: (inout [Delivery]) -> Int?) {
        let queue = queue
        context.run {
            var live = observers.load()
            let haveVanished = live.isEmpty && observers.haveVanished()
            let round = CourierRound(list: observers, engine: engine)
            var batch: [Delivery] = []
            while let epoch = next(&batch) { round.deliver(batch, epoch: epoch, to: queue, &live) }
            if haveVanished { observersVanished() }
        }
    }

    private func observersVanished() {
        context.setup.log(
            "the last observer of a payment queue is gone without having been removed; what the store sends waits for "
                + "the next one. The queue does not keep its observers alive."
        )
        port.withLock { $0 }?.engine.observersChanged()
    }
}

extension QueueCourier: ContextMember {
    func setupChanged() {
        guard !isOver.load(ordering: .sequentiallyConsistent), let old = takePort() else { return }
        old.engine.retire()
        // What waits in it was meant for the store before.
        if !(old.engine.backend is NoBackend) { ownJournalBox.withLock { if $0 != nil { $0 = MemoryJournal() } } }
        if observers.hasAny { engine.observersChanged() }
    }
}

/// Observers, held weakly.
final class ObserverList: Sendable {
    private let list = Locked<[Weak]>([])
    private let changes = Atomic<Int>(0)

    private struct Weak {
        weak var observer: (any SKPaymentTransactionObserver)?
    }

    /// Differs when observers have come or gone since it was last read.
    var version: Int { changes.load(ordering: .acquiring) }

    /// Whether there is one.
    ///
    /// Those that have vanished do not count.
    var hasAny: Bool { list.withLock { $0.contains { $0.observer != nil } } }

    func add(_ observer: any SKPaymentTransactionObserver) {
        list.withLock { list in
            list.removeAll { $0.observer == nil || $0.observer === observer }
            list.append(Weak(observer: observer))
        }
        changes.add(1, ordering: .releasing)
    }

    func remove(_ observer: any SKPaymentTransactionObserver) {
        list.withLock { list in list.removeAll { $0.observer == nil || $0.observer === observer } }
        changes.add(1, ordering: .releasing)
    }

    /// Those that are there, kept alive while the result is.
    func load() -> LiveObservers {
        let version = version
        return list.withLock { list in
            if list.count == 1 { return LiveObservers(version: version, first: list[0].observer) }
            let live = list.compactMap(\.observer)
            return LiveObservers(version: version, first: live.first, others: Array(live.dropFirst()))
        }
    }

    /// True once, if there were observers and all have vanished without having been removed.
    func haveVanished() -> Bool {
        list.withLock { list in
            guard !list.isEmpty, !list.contains(where: { $0.observer != nil }) else { return false }
            list = []
            return true
        }
    }
}

/// Observers, held for as long as they are called.
///
/// There is hardly ever more than one.
struct LiveObservers {
    /// The list's, when they were looked up.
    let version: Int
    let first: (any SKPaymentTransactionObserver)?
    var others: [any SKPaymentTransactionObserver] = []

    var isEmpty: Bool { first == nil }
    var all: [any SKPaymentTransactionObserver] { first.map { [$0] + others } ?? [] }

    func contains(_ observer: any SKPaymentTransactionObserver) -> Bool {
        first === observer || others.contains { $0 === observer }
    }
}
