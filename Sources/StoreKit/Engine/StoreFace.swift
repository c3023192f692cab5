import Foundation
import StoreCore
import Synchronization

/// Store Kit 2's interface to a payment queue: an additional observer of the queue, and a reader of its store's history.
///
/// There is one for each queue, created on first use. It decides nothing about transactions: the queue does.
final class StoreFace: NSObject, QueueFace {
    /// The queue, nil once it is deallocated.
    // Set once, before other threads have access.
    nonisolated(unsafe) private(set) weak var queue: SKPaymentQueue?
    let state = FaceState()
    private let isFollowing = Atomic<Bool>(false)
    private let changesOfStore = Atomic<Int>(0)
    /// The number of times that the store has been replaced.
    var storeChanges: Int { changesOfStore.load(ordering: .acquiring) }

    struct State {
        var purchases = PurchasesUnderWay()
        /// The purchases that are still undecided although no one awaits them, by the number of their transaction.
        ///
        /// If one fails, the `StoreFace` finishes its transaction, since no one else would.
        var abandoned: [Int: PurchaseUnderWay] = [:]
        /// The unfinished transactions that the queue has reported.
        var known: [String: KnownTransaction] = [:]
        var updates = UpdateSubscribers()
        /// The products that the queue has reported as revoked, and whose transactions have not been looked up yet.
        var revoked: [String] = []
        /// The number of the queue's last notice of revocations.
        var lastNotice = 0
        /// The tasks that wait for a transaction to arrive in the queue.
        var arrivals = Subscribers<[String]>()
        var statuses = Subscribers<Product.SubscriptionInfo.Status>()
        var storefronts = Subscribers<StoreStorefront>()
        var intents = Subscribers<PurchaseIntent>()
        /// The purchases begun in the store while there was no subscriber.
        var unheardIntents: [PurchaseIntent] = []
        var messages = Subscribers<Message>()
        /// The delays before repeated queries of the store, which end when the store is replaced.
        var pauses: [ObjectIdentifier: Reply<Void>] = [:]
        /// The reader of the store's history, once the app has used Store Kit 2 with the store.
        var reader: HistoryReader?
        var isOver = false
        /// The signals to subscribers that are due once the lock is free.
        var signals: [Signal] = []

        /// Whether changes of the history concern any subscriber.
        var needsHistory: Bool {
            !(updates.isEmpty && statuses.isEmpty && messages.isEmpty && arrivals.isEmpty && revoked.isEmpty)
        }

        /// The last notice of revocations, if subscribers have taken everything that the queue has reported.
        var takenNotice: Int? { revoked.isEmpty && !updates.hasUntakenRevocations ? lastNotice : nil }
    }

    init(_ queue: SKPaymentQueue) {
        self.queue = queue
        super.init()
        queue.storeSetup.backend?.preferAppStoreSignatures()
    }

    /// The `StoreFace` of the current context's default queue.
    static var current: StoreFace { of(SKPaymentQueue.default()) }

    /// Returns the `StoreFace` of a queue.
    static func of(_ queue: SKPaymentQueue) -> StoreFace {
        let face = queue.face { StoreFace(queue) }
        face.followHistory()
        return face
    }

    /// The store, nil while none is set.
    var backend: (any StoreBackend)? { queue?.storeSetup.backend }

    /// Whether the store's history is followed; atomic, because every call reads it.
    var followsHistory: Bool { isFollowing.load(ordering: .acquiring) }

    /// Returns the store's history.
    ///
    /// - Throws: `StoreKitError.systemError` with a sentence, if no store is set or the store has none.
    func history() throws -> any HistoryService {
        if let reader = state.withLock({ $0.reader }) { return reader.service }
        return try readable().history
    }

    /// Returns the store's history, and the origin of values read there.
    ///
    /// - Throws: as ``history()``.
    func readable() throws -> (history: any HistoryService, origin: StoreOrigin) {
        if let reader = state.withLock({ $0.reader }) {
            return (reader.service, reader.origin)
        }
        // Read before the store, so that a replacement in between is noticed.
        let changes = storeChanges
        guard let backend else {
            throw StoreKitError.systemError(StoreFailure.storeKit(.unknown, "no store is set"))
        }
        guard let history = backend.services.history else {
            let reason = "this store has no history, which Store Kit 2 needs: it offers no HistoryService"
            throw StoreKitError.systemError(StoreFailure.storeKit(.unknown, reason))
        }
        return (history, StoreOrigin(self, backend, storeChanges: changes))
    }

    /// Throws the error that a test has injected into a call.
    func check(_ call: SimulatedCall) throws { try check(call, in: queue) }

    func check(_ call: SimulatedCall, in queue: SKPaymentQueue?) throws {
        if let error = queue?.simulatedError(of: call.rawValue) { throw error }
    }

    func log(_ line: String) { queue?.storeSetup.log(line) }

    // MARK: QueueFace

    func queueEnded() {
        let (state, replies) = state.withLock { state in
            let replies = state.purchases.lose()
            let all = state
            state = State()
            (state.purchases, state.isOver) = (all.purchases, true)
            // These subscribers remain, since their iterations first deliver the elements that are still pending.
            (state.statuses, state.storefronts) = (all.statuses, all.storefronts)
            (state.intents, state.messages) = (all.intents, all.messages)
            isFollowing.store(false, ordering: .releasing)
            return (all, replies)
        }
        for reply in replies { reply.give(.unknown) }
        state.updates.finish()
        state.arrivals.finish()
        state.statuses.finish()
        state.storefronts.finish()
        state.intents.finish()
        state.messages.finish()
    }

    func storeChanged(from former: FormerStore) {
        // Set first, because the finishes that are woken below read it.
        state.withLock { $0.reader?.origin }?.former = former
        backend?.preferAppStoreSignatures()
        let (replies, arrivals, pauses, reader) = state.withLock { state in
            defer {
                // Forgotten, since the new store may use the same identifiers.
                (state.abandoned, state.known, state.unheardIntents, state.revoked) = ([:], [:], [], [])
                state.purchases = PurchasesUnderWay()
                state.updates.forget()
                state.reader = nil
                isFollowing.store(false, ordering: .releasing)
                changesOfStore.add(1, ordering: .releasing)
            }
            return (state.purchases.lose(), state.arrivals.takeAll(), state.pauses, state.reader)
        }
        // Released without the lock: its deinitializer may cancel a timer of the store's clock.
        withExtendedLifetime(reader) {}
        for reply in replies { reply.give(.unknown) }
        arrivals.finish()
        followHistory()
        for pause in pauses.values { pause.give(()) }
    }

    func removalsMissed() {
        guard let queue else { return }
        let numbers = state.withLock { $0.purchases.numbers }.filter { !queue.hasTransaction($0) }
        let lost = state.withLock { state in numbers.compactMap { state.purchases.decide($0, .unknown)?.reply } }
        for reply in lost { reply.give(.unknown) }
    }

    /// Begins to follow the store's history, if it is not followed yet.
    ///
    /// Earlier revocations are not reported, unless the queue reports them.
    func followHistory() {
        if followsHistory { return }
        let changes = state.withLock { $0.reader == nil && !$0.isOver ? storeChanges : nil }
        guard let changes, let store = backend, let service = store.services.history else { return }
        let reader = HistoryReader(service, of: store, storeChanges: changes, face: self)
        let isNew = state.withLock { state in
            // The store may have been replaced since, so that its reader is useless.
            guard state.reader == nil, !state.isOver, storeChanges == changes else { return false }
            state.reader = reader
            isFollowing.store(true, ordering: .releasing)
            return true
        }
        if isNew { reader.begin() }
    }

    func shouldContinue(_ transaction: SKPaymentTransaction, in storefront: StoreStorefront) -> Bool? {
        let number = transaction.orderNumber
        let purchase = state.withLock { $0.purchases[number] ?? $0.abandoned[number] }
        return purchase?.shouldContinue?(storefront)
    }
}

/// A signal that wakes a subscriber because there is an element to take.
///
/// Changes of the state only collect signals; ``FaceState`` sends them after releasing its lock. Waking a task takes a
/// lock that the runtime holds while it cancels the task, and the end of a canceled iteration waits for the state's
/// lock.
struct Signal: Sendable {
    private let continuation: AsyncStream<Void>.Continuation

    init(_ continuation: AsyncStream<Void>.Continuation) { self.continuation = continuation }

    /// Ends the subscriber's iteration; to be called without a lock.
    func finish() { continuation.finish() }

    fileprivate func send() { continuation.yield() }
}

/// The state of a `StoreFace`, protected by a lock.
///
/// The signals that a change has collected are sent after the lock is released.
final class FaceState: Sendable {
    private let state = Locked(StoreFace.State())

    /// Runs `body` with the lock held, then sends the signals that `body` has collected in the state.
    @inline(__always)
    func withLock<R>(_ body: (inout StoreFace.State) throws -> R) rethrows -> R {
        var signals: [Signal] = []
        defer { if !signals.isEmpty { for signal in signals { signal.send() } } }
        return try state.withLock { state in
            defer { if !state.signals.isEmpty { swap(&signals, &state.signals) } }
            return try body(&state)
        }
    }
}

/// A call that a test can make fail, under StoreKitTest's name for it.
package enum SimulatedCall: String, Sendable {
    case loadProducts, purchase, verification, appStoreSync, subscriptionStatus, appTransaction, manageSubscriptions
    case refundRequest, offerCodeRedeem
}

extension StoreFace {
    /// Subscribes to updates, beginning with the unfinished transactions that no purchase has returned.
    func subscribeToUpdates() -> UpdateSubscription {
        let (signals, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        // The queue may have reported unfinished transactions before the `StoreFace` observed it.
        let queued = queue?.transactions ?? []
        finishAnswered(queued)
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            for transaction in queued
            where transaction.isGranted && !transaction.isFinished && !transaction.isHeld {
                // The transaction belongs to a purchase in progress, which will return it.
                guard state.purchases[transaction.orderNumber] == nil,
                    let identifier = transaction.transactionIdentifier
                else { continue }
                state.known[identifier, default: KnownTransaction(transaction)].transaction = transaction
            }
            let unfinished = state.known.filter { !$1.isReturned && !$1.transaction.isFinished }.keys
                .sorted { ($0.count, $0) < ($1.count, $1) }
            state.reader?.attention.isOn = true
            return state.updates.add(Signal(continuation), unfinished: unfinished)
        }
        if let number {
            continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.updates.remove(number) } }
            readHistory()
        } else {
            continuation.finish()
        }
        return UpdateSubscription(number: number ?? 0, signals: signals.makeAsyncIterator())
    }

    /// Finishes an earlier launch's transactions that only report a held product, which Store Kit 2 does not show.
    ///
    /// A Store Kit 1 observer, if there is one, finishes them itself: another app of the device may have caused them.
    private func finishAnswered(_ queued: [SKPaymentTransaction]) {
        guard queue?.transactionObservers.isEmpty == true else { return }
        for transaction in queued
        where transaction.isHeld && transaction.isOrderedByStoreKit2 && !transaction.isFinished
            && !state.withLock({ $0.purchases[transaction.orderNumber] != nil })
        {
            queue?.finishTransaction(transaction)
        }
    }

    /// Returns the updates that a subscriber has not taken yet, at most as many as a page has.
    func takeUpdates(of number: Int) -> [String] { state.withLock { $0.updates.take(of: number) } }

    /// Records the result of reading the transactions that a subscriber has taken; nil if the store did not respond.
    func finishReading(_ identifiers: [String], of number: Int, _ read: OriginalPage?) {
        state.withLock { $0.updates.finishReading(identifiers, of: number, read?.transactions, queued: $0.known) }
    }

    /// Records that a subscriber has taken a revoked transaction; after the last one, acknowledges the queue's revocations.
    func tookRevocation(_ identifier: String) {
        let taken = state.withLock { state -> Int? in
            guard state.updates.hasUntakenRevocations else { return nil }
            state.updates.tookRevocation(identifier)
            return state.takenNotice
        }
        if let taken { queue?.acknowledgeRevocations(through: taken) }
    }

    func updates() -> Transaction.Transactions { Transaction.Transactions(.updates(self)) }
}

extension SKPaymentTransaction {
    fileprivate var isGranted: Bool { transactionState == .purchased || transactionState == .restored }
}

// MARK: - Other sequences

extension StoreFace {
    func statusUpdates() -> Subscription<Product.SubscriptionInfo.Status> { following(subscribe(to: \.statuses)) }
    func messages() -> Subscription<Message> { following(subscribe(to: \.messages)) }

    /// Starts to read the current subscriptions, with which later readings are compared.
    private func following<Element>(_ subscription: Subscription<Element>) -> Subscription<Element> {
        readHistory()
        return subscription
    }

    /// Reads the history for a new subscriber.
    private func readHistory() {
        followHistory()
        state.withLock { $0.reader }?.read()
    }

    func storefrontUpdates() -> Subscription<StoreStorefront> { subscribe(to: \.storefronts) }

    func intents() -> Subscription<PurchaseIntent> {
        subscribe(to: \.intents) { state in
            defer { state.unheardIntents = [] }
            return state.unheardIntents
        }
    }
}
