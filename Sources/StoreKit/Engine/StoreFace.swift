import Foundation
import StoreCore

/// Store Kit 2's face of a payment queue: one more observer of it, and a reader of its store's history.
///
/// There is one for each queue, made when it is first asked for. It decides nothing about transactions: the queue does.
final class StoreFace: NSObject, QueueFace {
    private let owner: WeakQueue
    let state = Locked(State())

    private struct WeakQueue: Sendable { weak let queue: SKPaymentQueue? }

    struct State {
        /// The purchases whose outcome is awaited, by the number of their transaction.
        var purchases: [Int: PurchaseUnderWay] = [:]
        /// The purchases that are still undecided although nobody awaits them, by the number of their transaction.
        ///
        /// Nobody else finishes them if they fail.
        var abandoned: Set<Int> = []
        /// The unfinished transactions that a purchase has returned.
        var returned: Set<String> = []
        /// The unfinished transactions that the queue has told of.
        var known: [String: SKPaymentTransaction] = [:]
        var updates = UpdateSubscribers()
        /// Those who wait for a transaction to come to the queue.
        var arrivals = Subscribers<[String]>()
        /// The transactions that changed while nobody listened.
        var unheard: [String] = []
        var statuses = Subscribers<Product.SubscriptionInfo.Status>()
        var storefronts = Subscribers<StoreStorefront>()
        var intents = Subscribers<PurchaseIntent>()
        /// The purchases begun in the store while nobody listened.
        var unheardIntents: [PurchaseIntent] = []
        var messages = Subscribers<Message>()
        var history = HistoryReading()
        /// The store that was asked last for its history: finding a service costs more than a purchase.
        var services: (backend: any StoreBackend, history: any HistoryService)?
        var isOver = false
    }

    init(_ queue: SKPaymentQueue) {
        owner = WeakQueue(queue: queue)
        super.init()
        queue.storeSetup.backend?.preferAppStoreSignatures()
    }

    /// The face of the current context's default queue.
    static var current: StoreFace {
        let queue = SKPaymentQueue.default()
        return queue.face { StoreFace(queue) }
    }

    /// The queue, nil once it is deallocated.
    var queue: SKPaymentQueue? { owner.queue }

    /// The store, nil while none is set.
    var backend: (any StoreBackend)? { queue?.storeSetup.backend }

    /// Returns the store's history.
    ///
    /// - Throws: `StoreKitError.systemError` with a sentence, if no store is set or the store has none.
    func history() throws -> any HistoryService {
        guard let backend else {
            throw StoreKitError.systemError(StoreFailure.storeKit(.unknown, "no store is set"))
        }
        if let known = state.withLock({ $0.services.flatMap { $0.backend === backend ? $0.history : nil } }) {
            return known
        }
        guard let history = backend.services.history else {
            let reason = "this store has no history, which Store Kit 2 needs: it offers no HistoryService"
            throw StoreKitError.systemError(StoreFailure.storeKit(.unknown, reason))
        }
        state.withLock { $0.services = (backend, history) }
        return history
    }

    /// Throws the error that a test has set for a call.
    func check(_ call: SimulatedCall) throws {
        if let error = queue?.storeContext.simulatedErrors[call.rawValue] { throw error }
    }

    func log(_ line: String) { queue?.storeSetup.log(line) }

    // MARK: QueueFace

    func queueEnded() {
        let (state, purchases) = state.withLock { state in
            state.isOver = true
            let all = state
            state = State()
            state.isOver = true
            return (all, all.purchases)
        }
        for purchase in purchases.values { purchase.outcome.give(.unknown) }
        state.updates.finish()
        state.arrivals.finish()
        state.statuses.finish()
        state.storefronts.finish()
        state.intents.finish()
        state.messages.finish()
    }

    func storeChanged() {
        backend?.preferAppStoreSignatures()
        let (purchases, hasListeners) = state.withLock { state in
            let purchases = state.purchases
            (state.purchases, state.abandoned, state.returned) = ([:], [], [])
            // The new store's identifiers may be the same.
            (state.known, state.unheard, state.unheardIntents) = ([:], [], [])
            state.updates.forget()
            state.history = HistoryReading()
            return (purchases, !(state.updates.isEmpty && state.statuses.isEmpty && state.messages.isEmpty))
        }
        for purchase in purchases.values { purchase.outcome.give(.unknown) }
        if hasListeners { followHistory() }
    }

    func shouldContinue(_ transaction: SKPaymentTransaction, in storefront: StoreStorefront) -> Bool? {
        let purchase = state.withLock { $0.purchases[transaction.orderNumber] }
        return purchase?.shouldContinue?(storefront)
    }
}

/// A call that a test can make fail, under the name that StoreKitTest knows it by.
package enum SimulatedCall: String, Sendable {
    case loadProducts, purchase, verification, appStoreSync, subscriptionStatus, appTransaction, manageSubscriptions
    case refundRequest, offerCodeRedeem
}

/// The subscribers to a sequence, each with a stream of its own that keeps what it has not taken yet.
struct Subscribers<Element: Sendable>: Sendable {
    private(set) var all: [Int: AsyncStream<Element>.Continuation] = [:]
    private var lastNumber = 0

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ continuation: AsyncStream<Element>.Continuation) -> Int {
        lastNumber += 1
        all[lastNumber] = continuation
        return lastNumber
    }

    mutating func remove(_ number: Int) { all[number] = nil }

    func tell(_ element: Element) {
        for continuation in all.values { continuation.yield(element) }
    }

    func finish() {
        for continuation in all.values { continuation.finish() }
    }
}

extension StoreFace {
    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - subscribers: the subscribers to join.
    ///   - begin: called with the face's lock held, with the subscriber's number and its continuation.
    ///   - end: called with the face's lock held, when the stream is no longer read.
    /// - Returns: a stream of what comes from now on.
    func subscribe<Element: Sendable>(
        to subscribers: any WritableKeyPath<State, Subscribers<Element>> & Sendable,
        begin: (inout State, Int, AsyncStream<Element>.Continuation) -> Void = { _, _, _ in },
        end: @escaping @Sendable (inout State, Int) -> Void = { _, _ in }
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream()
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            let number = state[keyPath: subscribers].add(continuation)
            begin(&state, number, continuation)
            return number
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in
                state[keyPath: subscribers].remove(number)
                end(&state, number)
            }
        }
        return stream
    }
}
