import Foundation
import StoreCore
import Testing

@Suite struct JournalTests {
    @Test func `B34: What the store takes at once is never written to the journal`() async throws {
        let journal = RecordingJournal()
        let world = try Conformer.inProcess.world()
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer, journal: journal)
        for _ in 1...10 { queue.add(SKPayment(productIdentifier: "sword")) }
        await queue.restore()
        #expect(observer.transactions.count == 10)
        #expect(journal.history == [.opened])
    }

    @Test(arguments: Conformer.allCases)
    func `B33: What the store has not acknowledged is recorded before it is shown, and forgotten afterwards`(
        conformer: Conformer
    ) async throws {
        let journal = RecordingJournal()
        let world = try conformer.world()
        let isMissing = Locked(false)
        let observer = Recorder(onUpdate: { _, transactions in
            if journal.commands.count < transactions.count { isMissing.withLock { $0 = true } }
        })
        let queue = await world.observedQueue(observer, journal: journal)
        world.store.isReachable = false
        for product in ["sword", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        #expect(journal.commands.map(\.action) == ["sword", "shield"].purchases)
        #expect(observer.history == [.updated("sword", .purchasing), .updated("shield", .purchasing)])
        #expect(!isMissing.withLock { $0 })
        world.store.isReachable = true
        await world.advance(by: 1)
        #expect(journal.commands.isEmpty)
        #expect(observer.history.suffix(2) == [.updated("sword", .purchased), .updated("shield", .purchased)])
    }

    @Test func `B33: An answer that comes later than the call's return leaves nothing in the journal`() async throws {
        let journal = RecordingJournal()
        let backend = ScriptedBackend()
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend, journal: journal)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(journal.history == [.opened, .recorded(["sword"].purchases)])
        #expect(observer.history == [.updated("sword", .purchasing)])
        backend.answer(.taken)
        #expect(journal.history == [.opened, .recorded(["sword"].purchases), .forgot(1)])
        #expect(journal.commands.isEmpty)
    }

    @Test func `B33: The journal keeps the order, of what is added while the store is busy too`() async throws {
        let journal = RecordingJournal()
        let backend = ScriptedBackend()
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend, journal: journal)
        backend.onSubmit { submission in
            guard submission.commands.count == 1, submission.commands[0].id.number == 1 else { return }
            for product in ["shield", "spear"] { queue.add(SKPayment(productIdentifier: product)) }
        }
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(journal.commands.map(\.id.number) == [1, 2, 3])
        #expect(journal.commands.map(\.action) == ["sword", "shield", "spear"].purchases)
        #expect(
            observer.history
                == [.updated("sword", .purchasing), .updated("shield", .purchasing), .updated("spear", .purchasing)]
        )
    }

    @Test func `B33: Nothing is recorded twice, even if the store answers in the middle`() async throws {
        let journal = RecordingJournal()
        let backend = ScriptedBackend()
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend, journal: journal)
        backend.onSubmit { submission in
            guard submission.commands.count == 1, submission.commands[0].id.number == 1 else { return }
            queue.add(SKPayment(productIdentifier: "shield"))
            submission.reply(.trouble)
            queue.add(SKPayment(productIdentifier: "spear"))
        }
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(journal.commands.map(\.id.number) == [1, 2, 3])
    }

    @Test(arguments: [2, 50, 300])
    func `B33: A long journal is taken over whole and in order`(count: Int) async throws {
        let world = try Conformer.inProcess.world()
        let journal = MemoryJournal()
        world.store.isReachable = false
        let before = world.queue(journal: journal)
        let products = (0..<count).map { "product.\($0)" }
        for product in products { before.add(SKPayment(productIdentifier: product)) }
        let after = world.queue(journal: journal)
        #expect(after.transactions.map(\.payment.productIdentifier) == products)
        world.store.isReachable = true
        let observer = Recorder.finishing()
        after.add(observer)
        await after.settle()
        #expect(observer.transactions.map(\.payment.productIdentifier) == products)
        #expect(observer.history.count == 3 * count)
        #expect(journal.commands.isEmpty)
    }

    @Test func `B35: Opening a journal again silences the queue that had it`() async throws {
        let world = try Conformer.inProcess.world(authorizer: .always(.later))
        let journal = MemoryJournal()
        let before = Recorder()
        let first = await world.observedQueue(before, journal: journal)
        first.add(SKPayment(productIdentifier: "sword"))
        let after = Recorder()
        let second = await world.observedQueue(after, journal: journal)
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        #expect(before.history == [.updated("sword", .purchasing)])
        #expect(after.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(first.transactions.isEmpty)
        #expect(second.transactions.count == 1)
    }

    @Test func `B35: A queue that falls silent because another opens its journal says so once`() async throws {
        let world = try Conformer.inProcess.world()
        let journal = MemoryJournal()
        let logs = [LogRecorder(), LogRecorder(), LogRecorder()]
        var queues: [SKPaymentQueue] = []
        let observers = logs.map { _ in Recorder() }
        for (observer, log) in zip(observers, logs) {
            queues.append(await world.observedQueue(observer, journal: journal, log: log.log))
        }
        queues[0].add(SKPayment(productIdentifier: "sword"))
        #expect(logs.map(\.lines.count) == [1, 1, 0])
        #expect(logs[0].lines.first?.contains("another payment queue has opened this queue's journal") == true)
    }

    @Test func `B35: A relaunch, another store and a queue that goes silence a queue without a line`() async throws {
        let world = try Conformer.inProcess.world()
        let log = LogRecorder()
        let context = StoreContext(journal: MemoryJournal(), delivery: .inline, log: log.log)
        context.run { SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword")) }
        context.backend = world.backend
        let old = context.run { SKPaymentQueue.default() }
        let next = old.relaunch()
        next.add(SKPayment(productIdentifier: "sword"))
        context.backend = try Conformer.inProcess.world().backend
        next.add(SKPayment(productIdentifier: "sword"))
        let journal = MemoryJournal()
        for _ in 1...2 { _ = await world.observedQueue(Recorder(), journal: journal, log: log.log) }
        #expect(!log.lines.contains { $0.contains("opened") })
        withExtendedLifetime(old) {}
    }

    @Test(.timeLimit(.minutes(10)))
    func `B35: What is logged when a queue falls silent may use the queue that takes its place`() async throws {
        let world = try Conformer.inProcess.world()
        let journal = MemoryJournal()
        let second = world.queue(journal: journal)
        let seen = Locked<[Int]>([])
        let log = StoreLog { _ in seen.withLock { $0.append(second.transactions.count) } }
        let first = await world.observedQueue(Recorder(), journal: journal, log: log)
        second.add(SKPayment(productIdentifier: "sword"))
        #expect(seen.withLock { $0 } == [0])
        #expect(second.transactions.count == 1)
        withExtendedLifetime(first) {}
    }

    @Test func `B57: A payment that cannot be recorded fails and says so, if the store has not taken it`() async throws
    {
        let world = try Conformer.inProcess.world()
        let journal = FailingJournal([.record])
        let log = LogRecorder()
        let observer = Recorder()
        let queue = await world.observedQueue(observer, journal: journal, log: log.log)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        world.store.isReachable = false
        await queue.buy("shield")
        #expect(observer.history(of: "shield") == [.updated("shield", .purchasing), .updated("shield", .failed)])
        let transaction = try #require(observer.transactions.last)
        #expect(transaction.trouble == .storeKit(.unknown))
        #expect(transaction.reason?.contains("the disk is full") == true)
        #expect(log.lines.count == 1)
        queue.finishTransaction(transaction)
        #expect(observer.history.last == .removed("shield"))
        world.store.isReachable = true
        await world.advance(by: 10)
        #expect(observer.history(of: "shield").count == 3)
        #expect(queue.transactions.map(\.payment.productIdentifier) == ["sword"])
    }

    @Test func `B34: A payment that cannot be recorded is not lost if the store is seen to have taken it`() async throws
    {
        let world = try Conformer.inProcess.world()
        let backend = SpoilingBackend(world.store)
        let journal = FailingJournal([.record])
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend, journal: journal)
        backend.fate = .denyHavingTaken
        queue.add(SKPayment(productIdentifier: "sword"))
        backend.fate = .pass
        await world.advance(by: 10)
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(await queue.settle().isEmpty)
    }

    @Test func `B18: A payment that failed for want of a journal and was sold all the same is a new transaction`()
        async throws
    {
        let world = try Conformer.inProcess.world()
        let backend = SpoilingBackend(world.store)
        let journal = FailingJournal([.record])
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend, journal: journal)
        backend.loseConnections()
        backend.fate = .denyHavingTaken
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .failed)])
        backend.fate = .pass
        await world.advance(by: 10)
        #expect(observer.history.last == .updated("sword", .purchased))
        #expect(observer.transactions.map(\.transactionState) == [.failed, .purchased])
        for transaction in queue.transactions { queue.finishTransaction(transaction) }
        #expect(observer.history.suffix(2) == [.removed("sword"), .removed("sword")])
        let late = Recorder()
        _ = await world.observedQueue(late)
        #expect(late.history.isEmpty)
    }

    @Test func `B33: A journal that cannot forget costs a repetition, which the store bears`() async throws {
        let world = try Conformer.inProcess.world()
        let journal = FailingJournal([.forget])
        let log = LogRecorder()
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer, journal: journal, log: log.log)
        world.store.isReachable = false
        queue.add(SKPayment(productIdentifier: "swrod"))
        world.store.isReachable = true
        await world.advance(by: 1)
        #expect(observer.history.last == .removed("swrod"))
        #expect(!log.lines.isEmpty)
        #expect(journal.commands.count == 1)
        journal.repair()
        let next = queue.relaunch()
        let after = Recorder()
        next.add(after)
        await next.settle()
        #expect(journal.commands.isEmpty)
        #expect(!after.history.contains(.updated("swrod", .failed)))
        #expect(next.transactions.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B71: An order of an earlier launch that another queue has finished leaves the list`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let journal = FailingJournal([.forget])
        let observer = Recorder()
        let queue = await world.observedQueue(observer, journal: journal)
        world.store.isReachable = false
        for product in ["sword", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        world.store.isReachable = true
        await world.advance(by: 1)
        let next = queue.relaunch()
        let other = Recorder(onUpdate: { queue, transactions in
            for transaction in transactions where transaction.payment.productIdentifier == "sword" {
                queue.finishTransaction(transaction)
            }
        })
        _ = await world.observedQueue(other)
        let after = Recorder()
        next.add(after)
        await next.settle()
        #expect(after.history(of: "sword").last == .removed("sword"))
        #expect(!after.history.contains(.updated("sword", .purchased)))
        #expect(after.history(of: "shield") == [.updated("shield", .purchasing), .updated("shield", .purchased)])
        #expect(next.transactions.map(\.payment.productIdentifier) == ["shield"])
    }

    @Test func `B33: A journal that cannot be opened is logged; what the store takes at once is sold`() async throws {
        let world = try Conformer.inProcess.world()
        let log = LogRecorder()
        let observer = Recorder()
        let queue = await world.observedQueue(observer, journal: FailingJournal([.open]), log: log.log)
        await queue.buy("sword")
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("the disk is full") == true)
        world.store.isReachable = false
        queue.add(SKPayment(productIdentifier: "shield"))
        #expect(observer.history(of: "shield").last == .updated("shield", .failed))
    }
}

extension [String] {
    fileprivate var purchases: [StoreCommand.Action] { map { .purchase(StorePayment(productIdentifier: $0)) } }
}
