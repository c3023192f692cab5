import Dispatch
import Foundation
import StoreCore
import TestSupport
import Testing

/// What holds for every kind of request.
@Suite struct RequestLifeTests {
    private let backend = ScriptedBackend()
    private let answer = Result<ProductsAnswer, StoreFailure>.success(
        ProductsAnswer(products: [], invalidIdentifiers: ["sword"])
    )

    private func request(_ delegate: (any SKProductsRequestDelegate)?) -> SKProductsRequest {
        let request = SKProductsRequest(productIdentifiers: ["sword"], backend: backend, delivery: .inline)
        request.delegate = delegate
        return request
    }

    @Test func `B86: A request of no kind asks nothing and finishes`() async {
        let context = StoreContext(backend: backend, delivery: .inline, log: .silent)
        let delegate = RequestRecorder()
        context.run {
            let request = SKRequest()
            request.delegate = delegate
            request.start()
        }
        await context.settle()
        #expect(delegate.history == [.finished])
        #expect(backend.lookUps.isEmpty)
    }

    @Test func `B89: A request cancelled before it was started can still be started`() {
        let delegate = RequestRecorder()
        let request = request(delegate)
        request.cancel()
        request.start()
        #expect(backend.lookUps.count == 1)
        backend.lookUps[0](answer)
        #expect(delegate.history == [.response([], invalid: ["sword"]), .finished])
    }

    @Test(arguments: [true, false])
    func `B89: A request cancelled while it is under way says nothing, whatever the store answers`(isGood: Bool) {
        let delegate = RequestRecorder()
        let request = request(delegate)
        request.start()
        request.cancel()
        backend.lookUps[0](isGood ? answer : .failure(.network(.timedOut, "late")))
        #expect(delegate.history.isEmpty)
    }

    @Test func `B89: A request cancelled when the answer is on its way says nothing`() async throws {
        let world = try Conformer.inProcess.world()
        let deliveries = DispatchQueue(label: "deliveries")
        let delegate = RequestRecorder()
        let request = SKProductsRequest(
            productIdentifiers: ["sword"],
            backend: world.store,
            delivery: .queue(deliveries)
        )
        request.delegate = delegate
        deliveries.suspend()
        request.start()
        request.cancel()
        deliveries.resume()
        await world.store.settle()
        #expect(delegate.history.isEmpty)
    }

    @Test func `B89: A request cancelled from the response's callback does not finish`() {
        let delegate = RequestRecorder(onResponse: { $0.cancel() })
        let request = request(delegate)
        request.start()
        backend.lookUps[0](answer)
        #expect(delegate.history == [.response([], invalid: ["sword"])])
    }

    @Test func `B89: Cancelling afterwards, or from the last callback, changes nothing`() {
        let delegate = RequestRecorder(onEnd: { $0.cancel() })
        let request = request(delegate)
        request.start()
        backend.lookUps[0](answer)
        request.cancel()
        #expect(delegate.history == [.response([], invalid: ["sword"]), .finished])
    }

    @Test func `B89: Cancelling on another thread is safe at any moment`() async throws {
        let world = try Conformer.inProcess.world()
        for _ in 1...50 {
            let delegate = RequestRecorder()
            let handle = Handle(
                request: SKProductsRequest(productIdentifiers: ["sword"], backend: world.store, delivery: .inline)
            )
            handle.request.delegate = delegate
            await onThreads(2) { thread in
                if thread == 0 { handle.request.start() } else { handle.request.cancel() }
            }
            #expect(
                [[], [.response(["sword"], invalid: [])], [.response(["sword"], invalid: []), .finished]]
                    .contains(delegate.history)
            )
        }
    }

    @Test func `B90: After a failure nothing more is said, even if the store answers again`() {
        let delegate = RequestRecorder()
        let request = request(delegate)
        request.start()
        backend.lookUps[0](.failure(.storeKit(.unknown, "no")))
        backend.lookUps[0](answer)
        #expect(delegate.history == [.failed(.storeKit(.unknown))])
    }

    @Test func `B91: A second answer to a request does nothing`() {
        let delegate = RequestRecorder()
        let request = request(delegate)
        request.start()
        for _ in 1...3 { backend.lookUps[0](answer) }
        #expect(delegate.history == [.response([], invalid: ["sword"]), .finished])
    }

    @Test func `B134: Starting a request that is running has no effect`() {
        let delegate = RequestRecorder(onResponse: { $0.start() })
        let request = request(delegate)
        request.start()
        request.start()
        #expect(backend.lookUps.count == 1)
        backend.lookUps[0](answer)
        #expect(backend.lookUps.count == 1)
        #expect(delegate.history == [.response([], invalid: ["sword"]), .finished])
    }

    @Test func `B88: A request that has ended can be started again`() {
        let delegate = RequestRecorder()
        let request = request(delegate)
        request.start()
        backend.lookUps[0](.failure(.network(.timedOut, "late")))
        request.start()
        backend.lookUps[1](answer)
        #expect(delegate.history == [.failed(.network(.timedOut)), .response([], invalid: ["sword"]), .finished])
    }

    @Test func `B89: After a cancelled start the answer to that start is not taken for the next one's`() {
        let delegate = RequestRecorder()
        let request = request(delegate)
        request.start()
        request.cancel()
        request.start()
        backend.lookUps[0](.failure(.network(.timedOut, "late")))
        #expect(delegate.history.isEmpty)
        backend.lookUps[1](answer)
        #expect(delegate.history == [.response([], invalid: ["sword"]), .finished])
    }

    @Test func `B92, B132: A request keeps itself alive until it has answered, and no longer`() {
        let delegate = RequestRecorder()
        weak var dropped: SKProductsRequest?
        do {
            let request = request(delegate)
            dropped = request
            request.start()
        }
        #expect(dropped != nil)
        backend.lookUps[0](answer)
        #expect(delegate.history == [.response([], invalid: ["sword"]), .finished])
        backend.forgetLookUps()
        #expect(dropped == nil)
    }

    @Test func `B94: The delegate is not kept alive`() {
        let request: SKProductsRequest
        weak var dropped: RequestRecorder?
        do {
            let delegate = RequestRecorder()
            dropped = delegate
            request = self.request(delegate)
            request.start()
        }
        #expect(dropped == nil)
        #expect(request.delegate == nil)
        backend.lookUps[0](answer)
    }

    @Test func `B93: A delegate need not implement the messages about the end`() {
        final class Smallest: NSObject, SKProductsRequestDelegate {
            let responses = Locked(0)
            func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
                responses.withLock { $0 += 1 }
            }
        }
        let delegate = Smallest()
        let request = request(delegate)
        request.start()
        backend.lookUps[0](answer)
        request.start()
        backend.lookUps[1](.failure(.storeKit(.unknown, "no")))
        #expect(delegate.responses.withLock { $0 } == 1)
    }

    @Test func `B95: The narrower delegate is the general one, by either property`() {
        let delegate = RequestRecorder()
        let request = SKProductsRequest(productIdentifiers: ["sword"], backend: backend, delivery: .inline)
        let general: SKRequest = request
        request.delegate = delegate
        #expect(general.delegate === delegate)
        request.delegate = nil
        #expect(general.delegate == nil)
        general.delegate = delegate
        #expect(request.delegate === delegate)
    }

    @Test func `B95: A delegate of the general kind hears how a products request ends`() {
        final class General: NSObject, SKRequestDelegate {
            let ends = Locked(0)
            func requestDidFinish(_ request: SKRequest) { ends.withLock { $0 += 1 } }
        }
        let delegate = General()
        let request = SKProductsRequest(productIdentifiers: ["sword"], backend: backend, delivery: .inline)
        (request as SKRequest).delegate = delegate
        request.start()
        backend.lookUps[0](answer)
        #expect(delegate.ends.withLock { $0 } == 1)
    }

    @Test func `B188: A store without a receipt fails a refresh and says so`() async throws {
        let delegate = RequestRecorder()
        let request = SKReceiptRefreshRequest(receiptProperties: nil, backend: backend, delivery: .inline)
        request.delegate = delegate
        request.start()
        #expect(delegate.history == [.failed(.storeKit(.unknown))])
    }

    private struct Handle: @unchecked Sendable {  // unchecked: `cancel` may be called on any thread
        let request: SKProductsRequest
    }
}
