import Dispatch
import Foundation
import StoreCore
import TestSupport
import Testing

/// What an observer may do inside a callback, and in which order callbacks come.
@Suite struct CallbackTests {
    @Test(arguments: Conformer.allCases)
    func `B19: A payment added inside a callback is bought after it`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let observer = Recorder(onUpdate: { queue, transactions in
            for transaction in transactions where transaction.isDecided {
                let next = ["sword": "shield", "shield": "spear"][transaction.payment.productIdentifier]
                if let next { queue.add(SKPayment(productIdentifier: next)) }
                queue.finishTransaction(transaction)
            }
        })
        let queue = await world.observedQueue(observer)
        await queue.buy("sword")
        for product in ["sword", "shield", "spear"] {
            #expect(
                observer.history(of: product)
                    == [.updated(product, .purchasing), .updated(product, .purchased), .removed(product)]
            )
        }
        #expect(!observer.hasOverlapped)
    }

    @Test func `B19: With inline delivery the callbacks that a callback leads to come after it`() throws {
        let world = try Conformer.inProcess.world()
        let order = Locked<[String]>([])
        let observer = Recorder(onUpdate: { queue, transactions in
            let names = transactions.map { "\($0.payment.productIdentifier) \($0.transactionState)" }
            order.withLock { $0.append("begin " + names.joined(separator: ", ")) }
            for transaction in transactions where transaction.transactionState == .purchased {
                if transaction.payment.productIdentifier == "sword" {
                    queue.add(SKPayment(productIdentifier: "shield"))
                }
            }
            order.withLock { $0.append("end") }
        })
        let queue = world.queue()
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "sword"))
        #expect(
            order.withLock { $0 } == [
                "begin sword purchasing", "end", "begin sword purchased", "end",
                "begin shield purchasing", "end", "begin shield purchased", "end",
            ]
        )
    }

    @Test(arguments: Conformer.allCases)
    func `B40: An observer that removes itself in a callback hears nothing more`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let staying = Recorder()
        let box = Locked<Recorder?>(nil)
        let leaving = Recorder(onUpdate: { queue, _ in
            if let observer = box.withLock({ $0 }) { queue.remove(observer) }
        })
        box.withLock { $0 = leaving }
        defer { box.withLock { $0 = nil } }
        let queue = world.queue()
        queue.add(leaving)
        queue.add(staying)
        await queue.buy("sword")
        #expect(leaving.history == [.updated("sword", .purchasing)])
        #expect(staying.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B40: An observer removed by another in a callback is not called after that`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let victim = Recorder()
        let first = Recorder(onUpdate: { queue, _ in queue.remove(victim) })
        let queue = world.queue()
        queue.add(first)
        queue.add(victim)
        await queue.buy("sword")
        #expect(first.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(victim.history.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B41: An observer added inside a callback hears of what comes next`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let late = Recorder()
        let first = Recorder(onUpdate: { queue, _ in queue.add(late) })
        let queue = await world.observedQueue(first)
        await queue.buy("sword")
        #expect(late.history == [.updated("sword", .purchased)])
        #expect(first.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B38: Leaving and coming back inside a callback brings what is unfinished again`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let box = Locked<Recorder?>(nil)
        let observer = Recorder(onUpdate: { queue, transactions in
            guard let observer = box.withLock({ $0.take() }) else { return }
            queue.remove(observer)
            queue.add(observer)
        })
        let queue = await world.observedQueue(observer)
        await queue.buy("sword")
        observer.clear()
        box.withLock { $0 = observer }
        await queue.buy("shield")
        #expect(observer.history(of: "sword") == [.updated("sword", .purchased)])
        #expect(observer.history(of: "shield").last == .updated("shield", .purchased))
        #expect(queue.transactions.count == 2)
    }

    @Test(arguments: Conformer.allCases)
    func `B71: What one observer finishes in a callback, the others have still been told of`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let finisher = Recorder.finishing()
        let others = [Recorder(), Recorder()]
        let queue = world.queue()
        queue.add(others[0])
        queue.add(finisher)
        queue.add(others[1])
        for product in ["sword", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        for observer in others {
            for product in ["sword", "shield"] {
                #expect(
                    observer.history(of: product)
                        == [.updated(product, .purchasing), .updated(product, .purchased), .removed(product)]
                )
            }
        }
    }

    @Test(arguments: Conformer.allCases)
    func `B49, B153: Callbacks never overlap, and each transaction's keep their order, with many threads`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let plain = Recorder()
        let finishing = Recorder.finishing()
        let queue = await world.observedQueue(plain)
        queue.add(finishing)
        let turns = 50
        await onThreads(4) { thread in
            for turn in 0..<turns {
                queue.add(SKPayment(productIdentifier: thread % 2 == 0 ? "sword" : "swrod\(thread).\(turn)"))
                if turn % 10 == 0 { _ = queue.transactions }
            }
        }
        await queue.settle()
        #expect(!plain.hasOverlapped)
        #expect(!finishing.hasOverlapped)
        #expect(queue.transactions.isEmpty)
        #expect(plain.transactions.count == 4 * turns)
        for thread in [1, 3] {
            for turn in 0..<turns {
                let product = "swrod\(thread).\(turn)"
                #expect(
                    plain.history(of: product)
                        == [.updated(product, .purchasing), .updated(product, .failed), .removed(product)]
                )
            }
        }
        let counts = plain.history(of: "sword").reduce(into: [0, 0, 0]) { counts, heard in
            switch heard {
            case .updated(_, .purchasing): counts[0] += 1
            case .updated: counts[1] += 1
            default: counts[2] += 1
            }
            #expect(counts[0] >= counts[1] && counts[1] >= counts[2])
        }
        #expect(counts == [2 * turns, 2 * turns, 2 * turns])
    }

    @Test(arguments: Conformer.allCases)
    func `B36: Payments added by many threads reach the store in the order of the list`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let queue = await world.observedQueue(Recorder())
        let observer = Recorder()
        queue.add(observer)
        await onThreads(3) { thread in
            for turn in 0..<40 { queue.add(SKPayment(productIdentifier: "sword", quantity: 1 + (thread + turn) % 9)) }
        }
        await queue.settle()
        #expect(world.store.undecidedRequests.map(\.quantity) == queue.transactions.map(\.payment.quantity))
        #expect(queue.transactions.count == 120)
    }

    @Test(arguments: Conformer.allCases)
    func `B43: Many threads finish the same transactions, and each is removed once`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        for _ in 1...60 { queue.add(SKPayment(productIdentifier: "sword")) }
        await queue.settle()
        let transactions = queue.transactions
        await onThreads(4) { _ in for transaction in transactions { queue.finishTransaction(transaction) } }
        await queue.settle()
        #expect(observer.history.filter { $0 == .removed("sword") }.count == 60)
        #expect(queue.transactions.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B41: Observers come and go on many threads while others hear everything`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let staying = Recorder.finishing()
        let queue = await world.observedQueue(staying)
        let passing = (0..<4).map { _ in Recorder() }
        await onThreads(4) { thread in
            for _ in 0..<30 {
                queue.add(passing[thread])
                queue.add(SKPayment(productIdentifier: "sword"))
                queue.remove(passing[thread])
            }
        }
        await queue.settle()
        #expect(staying.transactions.count == 120)
        #expect(staying.history.count == 360)
        #expect(!staying.hasOverlapped)
        #expect(queue.transactionObservers.count == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B156: Callbacks on a queue of the caller's all come there, in order`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let deliveries = DispatchQueue(label: "deliveries")
        let key = DispatchSpecificKey<Bool>()
        deliveries.setSpecific(key: key, value: true)
        let isElsewhere = Locked(false)
        let observer = Recorder(onUpdate: { queue, transactions in
            if DispatchQueue.getSpecific(key: key) != true { isElsewhere.withLock { $0 = true } }
            for transaction in transactions where transaction.isDecided { queue.finishTransaction(transaction) }
        })
        let queue = await world.observedQueue(observer, delivery: .queue(deliveries))
        for product in ["sword", "swrod", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        #expect(observer.history(of: "sword").count == 3)
        #expect(observer.history(of: "swrod").count == 3)
        #expect(observer.history(of: "shield").count == 3)
        #expect(!isElsewhere.withLock { $0 })
    }

    @Test(arguments: Conformer.allCases)
    func `B156: By default callbacks come on the main queue`(conformer: Conformer) async throws {
        let world = try conformer.world()
        // Not the main thread: it hands the main queue over to others once it has nothing else to do.
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        let isElsewhere = Locked(false)
        let observer = Recorder(onUpdate: { queue, transactions in
            if DispatchQueue.getSpecific(key: key) != true { isElsewhere.withLock { $0 = true } }
            for transaction in transactions where transaction.isDecided { queue.finishTransaction(transaction) }
        })
        let queue = SKPaymentQueue(backend: world.backend, log: .silent)
        queue.add(observer)
        await queue.buy("sword")
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased), .removed("sword")])
        #expect(!isElsewhere.withLock { $0 })
    }

    @Test(arguments: Conformer.allCases)
    func `B49: Many updates come in callbacks of at most 256 transactions`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let observer = Recorder()
        let queue = world.queue()
        world.store.isReachable = false
        for _ in 1...600 { queue.add(SKPayment(productIdentifier: "sword")) }
        queue.add(observer)
        await queue.settle()
        #expect(observer.history == Array(repeating: .updated("sword", .purchasing), count: 600))
        #expect(observer.callbacks.map(\.count).max() == 256)
        #expect(observer.transactions.map { ObjectIdentifier($0) } == queue.transactions.map { ObjectIdentifier($0) })
    }
}
