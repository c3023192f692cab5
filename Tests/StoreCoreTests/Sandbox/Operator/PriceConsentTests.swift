import Foundation
import StoreCore
import Testing

/// A store that wants to ask its user about a higher price.
@Suite struct PriceConsentTests {
    /// A store that asks, with nothing to sell.
    private final class AskingStore: StoreBackend, PriceConsentService {
        let clock: any StoreClock = ManualClock()
        let lane = BackendLane.caller
        private let state: Locked<(isPending: Bool, shown: Int)>

        init(isPending: Bool) { state = Locked((isPending, 0)) }

        /// How often it asked its user.
        var shown: Int { state.withLock { $0.shown } }
        var isPriceConsentPending: Bool { state.withLock { $0.isPending } }

        func ask() { state.withLock { $0.isPending = true } }

        func showPriceConsent() {
            state.withLock { state in
                state.isPending = false
                state.shown += 1
            }
        }

        func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) { reply(.taken) }

        func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
            receiver.receive(UpdateBatch(after: nil, through: UpdateCursor(position: 0), updates: []))
        }

        func disconnect(_ receiver: any StoreUpdateReceiver) {}

        func products(
            _ identifiers: Set<String>,
            reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
        ) { reply(.success(ProductsAnswer(products: []))) }
    }

    private let observer = Recorder()

    private func queue(_ store: AskingStore, _ deputy: Deputy?, _ observers: Recorder...) -> SKPaymentQueue {
        let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
        queue.delegate = deputy
        for observer in observers { queue.add(observer) }
        return queue
    }

    @Test func `B180: The delegate is asked when the first observer is added, and yes shows the question`() {
        let store = AskingStore(isPending: true)
        let deputy = Deputy()
        let queue = queue(store, deputy)
        let observers = [Recorder(), Recorder()]
        #expect(deputy.asked.isEmpty)
        queue.add(observers[0])
        queue.settle()
        #expect(deputy.asked == ["price"] && store.shown == 1)
        store.ask()
        queue.add(observers[1])
        queue.settle()
        #expect(deputy.asked == ["price"])
        observers.forEach(queue.remove)
        queue.add(observers[1])
        queue.settle()
        #expect(deputy.asked == ["price", "price"] && store.shown == 2)
    }

    @Test func `B180: Without a delegate the question is shown`() {
        let store = AskingStore(isPending: true)
        queue(store, nil, observer).settle()
        #expect(store.shown == 1)
    }

    @Test func `B180, B181: No puts the question off until the app shows it, once`() {
        let store = AskingStore(isPending: true)
        let deputy = Deputy(mayShowPriceConsent: { false })
        let queue = queue(store, deputy, observer)
        queue.settle()
        #expect(deputy.asked == ["price"] && store.shown == 0)
        queue.showPriceConsentIfNeeded()
        #expect(store.shown == 1)
        queue.showPriceConsentIfNeeded()
        #expect(store.shown == 1 && deputy.asked == ["price"])
    }

    @Test func `B180: The delegate is asked again whenever the app comes to the front`() {
        let store = AskingStore(isPending: false)
        let deputy = Deputy(mayShowPriceConsent: { false })
        let queue = queue(store, deputy, observer)
        queue.comeToFront()
        queue.settle()
        #expect(deputy.asked.isEmpty)
        store.ask()
        queue.comeToFront()
        queue.comeToFront()
        queue.settle()
        #expect(deputy.asked == ["price", "price"] && store.shown == 0)
    }

    @Test func `B180: A store that is written with async functions is asked as well`() async {
        struct Store: AsyncStoreBackend, AsyncPriceConsentService {
            let clock: any StoreClock = ManualClock()
            let shown = Locked(0)
            var isPriceConsentPending: Bool { shown.withLock { $0 } == 0 }
            func showPriceConsent() async { shown.withLock { $0 += 1 } }
            func submit(_ commands: [StoreCommand]) async throws {}
            func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {}
            func products(_ identifiers: Set<String>) async throws -> ProductsAnswer { ProductsAnswer(products: []) }
        }
        let store = Store()
        await SKPaymentQueue.observed(by: observer, on: store.asStoreBackend()).settle()
        #expect(store.shown.withLock { $0 } == 1)
    }

    @Test func `B181: Where no question waits nobody is asked and nothing is shown`() {
        let store = AskingStore(isPending: false)
        let deputy = Deputy()
        let queue = queue(store, deputy, observer)
        queue.showPriceConsentIfNeeded()
        queue.settle()
        #expect(deputy.asked.isEmpty && store.shown == 0)
        StoreContext(delivery: .inline, log: .silent).run { SKPaymentQueue.default().showPriceConsentIfNeeded() }
    }
}
