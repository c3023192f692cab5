import Foundation
import Synchronization

/// An adapter between a driver, which works with numbers, and the observers, which work with Store Kit's objects.
///
/// A queue has one notifier for its lifetime. The notifier's driver is replaced when the context's store is.
final class ObserverNotifier: QueueDriverDelegate {
    let core: ContextCore
    /// The context of a queue that it does not own; nil for a default queue, which its context owns.
    private let keptContext: StoreContext?
    /// The context that owns the queue.
    private weak let owningContext: StoreContext?
    private let state: Locked<State>
    let observers = ObserverList()
    let revocations = Locked(RevocationNews())
    /// The lock that is held while callbacks run.
    ///
    /// Two threads contend for it only when one store replaces another.
    let turn = NSRecursiveLock()
    /// An empty buffer for the transactions of a callback.
    ///
    /// Guarded by `turn`.
    nonisolated(unsafe) var page: [SKPaymentTransaction] = []
    // Set once, before the notifier is shared.
    nonisolated(unsafe) private(set) weak var queue: SKPaymentQueue?

    private struct State {
        var driver: QueueDriver?
        /// The queue's own journal; nil uses the context's.
        var ownJournal: (any QueueJournal)?
        /// Whether a relaunch has replaced the queue, or the queue is deallocated.
        var isOver = false
        /// The queue's interface for another module.
        var face: (any QueueFace)?
        weak var delegate: (any SKPaymentQueueDelegate)?
    }

    init(_ context: StoreContext, isOwned: Bool = false, journal: (any QueueJournal)?) {
        core = context.core
        keptContext = isOwned ? nil : context
        owningContext = isOwned ? context : nil
        state = Locked(State(ownJournal: journal))
    }

    func attach(_ queue: SKPaymentQueue) {
        self.queue = queue
        core.register(self)
    }

    var context: StoreContext { keptContext ?? owningContext ?? StoreContext(core, defaultQueue: queue) }

    var isOwned: Bool { keptContext == nil }

    var ownJournal: (any QueueJournal)? { state.withLock { $0.ownJournal } }

    var delegate: (any SKPaymentQueueDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The driver, created on first use.
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
            // Read with the lock held: a later change of the store finds this driver, and retires it.
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

    /// Stops callbacks permanently.
    ///
    /// The driver stays: a new one would take over the journal that belongs to the queue's successor.
    func retire() {
        let face = state.withLock { state in
            state.isOver = true
            return state.face.take()
        }
        driver.retire()
        if let face { end(face) }
    }

    /// Releases the driver.
    ///
    /// Call it when the queue is deallocated and nothing can request another driver.
    func release() {
        let (last, face) = state.withLock { state in
            state.isOver = true
            return (state.driver.take(), state.face.take())
        }
        last?.release()
        if let face { end(face) }
    }

    private func end(_ face: any QueueFace) {
        observers.remove(face)
        face.queueEnded()
    }

    // MARK: Observers

    func add(_ observer: any SKPaymentTransactionObserver) {
        // An observer added after the others were deallocated is the first again.
        noticeDeallocatedObservers()
        let others = currentObservers
        observers.add(observer)
        // The first observer of the app is shown unfinished transactions even if a `QueueFace` was attached earlier.
        let isFirst = !(observer is any QueueFace) && others.allSatisfy { $0 is any QueueFace }
        if isFirst, revocations.withLock({ $0.takeForObserver() }) { driver.askAgain() }
        driver.observersChanged(allLeft: isFirst && !others.isEmpty)
        guard isFirst else { return }
        // Pending notices are repeated for the new observer, except for removals.
        if !others.isEmpty { face?.removalsMissed() }
        driver.askForPriceConsent()
    }

    func remove(_ observer: any SKPaymentTransactionObserver) {
        observers.remove(observer)
        driver.observersChanged()
    }

    /// The queue's `QueueFace`, nil until one is requested.
    var face: (any QueueFace)? { state.withLock { $0.face } }

    /// Returns the queue's `QueueFace`, created and attached on first use; one that has already ended if the queue has.
    func face<Face: QueueFace>(_ make: () -> Face) -> Face {
        if let face = state.withLock({ $0.face }) as? Face { return face }
        let new = make()
        let (face, isNew, isOver) = state.withLock { state -> (Face, Bool, Bool) in
            if let face = state.face as? Face { return (face, false, false) }
            if !state.isOver { state.face = new }
            return (new, !state.isOver, state.isOver)
        }
        if isNew {
            add(face)
            let (revoked, notice) = revocations.withLock { $0.takeForFace() }
            if !revoked.isEmpty { face.entitlementsRevoked(revoked, notice: notice) }
        }
        if isOver { face.queueEnded() }
        return face
    }

    /// The observers that an app has added.
    var appObservers: [any SKPaymentTransactionObserver] { currentObservers.filter { !($0 is any QueueFace) } }

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

    func markRemoved(_ transaction: AnyObject) -> Bool { Self.own(transaction).markRemoved() }

    /// Casts a driver's object to a transaction: a driver holds only results of `makeTransaction`.
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
            // Pending commands in the queue's own journal were intended for the previous store.
            if state.ownJournal != nil, !(old.backend is NoBackend) { state.ownJournal = MemoryJournal() }
            return old
        }
        guard let old else { return }
        old.release(leavesFinishes: false)
        revocations.withLock { $0.forget() }
        face?.storeChanged(from: FormerStore(driver: old))
        if observers.load() != nil { driver.observersChanged() }
        // The queue may have been deallocated meanwhile, without finding the new driver.
        if queue == nil { release() }
    }
}

// Questions to the queue's delegate, asked in order among the observers' callbacks.
extension ObserverNotifier {
    /// Asks the delegate whether a purchase continues in a new storefront, and reports the answer to the store.
    ///
    /// Without a delegate it continues (behavior 170).
    func askWhetherToContinue(
        _ transaction: SKPaymentTransaction,
        _ identifier: String,
        _ storefront: StoreStorefront,
        _ queue: SKPaymentQueue,
        _ driver: QueueDriver
    ) {
        guard transaction.isPurchasing || transaction.isDeferred else { return }
        // The face decides about purchases that were ordered through it.
        let shouldContinue =
            face?.shouldContinue(transaction, in: storefront)
            ?? queue.delegate?.paymentQueue(queue, shouldContinue: transaction, in: SKStorefront(storefront)) ?? true
        driver.backend.services.storefront?
            .decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    /// Shows a pending price consent, unless the delegate postpones it (behavior 180).
    func askForPriceConsent(_ queue: SKPaymentQueue, _ driver: QueueDriver) {
        guard let consent = driver.backend.services.consent, consent.isPriceConsentPending else { return }
        guard queue.delegate?.paymentQueueShouldShowPriceConsent(queue) ?? true else { return }
        consent.showPriceConsent()
    }
}

/// The revocations that the app's own observers and the queue's `QueueFace` have not both been notified of.
///
/// The store resends each until it is acknowledged: once an observer of the app is notified, or the face has passed it on to
/// the app. An observer added before that is notified by the store, a face from here. The face looks the transactions up, and
/// finds none if another user has signed in by then.
struct RevocationNews: Sendable {
    /// The products that observers were notified of before the queue had a face.
    private var unfaced: [String] = []
    /// The products that only the face was notified of, and that the store would send again.
    private var unacknowledged: [String] = []
    /// The position in a driver's updates through which they can be acknowledged.
    private var place: (cursor: UpdateCursor, driver: ObjectIdentifier)?
    /// Whether another update must be acknowledged because it must not be sent again.
    private var isUrgent = false
    /// The number of the last notice of revoked products, counted across all stores of the queue.
    private var lastNotice = 0

    /// Records that observers are notified of revoked products, and returns the number of the notice.
    mutating func told(_ products: [String], isObserved: Bool, hasFace: Bool) -> Int {
        if !hasFace { Self.add(products, to: &unfaced) }
        if !isObserved { Self.add(products, to: &unacknowledged) }
        lastNotice += 1
        return lastNotice
    }

    /// Records the notification of a promoted purchase, which must not be sent again: a face would store it twice.
    mutating func toldPromotion() { isUrgent = true }

    /// Records that all updates up to a cursor were reported; returns whether to acknowledge them.
    mutating func told(through cursor: UpdateCursor, by driver: QueueDriver) -> Bool {
        defer { isUrgent = false }
        if unacknowledged.isEmpty { return true }
        if isUrgent {
            acknowledge()
            return true
        }
        place = (cursor, ObjectIdentifier(driver))
        return false
    }

    /// Records that the face has passed on everything through a notice.
    ///
    /// Returns the position to be acknowledged, if it has been reported already. If a later notice is on its way to the face,
    /// nothing is acknowledged: the face's next call covers that notice too.
    mutating func passedOn(through notice: Int, by driver: QueueDriver) -> UpdateCursor? {
        guard notice == lastNotice else { return nil }
        let place = place
        acknowledge()
        return place?.driver == ObjectIdentifier(driver) ? place?.cursor : nil
    }

    private mutating func acknowledge() { (unacknowledged, place) = ([], nil) }

    /// Clears what the app's first observer must be notified of; returns whether the store must send it again.
    mutating func takeForObserver() -> Bool {
        defer { acknowledge() }
        return !unacknowledged.isEmpty
    }

    /// Removes the products that a new face must be notified of, and returns them with the number of the last notice.
    mutating func takeForFace() -> (products: [String], notice: Int) {
        defer { unfaced = [] }
        return (unfaced, lastNotice)
    }

    /// Discards the revocations of a store that was replaced.
    mutating func forget() {
        let last = lastNotice
        self = RevocationNews()
        lastNotice = last
    }

    private static func add(_ products: [String], to list: inout [String]) {
        for product in products where !list.contains(product) { list.append(product) }
    }
}
