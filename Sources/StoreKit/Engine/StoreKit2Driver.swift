import Foundation
import StoreCore
import Synchronization

/// The driver of Store Kit 2 on a payment queue: guards its machine with a lock, and performs the machine's actions
/// outside of the lock.
///
/// There is one for each queue, created on first use. It observes the queue in addition to the app's observers,
/// finishes those transactions that an app of Store Kit 2 cannot finish, and reads the history of the queue's store.
final class StoreKit2Driver: NSObject, QueueFace {
    /// The queue, nil once it is deallocated.
    // Set once, before other threads have access.
    nonisolated(unsafe) private(set) weak var queue: SKPaymentQueue?
    let state = Locked(State())
    private let isFollowing = Atomic<Bool>(false)
    private let changesOfStore = Atomic<Int>(0)
    /// The number of times that the store has been replaced.
    var storeChanges: Int { changesOfStore.load(ordering: .acquiring) }

    /// The state under a driver's lock.
    struct State {
        var machine = StoreKit2Machine()
        /// The reader of the store's history, once the app has used Store Kit 2 with the store.
        var reader: HistoryReader?
        /// The delays before repeated queries of the store, which end when the store is replaced.
        var delays: [ObjectIdentifier: Reply<Void>] = [:]
        /// The first answers about introductory offers, by group, which a quirk of the store keeps.
        var eligibility: [String: Bool] = [:]
    }

    init(_ queue: SKPaymentQueue) {
        self.queue = queue
        super.init()
        queue.storeSetup.backend?.preferAppStoreSignatures()
    }

    /// The driver of the current context's default queue.
    static var current: StoreKit2Driver { of(SKPaymentQueue.default()) }

    /// Returns the driver of a queue.
    static func of(_ queue: SKPaymentQueue) -> StoreKit2Driver {
        let driver = queue.face { StoreKit2Driver(queue) }
        driver.followHistory()
        return driver
    }

    /// The store, nil while none is set.
    var backend: (any StoreBackend)? { queue?.storeSetup.backend }

    /// Whether the store's history is followed; atomic, because every call reads it.
    var followsHistory: Bool { isFollowing.load(ordering: .acquiring) }

    /// Returns the store's history.
    ///
    /// - Throws: `StoreKitError.systemError` with a sentence, if no store is set or the store has no history.
    func history() throws -> any HistoryService { try historyAndOrigin().history }

    /// Returns the store's history, and the origin of values read there.
    ///
    /// - Throws: as ``history()``.
    func historyAndOrigin() throws -> (history: any HistoryService, origin: StoreOrigin) {
        if let reader = state.withLock({ $0.reader }) { return (reader.service, reader.origin) }
        // Read before the store, so that a replacement in between is noticed.
        let changes = storeChanges
        guard let backend else { throw StoreKitError.systemError(StoreFailure.storeKit(.unknown, "no store is set")) }
        guard let history = backend.services.history else {
            let reason = "this store has no history, which Store Kit 2 needs: it offers no HistoryService"
            throw StoreKitError.systemError(StoreFailure.storeKit(.unknown, reason))
        }
        return (history, StoreOrigin(self, backend, storeChanges: changes))
    }

    /// Throws the error that a test has injected into a call.
    func check(_ call: SimulatedCall, in queue: SKPaymentQueue? = nil) throws {
        if let error = (queue ?? self.queue)?.simulatedError(of: call.rawValue) { throw error }
    }

    func log(_ line: String) { queue?.storeSetup.log(line) }

    /// Begins to follow the store's history, if it is not followed yet.
    ///
    /// Earlier revocations are not reported, unless the queue reports them.
    func followHistory() {
        if followsHistory { return }
        let changes = state.withLock { $0.reader == nil && !$0.machine.hasEnded ? storeChanges : nil }
        guard let changes, let store = backend, let service = store.services.history else { return }
        let reader = HistoryReader(service, of: store, storeChanges: changes, driver: self)
        let isNew = state.withLock { state in
            // The store may have been replaced since, which makes this reader useless.
            guard state.reader == nil, !state.machine.hasEnded, storeChanges == changes else { return false }
            state.reader = reader
            isFollowing.store(true, ordering: .releasing)
            return true
        }
        if isNew { reader.begin() }
    }

    /// Reads the history for a new subscriber.
    func readHistory() {
        followHistory()
        state.withLock { $0.reader }?.read()
    }
}

// MARK: - Events in, actions out

extension StoreKit2Driver {
    /// Runs a closure under the lock, then performs the machine's actions.
    func handle<R>(_ event: (inout State, inout StoreKit2Machine.Actions) -> R) -> R {
        var actions = StoreKit2Machine.Actions()
        let result = state.withLock { event(&$0, &actions) }
        perform(actions)
        return result
    }

    private func perform(_ actions: StoreKit2Machine.Actions) {
        actions.signals.forEach { _ = $0.yield() }
        if !(actions.failed.isEmpty && actions.unclaimed.isEmpty && actions.held.isEmpty), let queue {
            let isObserved = !actions.unclaimed.isEmpty && !queue.transactionObservers.isEmpty
            let unclaimed = isObserved ? [] : actions.unclaimed.filter { !$0.isFinished }
            for transaction in actions.failed + unclaimed + actions.held { queue.finishTransaction(transaction) }
        }
        actions.replies.forEach { $0.reply.complete(with: $0.outcome) }
        if let notice = actions.acknowledgedNotice { queue?.acknowledgeRevocations(through: notice) }
        for signal in actions.ended { signal.finish() }
    }
}

// MARK: - The queue

extension StoreKit2Driver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        if transactions.allSatisfy({ $0.transactionState == .purchasing }) { return }
        handle { $0.machine.transactionsUpdated(transactions, &$1) }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        handle { $0.machine.transactionsRemoved(transactions, &$1) }
    }

    func removalsMissed() {
        guard let queue else { return }
        let numbers = state.withLock { $0.machine.purchases.numbers }.filter { !queue.hasTransaction($0) }
        handle { $0.machine.purchasesLost(numbers, &$1) }
    }

    func entitlementsRevoked(_ productIdentifiers: [String], notice: Int) {
        let reader = state.withLock { state in
            state.machine.entitlementsRevoked(productIdentifiers, notice: notice)
            state.reader?.attention.isOn = true
            return state.reader
        }
        // The notice may come before there is a reader.
        if backend?.services.quirks?.quirks.contains(.revocationComesOnce) == true {
            queue?.acknowledgeRevocations(through: notice)
        }
        reader?.read()
    }

    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {
        guard let storefront else { return }
        handle { $0.machine.storefronts.publish(storefront, &$1) }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool {
        let intent = PurchaseIntent(Product(product.product, storefront: storefront), payment.storePayment)
        handle { $0.machine.intents.publish(intent, &$1) }
        return false
    }

    func shouldContinue(_ transaction: SKPaymentTransaction, in storefront: StoreStorefront) -> Bool? {
        let number = transaction.orderNumber
        let purchase = state.withLock { $0.machine.undecidedPurchase(number) }
        return purchase?.shouldContinue?(storefront)
    }

    func queueEnded() {
        let former = handle { state, actions in
            isFollowing.store(false, ordering: .releasing)
            defer { state.delays = [:] }
            return (state.machine.end(&actions), state.reader.take(), state.delays)
        }
        // Released without the lock.
        withExtendedLifetime(former) {}
    }

    func storeChanged(from former: FormerStore) {
        // Set first, because the finishes that are woken below read this property.
        state.withLock { $0.reader?.origin }?.former = former
        backend?.preferAppStoreSignatures()
        let (delays, reader) = handle { state, actions in
            state.machine.storeChanged(&actions)
            state.eligibility = [:]
            isFollowing.store(false, ordering: .releasing)
            changesOfStore.add(1, ordering: .releasing)
            return (state.delays, state.reader.take())
        }
        // Released without the lock: its deinitializer may cancel a timer of the store's clock.
        withExtendedLifetime(reader) {}
        followHistory()
        for delay in delays.values { delay.complete(with: ()) }
    }
}

/// A call that a test can make fail, under StoreKitTest's name for it.
package enum SimulatedCall: String, Sendable {
    case loadProducts, purchase, verification, appStoreSync, subscriptionStatus, appTransaction, manageSubscriptions
    case refundRequest, offerCodeRedeem
}
