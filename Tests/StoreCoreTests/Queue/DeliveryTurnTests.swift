import Dispatch
import Foundation
import StoreCore
import TestSupport
import Testing

/// On a Dispatch queue, what a callback leads to has a turn of its own.
@Suite struct DeliveryTurnTests {
    enum Place: CaseIterable {
        case main, serial

        var parts: (delivery: StoreDelivery, queue: DispatchQueue) {
            switch self {
            case .main: return (.main, .main)
            case .serial:
                let queue = DispatchQueue(label: "deliveries")
                return (.queue(queue), queue)
            }
        }
    }

    @Test(arguments: Place.allCases)
    func `B19: What a callback adds or finishes is told of after what it puts on the same queue`(
        place: Place
    ) async throws {
        let (delivery, deliveries) = place.parts
        let world = try Conformer.inProcess.world()
        let order = Locked<[String]>([])
        let observer = Recorder(
            onUpdate: { queue, transactions in
                for transaction in transactions {
                    let product = transaction.payment.productIdentifier
                    order.withLock { $0.append("\(product) \(transaction.transactionState)") }
                    guard product == "sword", transaction.isDecided else { continue }
                    deliveries.async { order.withLock { $0.append("the callback's own work") } }
                    queue.finishTransaction(transaction)
                    queue.add(SKPayment(productIdentifier: "shield"))
                }
            },
            onRemoval: { _, _ in order.withLock { $0.append("sword removed") } }
        )
        let queue = await world.observedQueue(observer, delivery: delivery)
        await queue.buy("sword")
        let heard = order.withLock { $0 }
        #expect(heard.prefix(3) == ["sword purchasing", "sword purchased", "the callback's own work"])
        #expect(heard.dropFirst(3).sorted() == ["shield purchased", "shield purchasing", "sword removed"])
    }

    @Test(arguments: Place.allCases)
    func `A request started in a delegate's callback answers after what that callback puts on the same queue`(
        place: Place
    ) async throws {
        let (delivery, deliveries) = place.parts
        let context = StoreContext(backend: try Conformer.inProcess.world().store, delivery: delivery)
        let order = Locked<[String]>([])
        let second = RequestRecorder(onResponse: { _ in order.withLock { $0.append("second") } })
        let first = RequestRecorder(onEnd: { _ in
            order.withLock { $0.append("first") }
            let request = SKProductsRequest(productIdentifiers: ["sword"])
            request.delegate = second
            request.start()
            deliveries.async { order.withLock { $0.append("the callback's own work") } }
        })
        context.run {
            let request = SKProductsRequest(productIdentifiers: ["sword"])
            request.delegate = first
            request.start()
        }
        await context.settle()
        #expect(order.withLock { $0 } == ["first", "the callback's own work", "second"])
    }

    @Test(arguments: Conformer.allCases)
    func `B49: On a concurrent queue callbacks come one at a time and in order`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let observer = Recorder.finishing()
        let deliveries = DispatchQueue(label: "deliveries", attributes: .concurrent)
        let queue = await world.observedQueue(observer, delivery: .queue(deliveries))
        let turns = 50
        await onThreads(4) { thread in
            for turn in 0..<turns { queue.add(SKPayment(productIdentifier: "swrod\(thread).\(turn)")) }
        }
        await queue.settle()
        #expect(!observer.hasOverlapped)
        #expect(observer.transactions.count == 4 * turns)
        for thread in 0..<4 {
            for turn in 0..<turns {
                let product = "swrod\(thread).\(turn)"
                #expect(
                    observer.history(of: product)
                        == [.updated(product, .purchasing), .updated(product, .failed), .removed(product)]
                )
            }
        }
    }

    @Test func `On a concurrent queue requests answer one at a time and in order`() async throws {
        let deliveries = DispatchQueue(label: "deliveries", attributes: .concurrent)
        let context = StoreContext(
            backend: try Conformer.inProcess.world().store,
            delivery: .queue(deliveries),
            log: .silent
        )
        let running = Locked(0)
        let hasOverlapped = Locked(false)
        let delegate = RequestRecorder(onResponse: { _ in
            let others = running.withLock { count in
                defer { count += 1 }
                return count
            }
            if others > 0 { hasOverlapped.withLock { $0 = true } }
            running.withLock { $0 -= 1 }
        })
        let requests = context.run {
            (0..<200).map { _ in SKProductsRequest(productIdentifiers: ["sword"]) }
        }
        for request in requests {
            request.delegate = delegate
            request.start()
        }
        await context.settle()
        let answered = stride(from: 0, to: delegate.requests.count, by: 2).map { delegate.requests[$0] }
        #expect(answered == requests.map { ObjectIdentifier($0) })
        #expect(!hasOverlapped.withLock { $0 })
    }
}
