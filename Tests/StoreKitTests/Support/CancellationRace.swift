import StoreContract
import StoreCore
import StoreKit
import Synchronization

/// A task that waits for something, and another thread that brings it about, at the same time as the task is canceled.
struct CancellationRace: Sendable {
    enum Wait: CaseIterable {
        case updates, statuses, storefronts, intents, messages, unfinished, all, purchase, finish

        /// Those of tasks that iterate over a sequence.
        static let sequences = allCases.filter { $0 != .purchase && $0 != .finish }
    }

    let context: StoreContext
    /// Waits in a task, and calls the closure just before it has to wait.
    let wait: @Sendable (_ isAboutToWait: @escaping @Sendable () -> Void) async -> Void
    /// Brings about what the task waits for; called with the number of the round.
    let act: @Sendable (Int) -> Void
    /// Makes the next round as this one.
    let tidy: @Sendable () -> Void

    init(_ awaited: Wait, _ delivery: StoreDelivery) async throws {
        let store = try SandboxStore(products: Shop.products, clock: ManualClock())
        let flaky = FlakyStore(store)
        let backend: any StoreBackend =
            switch awaited {
            case .unfinished, .all: flaky
            // A lane of its own, on which finishes are recorded.
            case .finish: LaneBackend(store, .background)
            default: store
            }
        let context = StoreContext(backend: backend, delivery: delivery, log: .silent)
        self.context = context
        let queue = context.run { SKPaymentQueue.default() }
        // Unlike a consumable, it is sold again before it is finished.
        let bought = awaited == .purchase ? "season" : "coins"
        let product = try await context.run { try await Product.products(for: [bought])[0] }
        if awaited == .statuses || awaited == .messages { _ = try store.account.buy("gold") }
        let isWaiting = Locked<@Sendable () -> Void>({})
        if awaited == .purchase {
            store.authorizer = Authorizer { _ in
                isWaiting.withLock { $0 }()
                return .later
            }
        }
        wait = { isAboutToWait in
            await context.run {
                switch awaited {
                case .updates: await Self.listen(to: Transaction.updates, isAboutToWait)
                case .statuses: await Self.listen(to: Product.SubscriptionInfo.Status.updates, isAboutToWait)
                case .storefronts: await Self.listen(to: Storefront.updates, isAboutToWait)
                case .intents: await Self.listen(to: PurchaseIntent.intents, isAboutToWait)
                case .messages: await Self.listen(to: Message.messages, isAboutToWait)
                case .unfinished: await Self.listen(to: Transaction.unfinished, isAboutToWait)
                case .all: await Self.listen(to: Transaction.all, isAboutToWait)
                case .purchase:
                    isWaiting.withLock { $0 = isAboutToWait }
                    _ = try? await product.purchase()
                case .finish:
                    let result = try? await product.purchase()
                    isAboutToWait()
                    if case .success(let transaction)? = result { await transaction.unsafePayloadValue.finish() }
                }
            }
        }
        act = { round in
            switch awaited {
            case .updates: _ = try? store.account.buy("coins")
            case .statuses: try? store.account.setAutoRenew(round % 2 == 1, inGroup: "club")
            case .storefronts: try? store.setStorefront(round % 2 == 1 ? "DEU" : "USA")
            case .intents: try? store.device.promote("coins")
            case .messages:
                try? store.account.requestPriceIncreaseConsent(inGroup: "club")
                try? store.account.answerPriceConsent(.agree, inGroup: "club")
            case .unfinished, .all: flaky.isLate = false
            case .purchase:
                for question in store.undecidedRequests { try? store.decide(question.transaction, as: .approve) }
            case .finish: break
            }
        }
        tidy = {
            if awaited == .unfinished || awaited == .all { flaky.isLate = true }
            for transaction in queue.transactions where transaction.transactionState != .purchasing {
                queue.finishTransaction(transaction)
            }
        }
        tidy()
    }

    private static func listen<Elements: AsyncSequence>(
        to elements: Elements,
        isolation: isolated (any Actor)? = #isolation,
        _ isAboutToWait: () -> Void
    ) async {
        var iterator = elements.makeAsyncIterator()
        isAboutToWait()
        while (try? await iterator.next(isolation: isolation)) != nil {}
    }

    /// Runs so many rounds, on two threads.
    ///
    /// The task is canceled a little earlier or later in each round.
    func run(_ rounds: Int) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let (begin, ends) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                Thread.detachNewThread {
                    for round in 0..<rounds {
                        begin.wait()
                        act(round)
                        ends.signal()
                    }
                }
                for round in 0..<rounds {
                    let waits = DispatchSemaphore(value: 0)
                    let task = Task {
                        await wait { waits.signal() }
                        ends.signal()
                    }
                    waits.wait()
                    begin.signal()
                    let spins = Atomic(0)
                    while spins.wrappingAdd(1, ordering: .relaxed).newValue < round % 100 * 20 {}
                    task.cancel()
                    ends.wait()
                    ends.wait()
                    tidy()
                }
                continuation.resume()
            }
        }
    }
}
