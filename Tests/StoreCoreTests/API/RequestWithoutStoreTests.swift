import Dispatch
import Foundation
import TestSupport
import Testing

@testable import StoreCore

/// When a request without a store fails: a client that calls its delegate by hand comes first.
@Suite("A request without a store, which fails after a second of real time") struct RequestWithoutStoreTests {
    enum Kind: CaseIterable { case products, receipt }

    /// On a clock of its own: whoever settles by another one's on the main thread makes callbacks there.
    private func context(
        _ delivery: StoreDelivery = .main,
        realTime: any StoreClock = SystemClock()
    ) -> StoreContext {
        StoreContext(
            backend: nil,
            clock: ManualClock(),
            delivery: delivery,
            log: .silent,
            realTime: realTime,
            isOfProcess: false
        )
    }

    /// Returns when what is on the main queue by now has run.
    private func passMainQueue() async {
        await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    }

    /// Starts a request in a context without a store, and notes in which order the delegate hears of its failure and of what
    /// its client does.
    private func start(
        _ kind: Kind,
        in context: StoreContext,
        _ order: Locked<[String]>,
        afterwards: (SKRequest) -> Void
    ) -> RequestRecorder {
        let delegate = RequestRecorder(onEnd: { _ in order.withLock { $0.append("failed") } })
        let request = context.run {
            switch kind {
            case .products: SKProductsRequest(productIdentifiers: ["sword"])
            case .receipt: SKReceiptRefreshRequest()
            }
        }
        request.delegate = delegate
        request.start()
        afterwards(request)
        return delegate
    }

    @Test(arguments: Kind.allCases) @MainActor
    func `B90: It fails after what its client puts on the main queue in the same turn`(kind: Kind) async {
        // However long this turn takes, the second ends behind it.
        let realTime = ManualClock()
        let context = context(realTime: realTime)
        let order = Locked<[String]>([])
        let delegate = start(kind, in: context, order) { _ in
            order.withLock { $0.append("started") }
            DispatchQueue.main.async { order.withLock { $0.append("fed") } }
        }
        await passMainQueue()
        await realTime.advance(by: 1)
        await context.settle()
        #expect(order.withLock { $0 } == ["started", "fed", "failed"])
        #expect(delegate.history == [.failed(.storeKit(.clientInvalid))])
    }

    @Test(arguments: Kind.allCases)
    func `B90: It fails after what its client puts on the queue that delivers`(kind: Kind) async {
        let deliveries = DispatchQueue(label: "deliveries")
        let realTime = ManualClock()
        let context = context(.queue(deliveries), realTime: realTime)
        let order = Locked<[String]>([])
        let delegate = await onThread {
            deliveries.sync {
                start(kind, in: context, order) { _ in
                    order.withLock { $0.append("started") }
                    deliveries.async { order.withLock { $0.append("fed") } }
                }
            }
        }
        await onThread { deliveries.sync {} }
        await realTime.advance(by: 1)
        await context.settle()
        #expect(order.withLock { $0 } == ["started", "fed", "failed"])
        #expect(delegate.history == [.failed(.storeKit(.clientInvalid))])
    }

    @Test func `What is to be told later is told after a second of real time, and settling waits for it`() {
        let deliveries = DispatchQueue(label: "deliveries")
        let (storeTime, realTime) = (ManualClock(), ManualClock())
        let lane = CallbackLane(
            delivery: .queue(deliveries),
            activity: storeTime.activity,
            log: .silent,
            realTime: realTime
        )
        let told = Locked(0)
        lane.callLater { told.withLock { $0 += 1 } }
        for _ in 0..<5 { deliveries.sync {} }
        realTime.advance(by: 0.99)
        for _ in 0..<5 { deliveries.sync {} }
        #expect(told.withLock { $0 } == 0)
        #expect(!lane.pulse.isQuiet)
        realTime.advance(by: 0.01)
        deliveries.sync {}
        #expect(told.withLock { $0 } == 1)
        #expect(lane.pulse.isQuiet)
    }

    @Test(arguments: Kind.allCases)
    func `B90: Inline it fails before the outermost call returns`(kind: Kind) {
        let order = Locked<[String]>([])
        let delegate = start(kind, in: context(.inline), order) { _ in
            order.withLock { $0.append("started") }
        }
        #expect(order.withLock { $0 } == ["failed", "started"])
        #expect(delegate.history == [.failed(.storeKit(.clientInvalid))])
    }

    @Test(arguments: Kind.allCases) @MainActor
    func `B89: Cancelled by what its client puts on the main queue, it says nothing`(kind: Kind) async {
        let realTime = ManualClock()
        let context = context(realTime: realTime)
        let delegate = start(kind, in: context, Locked([])) { request in
            DispatchQueue.main.async { request.cancel() }
        }
        await passMainQueue()
        await realTime.advance(by: 1)
        await context.settle()
        #expect(delegate.history.isEmpty)
    }

    @Test(arguments: Kind.allCases) @MainActor
    func `Settling on the main actor waits for the failure`(kind: Kind) {
        let context = context()
        let delegate = start(kind, in: context, Locked([])) { _ in }
        #expect(delegate.history.isEmpty)
        context.settle()
        #expect(delegate.history == [.failed(.storeKit(.clientInvalid))])
    }
}
