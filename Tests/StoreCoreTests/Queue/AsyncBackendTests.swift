import Foundation
import StoreCore
import TestSupport
import Testing

/// Stores written with `async` functions.
@Suite struct AsyncBackendTests {
    private let clock = ManualClock()
    private let log = Locked<[String]>([])

    private struct Sulking: Error {}

    /// Throws what it is told to throw, and keeps connections open only if told to.
    private struct Store: AsyncStoreBackend {
        let clock: any StoreClock
        let log: Locked<[String]>
        var error: any Error = Sulking()
        var isFaithful = false
        var closed: Signal?

        func submit(_ commands: [StoreCommand]) async throws {
            log.withLock { $0.append("submit \(commands.map(\.id.number))") }
            throw error
        }

        func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
            log.withLock { $0.append("connect") }
            guard isFaithful else { return }
            feed.send(UpdateBatch(after: nil, through: UpdateCursor(position: 0), updates: []))
            let end = Signal()
            await withTaskCancellationHandler {
                await end.wait()
            } onCancel: {
                end.fire()
            }
            closed?.fire()
        }

        func products(_ identifiers: Set<String>) async throws -> ProductsAnswer { throw error }
    }

    private func queue(_ store: Store) -> SKPaymentQueue {
        SKPaymentQueue(backend: store.asStoreBackend(), delivery: .inline, log: .silent)
    }

    private func advance(by seconds: TimeInterval) async { await onThread { [clock] in clock.advance(by: seconds) } }

    @Test func `B36: A connection that ends is made again, after growing pauses`() async {
        let observer = Recorder()
        let queue = queue(Store(clock: clock, log: log))
        queue.add(observer)
        await queue.settle()
        #expect(log.withLock { $0 } == ["connect"])
        for (pause, count) in [(1.0, 2), (2.0, 3), (4.0, 4)] {
            await advance(by: pause - 0.5)
            #expect(log.withLock { $0.count } == count - 1)
            await advance(by: 0.5)
            #expect(log.withLock { $0.count } == count)
        }
        #expect(observer.history.isEmpty)
    }

    @Test func `B36: An error on submitting is passing trouble, and the same commands come again`() async {
        let observer = Recorder()
        let queue = queue(Store(clock: clock, log: log, isFaithful: true))
        queue.add(observer)
        await queue.buy("sword")
        await advance(by: 3)
        #expect(log.withLock { $0.filter { $0 != "connect" } } == ["submit [1]", "submit [1]", "submit [1]"])
        #expect(observer.history == [.updated("sword", .purchasing)])
    }

    @Test func `B90, B196: An error on looking up reaches the request as an SKError or a URLError`() async {
        let errors: [(any Error, Trouble)] = [
            (Sulking(), .storeKit(.unknown)),
            (URLError(.timedOut), .network(.timedOut)),
            (StoreFailure.storeKit(.clientInvalid, "not you"), .storeKit(.clientInvalid)),
        ]
        for (error, trouble) in errors {
            let backend = Store(clock: clock, log: log, error: error).asStoreBackend()
            let delegate = RequestRecorder()
            let request = SKProductsRequest(productIdentifiers: ["sword"], backend: backend, delivery: .inline)
            request.delegate = delegate
            request.start()
            await clock.activity.settle()
            #expect(delegate.history == [.failed(trouble)])
        }
    }

    @Test func `B100: An error on submitting fails a restore with it`() async {
        let observer = Recorder()
        let queue = queue(Store(clock: clock, log: log, error: URLError(.timedOut), isFaithful: true))
        queue.add(observer)
        await queue.restore()
        #expect(observer.history == [.restoreFailed(.network(.timedOut))])
    }

    @Test func `B37: Without observers the connection is closed, and no error is made of it`() async {
        let closed = Signal()
        let observer = Recorder()
        let queue = queue(Store(clock: clock, log: log, isFaithful: true, closed: closed))
        queue.add(observer)
        await queue.settle()
        queue.remove(observer)
        await closed.wait()
        #expect(await queue.settle().isEmpty)
        #expect(log.withLock { $0 } == ["connect"])
    }

    @Test func `B37: A queue that is gone has closed its connection`() async {
        let closed = Signal()
        let observer = Recorder()
        do {
            let queue = queue(Store(clock: clock, log: log, isFaithful: true, closed: closed))
            queue.add(observer)
            await queue.settle()
        }
        await closed.wait()
        #expect(log.withLock { $0 } == ["connect"])
    }

    @Test func `What an asynchronous store need not say has defaults`() async {
        struct Smallest: AsyncStoreBackend {
            func submit(_ commands: [StoreCommand]) async throws {}
            func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {}
            func products(_ identifiers: Set<String>) async throws -> ProductsAnswer { ProductsAnswer(products: []) }
        }
        let backend = Smallest().asStoreBackend()
        let services = backend.services
        #expect(services.availability == nil && services.storefront == nil && services.receipts == nil)
        #expect(services.content == nil && services.promotions == nil && services.codes == nil)
        #expect(services.consent == nil)
        let context = StoreContext(backend: backend)
        #expect(context.run { SKPaymentQueue.canMakePayments() })
        #expect(context.run { SKPaymentQueue.default().storefront } == nil)
        #expect(backend.lane == .background)
        #expect(backend.clock === SystemClock.shared)
    }
}
