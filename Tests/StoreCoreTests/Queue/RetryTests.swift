import Foundation
import StoreCore
import Testing

@Suite struct RetryTests {
    @Test(arguments: Conformer.allCases)
    func `B34, B36: What was added while the store is away is bought when it is back, in order`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        world.store.isReachable = false
        for product in ["sword", "shield", "spear"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        await world.advance(by: 60)
        #expect(observer.history.count == 3)
        world.store.isReachable = true
        await world.advance(by: 64)
        #expect(
            observer.history.suffix(3)
                == [.updated("sword", .purchased), .updated("shield", .purchased), .updated("spear", .purchased)]
        )
        #expect(observer.transactions.count == 3)
    }

    @Test func `B36: The pauses between tries grow: 1, 2, 4 … 256 seconds`() async throws {
        let clock = ManualClock()
        let start = clock.now
        let moments = Locked<[TimeInterval]>([])
        let backend = ScriptedBackend(clock: clock)
        backend.onSubmit { submission in
            moments.withLock { $0.append(clock.now.timeIntervalSince(start)) }
            submission.reply(.trouble)
        }
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        queue.add(SKPayment(productIdentifier: "sword"))
        await clock.advance(by: 1100)
        #expect(moments.withLock { $0 } == [0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 767, 1023])
        #expect(observer.history == [.updated("sword", .purchasing)])
    }

    @Test func `B36: After the store has taken something the pauses begin small again`() async throws {
        let clock = ManualClock()
        let moments = Locked<[Date]>([])
        let backend = ScriptedBackend(clock: clock)
        backend.onSubmit { submission in
            moments.withLock { $0.append(clock.now) }
            submission.reply(.trouble)
        }
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        queue.add(SKPayment(productIdentifier: "sword"))
        await clock.advance(by: 20)
        backend.onSubmit { $0.reply(.taken) }
        await clock.advance(by: 20)
        #expect(clock.nextDeadline == nil)
        moments.withLock { $0 = [] }
        let start = clock.now
        backend.onSubmit { submission in
            moments.withLock { $0.append(clock.now) }
            submission.reply(.trouble)
        }
        queue.add(SKPayment(productIdentifier: "sword"))
        await clock.advance(by: 4)
        #expect(moments.withLock { $0 }.map { $0.timeIntervalSince(start) } == [0, 1, 3])
    }

    @Test(arguments: [(60.0, 16.0), (3_600.0, 1.0)])
    func `B36: The pauses before a connection begin small again once one has lasted, with or without news`(
        duration: TimeInterval,
        pause: TimeInterval
    ) {
        let clock = ManualClock()
        let backend = ScriptedBackend(clock: clock)
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        backend.sendNothingUnfinished()
        for pause in [1.0, 2, 4, 8] {
            backend.loseConnection()
            clock.advance(by: pause)
        }
        #expect(backend.connections.count == 5)
        clock.advance(by: duration)
        backend.loseConnection()
        clock.advance(by: pause - 0.5)
        #expect(backend.connections.count == 5)
        clock.advance(by: 0.5)
        #expect(backend.connections.count == 6)
        withExtendedLifetime(queue) {}
    }

    @Test func `B36: What is added during a pause waits for its end and goes along`() async throws {
        let backend = ScriptedBackend(clock: ManualClock())
        backend.onSubmit { $0.reply(.trouble) }
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        for product in ["sword", "shield", "spear"] { queue.add(SKPayment(productIdentifier: product)) }
        #expect(backend.submissions.map(\.commands.count) == [1])
        backend.onSubmit { $0.reply(.taken) }
        await (backend.clock as? ManualClock)?.advance(by: 1)
        #expect(backend.submissions.map(\.commands.count) == [1, 3])
        #expect(backend.submissions.last?.commands.map(\.id.number) == [1, 2, 3])
    }

    @Test func `B36: A restore that ends a pause makes its timer void, and the pauses go on growing`() {
        let clock = ManualClock()
        let start = clock.now
        let moments = Locked<[TimeInterval]>([])
        let backend = ScriptedBackend(clock: clock)
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        backend.sendNothingUnfinished()
        backend.onSubmit { submission in
            moments.withLock { $0.append(clock.now.timeIntervalSince(start)) }
            submission.reply(.trouble)
        }
        queue.add(SKPayment(productIdentifier: "sword"))
        for _ in 1...3 { queue.restoreCompletedTransactions() }
        clock.advance(by: 30)
        // The fourth try was at 0, so the next pauses are of 8 and 16 seconds.
        #expect(moments.withLock { $0 } == [0, 0, 0, 0, 8, 24])
        #expect(observer.history.filter { $0 == .restoreFailed(.network(.timedOut)) }.count == 3)
    }

    @Test func `B36: One submission is under way at a time, and the next takes all that was added meanwhile`()
        async throws
    {
        let backend = ScriptedBackend()
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        for product in ["sword", "shield", "spear"] { queue.add(SKPayment(productIdentifier: product)) }
        #expect(backend.submissions.map(\.commands.count) == [1])
        backend.answer(.taken)
        #expect(backend.submissions.map(\.commands.count) == [1, 2])
        #expect(backend.submissions.flatMap(\.commands).map(\.id.number) == [1, 2, 3])
    }

    @Test func `B36: A connection that breaks is made again from the cursor, after growing pauses`() async throws {
        let clock = ManualClock()
        let backend = ScriptedBackend(clock: clock)
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        defer { withExtendedLifetime(queue) {} }
        backend.sendNothingUnfinished(at: 5)
        for pause in [1.0, 2, 4, 8] {
            let count = backend.connections.count
            backend.loseConnection()
            backend.loseConnection()
            await clock.advance(by: pause - 0.5)
            #expect(backend.connections.count == count)
            await clock.advance(by: 0.5)
            #expect(backend.connections.count == count + 1)
            #expect(backend.connections.last?.cursor == .at(5))
        }
        backend.send(after: .at(5), through: .at(6), .transaction("a", .purchased))
        #expect(observer.history.last == .updated("sword", .purchased))
        backend.loseConnection()
        await clock.advance(by: 1)
        #expect(backend.connections.count == 6)
        #expect(backend.connections.last?.cursor == .at(6))
    }

    @Test func `B37: Without observers a broken connection is not made again`() async throws {
        let clock = ManualClock()
        let backend = ScriptedBackend(clock: clock)
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        backend.sendNothingUnfinished()
        backend.loseConnection()
        queue.remove(observer)
        await clock.advance(by: 1000)
        #expect(backend.connections.count == 1)
        queue.add(observer)
        #expect(backend.connections.count == 2)
    }

    @Test(arguments: Conformer.allCases)
    func `B36: A store that comes and goes many times loses nothing and sells nothing twice`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        var products: [String] = []
        for round in 0..<12 {
            world.store.isReachable = round % 3 != 0
            let product = "swrod\(round)"
            products.append(product)
            await queue.buy(product)
            await world.advance(by: 1)
        }
        world.store.isReachable = true
        await world.advance(by: 600)
        for product in products {
            #expect(
                observer.history(of: product)
                    == [.updated(product, .purchasing), .updated(product, .failed), .removed(product)]
            )
        }
        #expect(queue.transactions.isEmpty)
        let late = Recorder()
        _ = await world.observedQueue(late)
        #expect(late.history.isEmpty)
    }
}
