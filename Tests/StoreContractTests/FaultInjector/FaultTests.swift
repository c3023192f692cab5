import Foundation
import StoreContract
import StoreCore
import Testing

/// Each fault, seen from both ends of the wire.
@Suite struct FaultTests {
    private let wire = Wire()
    private var clock: ManualClock { wire.clock }
    private var injector: FaultInjector { wire.injector }

    @Test func `Without rules everything passes at once`() {
        wire.connect()
        wire.submit(1)
        wire.send(1, 2)
        injector.acknowledge(through: UpdateCursor(position: 2))
        injector.disconnect(wire.receiver)
        #expect(wire.store.arrived == ["connect", "submit 1", "acknowledge 2", "disconnect"])
        #expect(wire.replies == ["taken"] && wire.receiver.positions == [1, 2])
        #expect(injector.log.isEmpty && clock.nextDeadline == nil)
    }

    @Test func `What the store says of itself is said here too`() throws {
        let shop = try Shop()
        try shop.store.setPaymentsAllowed(false)
        #expect(shop.injector.services.availability?.canMakePayments == false)
        #expect(shop.injector.services.storefront?.storefront == shop.store.storefront)
        #expect(shop.injector.lane == .caller)
        let services = shop.injector.services
        #expect(services.promotions != nil && services.codes != nil && services.consent != nil)
        #expect(shop.injector.services.availability?.sells("sword") == true)
        #expect(shop.injector.services.availability?.sells("swrod") == false)
        try shop.store.setPaymentsAllowed(true)
        let shopper = Shopper()
        let queue = shop.queue(shopper)
        // The store makes receipts of what is not finished.
        shop.injector.add(.hold, at: .submission, when: .finishes)
        queue.buy("sword")
        let identifier = try #require(shopper.identifiers.first)
        let receipt = try #require(shop.injector.services.receipts?.receipt(forTransaction: identifier))
        #expect(receipt == shop.store.receipt(forTransaction: identifier))
    }

    // MARK: Losses

    @Test func `A dropped submission does not arrive, and fails at the timeout`() {
        injector.add(.drop, at: .submission)
        wire.submit(1)
        clock.advance(by: 59.5)
        #expect(wire.replies.isEmpty)
        clock.advance(by: 0.5)
        #expect(wire.replies == ["try later \(URLError.timedOut.rawValue)"])
        #expect(wire.store.arrived.isEmpty)
    }

    @Test func `A dropped answer fails at the timeout, its effect stays`() {
        injector.add(.drop, at: .reply)
        wire.submit(1)
        #expect(wire.store.arrived == ["submit 1"] && wire.replies.isEmpty)
        clock.advance(by: 60)
        #expect(wire.replies == ["try later \(URLError.timedOut.rawValue)"])
    }

    @Test func `A call that gets its second answer does not wait for the first`() {
        injector.add(.duplicate, at: .submission)
        injector.add(.drop, at: .reply, when: .call(1))
        wire.submit(1)
        #expect(wire.replies == ["taken"] && clock.nextDeadline == nil)
    }

    @Test func `The timeout is what the injector was made with`() {
        let wire = Wire(timeout: 7)
        wire.injector.add(.drop, at: .submission)
        wire.submit(1)
        #expect(wire.clock.nextDeadline == wire.clock.now + 7)
    }

    @Test func `A dropped update leaves a gap, and breaks its connection at the timeout`() {
        injector.add(.drop, at: .update, when: .call(2))
        wire.connect()
        wire.send(1, 2, 3)
        #expect(wire.receiver.positions == [1, 3] && wire.receiver.failures.isEmpty)
        clock.advance(by: 60)
        #expect(wire.receiver.failures.map(\.isTimeout) == [true] && wire.store.arrived == ["connect", "disconnect"])
        wire.send(4)
        #expect(wire.receiver.positions == [1, 3])
    }

    @Test func `A gap that the queue has seen costs it one connection and no waiting`() throws {
        let shop = try Shop()
        let shopper = Shopper()
        let queue = shop.queue(shopper)
        shop.injector.add(.drop, at: .update, times: 1)
        queue.buy("sword")
        #expect(shopper.heard == ["purchasing sword", "purchased sword", "removed sword"])
        #expect(shop.injector.log.count == 1 && shop.clock.nextDeadline == nil)
    }

    @Test func `A dropped connection is lost at the timeout`() {
        injector.add(.drop, at: .connection)
        wire.connect()
        #expect(wire.store.arrived.isEmpty)
        clock.advance(by: 60)
        #expect(wire.receiver.failures.map(\.isTimeout) == [true])
    }

    @Test func `A break that nobody was told of shows at the timeout`() {
        injector.add(.drop, at: .connectionLost)
        wire.connect()
        wire.store.receivers[0].connectionLost(.network(.notConnectedToInternet, "gone"))
        #expect(wire.receiver.failures.isEmpty)
        clock.advance(by: 60)
        #expect(wire.receiver.failures.map(\.isTimeout) == [true])
    }

    @Test func `Nobody waits for a dropped acknowledgement`() {
        injector.add(.drop, at: .acknowledgement)
        injector.acknowledge(through: UpdateCursor(position: 1))
        #expect(wire.store.arrived.isEmpty && clock.nextDeadline == nil)
    }

    @Test func `A lost answer fails at once, its effect stays`() {
        injector.add(.loseAnswer, at: .submission, when: .call(1))
        injector.add(.loseAnswer, at: .reply, when: .call(1))
        wire.submit(1, 2, 3)
        let lost = "try later \(URLError.networkConnectionLost.rawValue)"
        #expect(wire.replies == [lost, lost, "taken"] && wire.store.arrived == ["submit 1", "submit 2", "submit 3"])
    }

    @Test func `A connection whose answer is lost reaches the store and breaks`() {
        injector.add(.loseAnswer, at: .connection)
        wire.connect()
        wire.send(1)
        #expect(wire.store.arrived.first == "connect" && wire.store.arrived.last == "disconnect")
        #expect(wire.receiver.positions.isEmpty && wire.receiver.failures.map(\.isLoss) == [true])
    }

    @Test func `A failure comes in an answer's place, and what was on its way does not arrive`() {
        let failure = StoreFailure.storeKit(.cloudServiceNetworkConnectionFailed, "no cloud")
        injector.add(.fail(failure), at: .submission, when: .call(1))
        injector.add(.fail(failure), at: .productsAnswer)
        injector.add(.fail(failure), at: .receiptRequest)
        wire.submit(1)
        let answers = Locked<[StoreFailure?]>([])
        injector.products(["sword"]) { answer in
            answers.withLock { if case .failure(let failure) = answer { $0.append(failure) } }
        }
        injector.services.receipts?.refreshReceipt(ReceiptProperties()) { failure in
            answers.withLock { $0.append(failure) }
        }
        #expect(answers.withLock { $0 } == [failure, failure])
        #expect(wire.answers.withLock { $0 } == [.tryLater(failure)] && wire.store.arrived == ["products"])
    }

    @Test func `An update that fails breaks its connection with that failure`() {
        let failure = StoreFailure.network(.secureConnectionFailed, "not whom it says it is")
        injector.add(.fail(failure), at: .update, when: .call(2))
        wire.connect()
        wire.send(1, 2, 3)
        #expect(wire.receiver.positions == [1] && wire.receiver.failures == [failure])
    }

    @Test func `A look-up fails with the failure that a rule names, as the app sees it`() {
        let code = URLError.Code.cannotFindHost
        injector.add(.fail(.network(code, "no such host")), at: .productsRequest)
        let delegate = FailureKeeper()
        StoreContext(backend: injector, delivery: .inline).run {
            let request = SKProductsRequest(productIdentifiers: ["sword"])
            request.delegate = delegate
            request.start()
        }
        #expect((delegate.errors.first as? URLError)?.code == code)
    }

    // MARK: Cuts

    @Test func `A cut breaks every connection, then fails every call, and loses what is under way`() {
        let other = Receiver()
        wire.connect()
        injector.connect(other, after: nil)
        wire.store.keepSilent()
        wire.submit(1)
        injector.add(.hold, at: .submission, when: .call(1))
        injector.add(.delay(5), at: .update)
        wire.submit(2)
        wire.send(1)
        injector.cut()
        let lost = "try later \(URLError.networkConnectionLost.rawValue)"
        #expect(wire.replies == [lost, lost])
        #expect([wire.receiver, other].map { $0.failures.map(\.isLoss) } == [[true], [true]])
        #expect(injector.held.isEmpty && clock.nextDeadline == nil)
        wire.store.replies[0](.taken)
        #expect(wire.replies.count == 2)
        #expect(wire.store.arrived == ["connect", "connect", "submit 1", "disconnect", "disconnect"])
    }

    @Test func `A connection that is cut while it is being made does not stay with the store`() {
        wire.store.beforeConnect { [injector] in injector.cut() }
        wire.connect()
        #expect(wire.receiver.failures.map(\.isLoss) == [true])
        #expect(wire.store.arrived == ["disconnect", "connect", "disconnect"])
    }

    @Test(arguments: FaultInjector.Point.allCases.filter { $0 != .connectionLost })
    func `A rule that cuts does so from any point, and what comes afterwards passes`(point: FaultInjector.Point) {
        if point != .connection { wire.connect() }
        injector.add(.cut, at: point, times: 1)
        if point == .connection { wire.connect() }
        wire.submit(1)
        wire.send(1)
        injector.acknowledge(through: UpdateCursor(position: 1))
        injector.products([]) { _ in }
        injector.services.receipts?.refreshReceipt(ReceiptProperties()) { _ in }
        let content = StoreContent(identifier: "map", length: 5)
        let request = ContentRequest(transaction: "1", productIdentifier: "map", content: content, limit: 5)
        injector.services.content?.fetchContent(request) { _ in }
        _ = injector.services.storefront?.storefront
        #expect(wire.receiver.failures.map(\.isLoss) == [true])
        wire.connect()
        wire.send(1)
        wire.submit(2)
        #expect(wire.receiver.positions.last == 1 && wire.replies.last == "taken")
    }
}

private final class FailureKeeper: NSObject, SKProductsRequestDelegate {
    var errors: [any Error] = []
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {}
    func request(_ request: SKRequest, didFailWithError error: any Error) { errors.append(error) }
}

/// The history passes an injector as it is.
@Suite struct HistoryTests {
    @Test func `A store behind an injector keeps every promise of its history`() async {
        let report = await StoreContract.check(.sandbox { FaultInjector($0) })
        #expect(report.isKept, "\(report)")
        #expect(report.notTried.isEmpty, "\(report)")
    }

    @Test func `No fault changes the history`() async throws {
        let shop = try Shop()
        let bought = try shop.store.account.buy("sword")
        for point in FaultInjector.Point.allCases { shop.injector.add(.drop, at: point) }
        shop.injector.cut()
        let history = try #require(shop.injector.services.history)
        let page = try await withCheckedThrowingContinuation { continuation in
            history.transactions(HistoryQuery(.all)) { continuation.resume(with: $0) }
        }
        #expect(page.transactions.map(\.payload.transactionId) == [bought])
        #expect(shop.injector.log.count == 1)
    }
}
