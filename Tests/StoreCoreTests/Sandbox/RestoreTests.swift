import Foundation
import StoreCore
import Testing

@Suite struct RestoreTests {
    private func restored(_ products: String...) -> [Heard] {
        let updates: [Heard] = products.map { .updated($0, .restored) }
        return updates + [.restoreFinished]
    }

    /// A queue on a store in the test's hands, which had nothing unfinished for it.
    private func scripted(_ clock: ManualClock = ManualClock()) -> (ScriptedBackend, Recorder, SKPaymentQueue) {
        let (backend, observer) = (ScriptedBackend(clock: clock), Recorder())
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        backend.sendNothingUnfinished()
        return (backend, observer, queue)
    }

    @Test(arguments: Conformer.allCases)
    func `B96, B98, B99, B102: What is finished comes anew, then the restore ends`(conformer: Conformer) async throws {
        let world = try conformer.world()
        await world.buyAndFinish("full.game", "pro.monthly")
        let (queue, observer) = await world.observedQueue()
        await queue.restore()
        #expect(observer.history == restored("full.game", "pro.monthly") && queue.transactions.count == 2)
    }

    @Test(arguments: Conformer.allCases)
    func `B103, B104, B105: Restored are non-consumables, auto-renewable and free subscriptions, and nothing else`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        await world.buyAndFinish("sword", "full.game", "lessons", "pro.monthly", "shield", "magazine")
        let (queue, observer) = await world.observedQueue()
        await queue.restore()
        #expect(observer.history == restored("full.game", "pro.monthly", "magazine"))
    }

    @Test(arguments: Conformer.allCases)
    func `B101, B163, B219: Without anything to restore the restore just finishes`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        await queue.restore()
        #expect(observer.history == [.restoreFinished])
        for product in ["sword", "full.game"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        observer.clear()
        await queue.restore()
        #expect(observer.history == [.restoreFinished])
    }

    @Test(arguments: Conformer.allCases)
    func `B102, B163: Failed and cancelled purchases are not restored`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.cancel))
        await world.buyAndFinish("full.game")
        let (queue, observer) = await world.observedQueue()
        await queue.restore()
        #expect(observer.history == [.restoreFinished])
    }

    @Test(arguments: Conformer.allCases)
    func `B164: Restoring again brings new transactions again`(conformer: Conformer) async throws {
        let world = try conformer.world()
        await world.buyAndFinish("full.game")
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        for _ in 1...3 { await queue.restore() }
        #expect(observer.history.filter { $0 == .updated("full.game", .restored) }.count == 3)
        #expect(observer.history.filter { $0 == .restoreFinished }.count == 3)
        #expect(Set(observer.transactions.map(\.transactionIdentifier)).count == 3)
        #expect(Set(observer.transactions.map(\.original?.transactionIdentifier)).count == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B96, B97: Each past purchase is restored, not what was restored`(conformer: Conformer) async throws {
        let world = try conformer.world()
        await world.buyAndFinish("full.game", "full.game")
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        for _ in 1...2 { await queue.restore() }
        #expect(observer.history.filter { $0 == .updated("full.game", .restored) }.count == 4)
        #expect(Set(observer.transactions.map(\.original?.transactionIdentifier)).count == 2)
    }

    @Test(arguments: Conformer.allCases)
    func `B99, B100: All observers hear that it has finished, or failed, once for each restore`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        await world.buyAndFinish("full.game")
        let observers = [Recorder(), Recorder()]
        let queue = world.queue()
        for observer in observers { queue.add(observer) }
        queue.restoreCompletedTransactions()
        await queue.restore()
        for observer in observers {
            #expect(observer.history.filter { $0 == .restoreFinished }.count == 2)
            #expect(observer.history.filter { $0 == .updated("full.game", .restored) }.count == 2)
            #expect(observer.history.last == .restoreFinished)
        }
        world.store.isReachable = false
        await queue.restore()
        for observer in observers {
            #expect(observer.history.last == .restoreFailed(.network(.notConnectedToInternet)))
            #expect(observer.history.filter { $0 == .restoreFinished }.count == 2)
        }
    }

    @Test(arguments: Conformer.allCases)
    func `B100, B162: Out of reach, a store fails the restore for good`(conformer: Conformer) async throws {
        let world = try conformer.world()
        await world.buyAndFinish("full.game")
        let (queue, observer) = await world.observedQueue()
        world.store.isReachable = false
        await queue.restore()
        #expect(observer.history == [.restoreFailed(.network(.notConnectedToInternet))])
        world.store.isReachable = true
        await world.advance(by: 60)
        #expect(observer.history == [.restoreFailed(.network(.notConnectedToInternet))])
        await queue.restore()
        #expect(observer.history.suffix(2) == restored("full.game"))
    }

    @Test(arguments: Conformer.allCases)
    func `B100: A failed restore does not keep a waiting payment from being bought`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        world.store.isReachable = false
        await queue.buy("sword")
        await queue.restore()
        await queue.buy("shield")
        world.store.isReachable = true
        await world.advance(by: 60)
        #expect(observer.history.filter { $0 == .restoreFailed(.network(.notConnectedToInternet)) }.count == 1)
        #expect(queue.transactions.map(\.transactionState) == [.purchased, .purchased])
    }

    @Test(arguments: Conformer.allCases)
    func `B110, B165: Restored with the name that it carried, a payment has it`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        let payment = SKMutablePayment(productIdentifier: "full.game")
        payment.applicationUsername = "somebody"
        queue.add(payment)
        await queue.settle()
        queue.restoreCompletedTransactions(withApplicationUsername: "somebody")
        await queue.settle()
        let restored = try #require(observer.transactions.last)
        #expect(restored.transactionState == .restored && restored.payment.applicationUsername == "somebody")
        #expect(restored.original?.payment.applicationUsername == "somebody")
        #expect(observer.history.contains(.restoreFinished))
    }

    @Test func `B110: The name that a restore passes reaches the store`() {
        let (backend, observer, queue) = scripted()
        defer { withExtendedLifetime(observer) {} }
        queue.restoreCompletedTransactions(withApplicationUsername: "somebody")
        backend.answer(.taken)
        queue.restoreCompletedTransactions()
        let actions = backend.submissions.flatMap(\.commands).map(\.action)
        #expect(actions == [.restore(applicationUsername: "somebody"), .restore(applicationUsername: nil)])
    }

    @Test func `B100, B162: A restore that the store cannot finish fails, after what it had brought`() throws {
        let (backend, observer, queue) = scripted()
        queue.restoreCompletedTransactions()
        backend.answer(.taken)
        let order = try #require(backend.submissions.last?.commands.first?.id)
        backend.send(after: .at(0), through: .at(1), .transaction("9", .restored, of: "full.game"))
        let failure = StoreFailure.storeKit(.cloudServiceRevoked, "not any more")
        backend.send(after: .at(1), through: .at(2), .restoreEnded(order, failure: failure))
        backend.send(after: .at(2), through: .at(3), .restoreEnded(order, failure: nil))
        let failed = Heard.restoreFailed(.storeKit(.cloudServiceRevoked))
        #expect(observer.history == [.updated("full.game", .restored), failed])
    }

    @Test func `B100: A restore whose end was lost with the connection fails rather than never ending`() {
        let clock = ManualClock()
        let (backend, observer, queue) = scripted(clock)
        queue.restoreCompletedTransactions()
        backend.answer(.taken)
        backend.loseConnection()
        clock.advance(by: 1)
        // The store no longer knows where the queue was, and begins anew.
        backend.sendNothingUnfinished(at: 10)
        #expect(observer.history == [.restoreFailed(.network(.networkConnectionLost))])
    }

    @Test(arguments: Conformer.allCases)
    func `B96, B49: A thousand come back in order, at most 256 in a callback`(conformer: Conformer) async throws {
        let products = (0..<1000).map { SandboxProduct.nonConsumable("level.\($0)", price: "0.99") }
        let world = try conformer.world(products: products)
        let buyer = Recorder.finishing()
        let shop = await world.observedQueue(buyer)
        for product in products { shop.add(SKPayment(productIdentifier: product.identifier)) }
        await shop.settle()
        shop.remove(buyer)
        let (queue, observer) = await world.observedQueue()
        await queue.restore()
        let expected: [Heard] = products.map { .updated($0.identifier, .restored) }
        #expect(observer.history == expected + [.restoreFinished])
        #expect(observer.callbacks.allSatisfy { $0.count <= 256 })
    }

    @Test(arguments: Conformer.allCases)
    func `B106: What can be restored and is bought again is bought for nothing`(conformer: Conformer) async throws {
        let totals = Locked<[Decimal]>([])
        let authorizer = Authorizer.noting { request in totals.withLock { $0.append(request.total) } }
        let world = try conformer.world(authorizer: authorizer)
        let observer = Recorder.finishing()
        let queue = await world.observedQueue(observer)
        let products = ["full.game", "sword", "lessons"]
        for product in products + products { await queue.buy(product) }
        #expect(observer.transactions.allSatisfy { $0.transactionState == .purchased && $0.original == nil })
        #expect(totals.withLock { $0 } == ["4.99", "0.99", "19.99", "0", "0.99", "19.99"].map { amount($0) })
    }
}
