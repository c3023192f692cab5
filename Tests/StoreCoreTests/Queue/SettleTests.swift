import Dispatch
import Foundation
import StoreCore
import TestSupport
import Testing

@Suite struct SettleTests {
    @Test(.timeLimit(.minutes(10)))
    func `Settling looks again where somebody has worked between two looks and is quiet`() async {
        let clock = ManualClock()
        let worker = Worker(pulses: [3, 4, 2, 2])
        clock.activity.register(worker)
        #expect(await clock.activity.settle() == [])
        #expect(worker.pulses.withLock { $0 } == [])
    }

    @Test @MainActor func `Settling on the main actor makes the callbacks of the main queue itself`() throws {
        let world = try Conformer.inProcess.world()
        let observer = Recorder.finishing()
        let queue = world.queue(delivery: .main)
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(observer.history.isEmpty)
        settleNow(queue)
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased), .removed("sword")])
    }

    @Test @MainActor func `Settling a request on the main actor makes its callbacks itself`() throws {
        let world = try Conformer.inProcess.world()
        let delegate = RequestRecorder()
        let request = SKProductsRequest(productIdentifiers: ["sword"], backend: world.store)
        request.delegate = delegate
        request.start()
        #expect(delegate.history.isEmpty)
        world.store.settleHere()
        #expect(delegate.history == [.response(["sword"], invalid: []), .finished])
    }

    @Test(arguments: Conformer.allCases) @MainActor
    func `Settling asynchronously on the main actor lets the main queue make its callbacks`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let observer = Recorder.finishing()
        let queue = world.queue(delivery: .main)
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased), .removed("sword")])
    }

    @Test func `Settling on the queue that delivers makes the callbacks itself`() async throws {
        let world = try Conformer.inProcess.world()
        let deliveries = DispatchQueue(label: "deliveries")
        let observer = Recorder.finishing()
        let queue = world.queue(delivery: .queue(deliveries))
        let heard = await onThread {
            deliveries.sync {
                queue.add(observer)
                queue.add(SKPayment(productIdentifier: "sword"))
                queue.settle()
                return observer.history
            }
        }
        #expect(heard == [.updated("sword", .purchasing), .updated("sword", .purchased), .removed("sword")])
    }

    @Test(arguments: Conformer.allCases)
    func `Settling on any other thread waits for the callbacks`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let deliveries = DispatchQueue(label: "deliveries")
        let observer = Recorder.finishing()
        let queue = world.queue(delivery: .queue(deliveries))
        let heard = await onThread {
            queue.add(observer)
            for _ in 1...50 { queue.add(SKPayment(productIdentifier: "sword")) }
            queue.settle()
            return observer.history
        }
        #expect(heard.count == 150)
    }

    @Test(arguments: Conformer.allCases)
    func `Settling from many threads and tasks at once returns to all of them`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer, delivery: .queue(DispatchQueue(label: "deliveries")))
        async let tasks: Void = withTaskGroup(of: Void.self) { group in
            for _ in 1...4 {
                group.addTask {
                    queue.add(SKPayment(productIdentifier: "shield"))
                    await queue.settle()
                }
            }
        }
        await onThreads(3) { _ in
            for _ in 1...10 {
                queue.add(SKPayment(productIdentifier: "sword"))
                queue.settle()
            }
        }
        await tasks
        #expect(observer.history(of: "sword").count == 90)
        #expect(observer.history(of: "shield").count == 12)
    }

    @Test(arguments: Conformer.allCases)
    func `Settling returns what waits for an outside act`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let observer = Recorder()
        let queue = await world.observedQueue(observer)
        #expect(await queue.settle().isEmpty)
        queue.add(SKPayment(productIdentifier: "sword"))
        let decision = await queue.settle()
        #expect(decision.count == 1)
        #expect(decision.first?.contains("decision") == true)
        #expect(decision.first?.contains("sword") == true)
        #expect(await world.store.settle() == decision)
        world.store.isReachable = false
        queue.add(SKPayment(productIdentifier: "shield"))
        let away = await queue.settle()
        #expect(away.count == 3)
        #expect(away.contains { $0.contains("sent again") })
        #expect(away.contains { $0.contains("connects again") })
        world.store.isReachable = true
        await world.advance(by: 1)
        #expect(await queue.settle().filter { !$0.contains("decision") }.isEmpty)
    }

    @Test func `Settling does not wait for an answer that the store holds, and says so`() async throws {
        let backend = ScriptedBackend()
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        backend.sendNothingUnfinished()
        queue.add(SKPayment(productIdentifier: "sword"))
        let waits = await queue.settle()
        #expect(waits.count == 1)
        #expect(waits.first?.contains("answer") == true)
        backend.answer(.taken)
        #expect(await queue.settle().isEmpty)
    }

    @Test func `Settling waits for what a backend has marked as under way`() async throws {
        let activity = Activity()
        let work = activity.begin()
        let hasEnded = Locked(false)
        let waiter = Task {
            await activity.settle()
            return hasEnded.withLock { $0 }
        }
        let thread = Task {
            await onThread {
                activity.settle()
                return hasEnded.withLock { $0 }
            }
        }
        await Task.yield()
        hasEnded.withLock { $0 = true }
        work.end()
        #expect(await waiter.value)
        #expect(await thread.value)
    }
}

/// The blocking form, where only the other one can be called without these.
private func settleNow(_ queue: SKPaymentQueue) { queue.settle() }

extension SandboxStore {
    fileprivate func settleHere() { settle() }
}

/// Is quiet whenever it is looked at, and has worked meanwhile.
private final class Worker: ActivityMember {
    let pulses: Locked<[Int]>

    init(pulses: [Int]) { self.pulses = Locked(pulses) }

    var pulse: (isQuiet: Bool, work: Int) { (true, pulses.withLock { $0.isEmpty ? 2 : $0.removeFirst() }) }
    func drainHere() -> Bool { false }
    var waitingFor: [String] { [] }
}
