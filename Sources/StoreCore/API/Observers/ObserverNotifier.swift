import Foundation
import Synchronization

/// An adapter between a queue's driver, which uses numbers, and the observers, which use Store Kit's objects.
///
/// A queue keeps its notifier; when the context's store is replaced, the notifier's driver is replaced too.
final class ObserverNotifier: QueueDriverDelegate {
    let core: ContextCore
    /// The context; nil for a default queue, which its context owns.
    private let retainedContext: StoreContext?
    /// The context that owns the queue, if the queue is a default queue.
    private weak let owningContext: StoreContext?
    private let state: Locked<State>
    let observers = ObserverList()
    let revocations = Locked(UnreportedRevocations())
    /// A lock that is held while callbacks run.
    ///
    /// Threads contend for it only while one store replaces another.
    let turn = NSRecursiveLock()
    /// A buffer for the transactions of a callback; empty between callbacks.
    ///
    /// Guarded by `turn`.
    nonisolated(unsafe) var page: [SKPaymentTransaction] = []
    // Set once, before other threads can use the notifier.
    nonisolated(unsafe) private(set) weak var queue: SKPaymentQueue?

    private struct State {
        var driver: QueueDriver?
        /// The queue's own journal; nil if the queue uses the context's journal.
        var ownJournal: (any QueueJournal)?
        /// Whether the queue was deallocated, or was replaced in a relaunch.
        var isOver = false
        /// Another interface to the queue, used by another module.
        var face: (any QueueFace)?
        weak var delegate: (any SKPaymentQueueDelegate)?
    }

    init(_ context: StoreContext, isOwned: Bool = false, journal: (any QueueJournal)?) {
        core = context.core
        retainedContext = isOwned ? nil : context
        owningContext = isOwned ? context : nil
        state = Locked(State(ownJournal: journal))
    }

    func attach(_ queue: SKPaymentQueue) {
        self.queue = queue
        core.register(self)
    }

    var context: StoreContext { retainedContext ?? owningContext ?? StoreContext(core, defaultQueue: queue) }

    var isOwned: Bool { retainedContext == nil }

    var ownJournal: (any QueueJournal)? { state.withLock { $0.ownJournal } }

    var delegate: (any SKPaymentQueueDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The driver, which is created when it is first needed.
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
            // Read with the lock held, so that a later change of the store finds and retires this driver.
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

    /// Permanently stops callbacks.
    ///
    /// The driver is retained: a new one would open the journal, which now belongs to the queue's successor.
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
    /// Called when the queue is deallocated: no caller is left that could request another driver.
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
        // If all other observers were deallocated, the added one counts as the first.
        noticeDeallocatedObservers()
        let others = currentObservers
        observers.add(observer)
        // The app's first observer receives all unfinished transactions, even if a `QueueFace` was attached earlier.
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

    /// The queue's `QueueFace`; nil until one is requested.
    var face: (any QueueFace)? { state.withLock { $0.face } }

    /// Returns the queue's `QueueFace`, created and attached on first use.
    ///
    /// If the queue has ended, the result is not attached, and is notified of the end at once.
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

    /// The observers that the app has added.
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

    /// Casts an object of a driver to a transaction: a driver has only objects that `makeTransaction` returned.
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
            // The pending commands in the queue's own journal were meant for the previous store, so the journal is
            // replaced.
            if state.ownJournal != nil, !(old.backend is NoBackend) { state.ownJournal = MemoryJournal() }
            return old
        }
        guard let old else { return }
        old.release(leavesFinishes: false)
        revocations.withLock { $0.forget() }
        face?.storeChanged(from: FormerStore(driver: old))
        if observers.load() != nil { driver.observersChanged() }
        // If the queue was deallocated in the meantime, it has released only the old driver.
        if queue == nil { release() }
    }
}

// Questions to the queue's delegate, which is called in order among the observers' callbacks.
extension ObserverNotifier {
    /// Asks the delegate whether a purchase continues in a new storefront, and reports the decision to the store.
    ///
    /// Without a delegate, the purchase continues (behavior 170).
    func askWhetherToContinue(
        _ transaction: SKPaymentTransaction,
        _ identifier: String,
        _ storefront: StoreStorefront,
        _ queue: SKPaymentQueue,
        _ driver: QueueDriver
    ) {
        guard transaction.isPurchasing || transaction.isDeferred else { return }
        // A `QueueFace` decides about the purchases that were ordered through it.
        let shouldContinue =
            face?.shouldContinue(transaction, in: storefront)
            ?? queue.delegate?.paymentQueue(queue, shouldContinue: transaction, in: SKStorefront(storefront)) ?? true
        driver.backend.services.storefront?
            .decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }

    /// Shows the sheet for a pending price consent, unless the delegate postpones it (behavior 180).
    func askForPriceConsent(_ queue: SKPaymentQueue, _ driver: QueueDriver) {
        guard let consent = driver.backend.services.consent, consent.isPriceConsentPending else { return }
        guard queue.delegate?.paymentQueueShouldShowPriceConsent(queue) ?? true else { return }
        consent.showPriceConsent()
    }
}

/// The revocations that have not been reported to both the app's observers and the queue's `QueueFace`.
///
/// The store sends a revocation again until it is acknowledged. It is acknowledged once an observer of the app is
/// notified, or once the `QueueFace` has passed it on to the app. Until then, an added observer receives it from the
/// store, and a new `QueueFace` receives it from this state. If another user has signed in by then, the `QueueFace`
/// finds none of the revoked transactions.
struct UnreportedRevocations: Sendable {
    /// The revoked products that were reported to observers before there was a `QueueFace`.
    private var unfaced: [String] = []
    /// The revoked products that were reported only to the `QueueFace`; the store sends them again until they are
    /// acknowledged.
    private var unacknowledged: [String] = []
    /// The position up to which a driver's updates can be acknowledged to the store.
    private var place: (cursor: UpdateCursor, driver: ObjectIdentifier)?
    /// Whether a reported update must be acknowledged now, since the store must not send it again.
    private var isUrgent = false
    /// The number of the last notice of revoked products; numbers continue when the queue's store is replaced.
    private var lastNotice = 0

    /// Records that observers are notified of revoked products; returns the number of this notice.
    mutating func reported(_ products: [String], isObserved: Bool, hasFace: Bool) -> Int {
        if !hasFace { Self.add(products, to: &unfaced) }
        if !isObserved { Self.add(products, to: &unacknowledged) }
        lastNotice += 1
        return lastNotice
    }

    /// Records that a promoted purchase was reported, which must not be sent again: a `QueueFace` would store it twice.
    mutating func reportedPromotion() { isUrgent = true }

    /// Records that all updates up to a cursor were reported; returns whether to acknowledge them now.
    mutating func reported(through cursor: UpdateCursor, by driver: QueueDriver) -> Bool {
        defer { isUrgent = false }
        if unacknowledged.isEmpty { return true }
        if isUrgent {
            acknowledge()
            return true
        }
        place = (cursor, ObjectIdentifier(driver))
        return false
    }

    /// Records that the `QueueFace` has passed on to the app all revocations up to a notice.
    ///
    /// Returns the position to acknowledge, if there is one. Returns nil while a later notice is being passed on: the
    /// call for that notice acknowledges both.
    mutating func passedOn(through notice: Int, by driver: QueueDriver) -> UpdateCursor? {
        guard notice == lastNotice else { return nil }
        let place = place
        acknowledge()
        return place?.driver == ObjectIdentifier(driver) ? place?.cursor : nil
    }

    private mutating func acknowledge() { (unacknowledged, place) = ([], nil) }

    /// Clears the revocations that the app's first observer has missed; returns whether the store must send them again.
    mutating func takeForObserver() -> Bool {
        defer { acknowledge() }
        return !unacknowledged.isEmpty
    }

    /// Removes and returns the revoked products to report to a new `QueueFace`, with the last notice's number.
    mutating func takeForFace() -> (products: [String], notice: Int) {
        defer { unfaced = [] }
        return (unfaced, lastNotice)
    }

    /// Discards all revocations, because their store was replaced.
    mutating func forget() {
        let last = lastNotice
        self = UnreportedRevocations()
        lastNotice = last
    }

    private static func add(_ products: [String], to list: inout [String]) {
        for product in products where !list.contains(product) { list.append(product) }
    }
}
