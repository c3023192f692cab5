import Foundation
import StoreCore
import TestSupport
import Testing

/// What Store Kit answers with an exception stops the process, with a sentence.
@Suite(.promptly) struct MisuseTests {
    @Test func `B13, B16: Adding a quantity of 0 stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let payment = SKMutablePayment(productIdentifier: "sword")
            payment.quantity = 0
            try Conformer.inProcess.world().queue().add(payment)
        }
        #expect(said(result).contains("a payment's quantity is at least 1; this one for sword has 0"))
    }

    @Test func `B16: Adding an empty identifier stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Conformer.inProcess.world().queue().add(SKPayment())
        }
        #expect(said(result).contains("a payment needs a product identifier"))
    }

    @Test func `B70: Finishing a transaction that is purchasing stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = try Conformer.inProcess.world(authorizer: .always(.later))
            let observer = Recorder()
            let queue = await world.observedQueue(observer)
            queue.add(SKPayment(productIdentifier: "sword"))
            queue.finishTransaction(try #require(queue.transactions.first))
        }
        #expect(said(result).contains("the transaction for sword is still purchasing"))
    }

    @Test func `B70: What observers have not been told of is still purchasing`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = try Conformer.inProcess.world()
            let deliveries = DispatchQueue(label: "deliveries")
            let observer = Recorder()
            let queue = await world.observedQueue(observer, delivery: .queue(deliveries))
            deliveries.suspend()
            queue.add(SKPayment(productIdentifier: "sword"))
            queue.finishTransaction(try #require(queue.transactions.first))
        }
        #expect(said(result).contains("the transaction for sword is still purchasing"))
    }

    @Test func `Settling inside a callback stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = try Conformer.inProcess.world()
            let observer = Recorder(onUpdate: { queue, _ in queue.settle() })
            let queue = await world.observedQueue(observer)
            queue.add(SKPayment(productIdentifier: "sword"))
        }
        #expect(said(result).contains("settle was called from inside a callback"))
    }

    @Test func `Moving the clock inside a request's callback stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = try Conformer.inProcess.world()
            let clock = world.clock
            let delegate = RequestRecorder(onResponse: { _ in clock.advance(by: 1) })
            let request = SKProductsRequest(productIdentifiers: ["sword"], backend: world.store, delivery: .inline)
            request.delegate = delegate
            request.start()
            withExtendedLifetime(delegate) {}
        }
        #expect(said(result).contains("settle was called from inside a callback"))
    }

    @Test func `A clock that is turned back stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            ManualClock().advance(by: -1)
        }
        #expect(said(result).contains("a clock does not run backwards"))
    }

    @Test func `A clock that a task turns back stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let back: () async -> Void = { await ManualClock().advance(by: -1) }
            await back()
        }
        #expect(said(result).contains("a clock does not run backwards"))
    }

    @Test func `Moving the clock inside a timer that a task fires stops the process with a sentence`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let clock = ManualClock()
            clock.schedule(at: clock.now) { clock.advance(by: 1) }
            let fire: () async -> Void = { await clock.advance(by: 1) }
            await fire()
        }
        #expect(said(result).contains("the clock was moved by what it fired"))
    }

    @Test func `B26: A subclass has no default queue of its own`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Other: SKPaymentQueue, @unchecked Sendable {}
            _ = Other.default()
        }
        #expect(said(result).contains("Other has to override default()"))
    }
}
