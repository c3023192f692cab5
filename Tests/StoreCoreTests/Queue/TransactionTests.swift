import Dispatch
import Foundation
import StoreCore
import Testing

@Suite struct TransactionTests {
    @Test(arguments: Conformer.allCases)
    func `B56, B58, B60, B62, B64: A purchasing transaction has nothing but its payment`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, observer) = await world.observedQueue()
        await queue.buy("sword")
        let transaction = try #require(observer.transactions.first)
        #expect(transaction.payment.productIdentifier == "sword")
        #expect(transaction.hasNoDetails)
    }

    @Test(arguments: Conformer.allCases)
    func `B60, B62, B152: A deferred transaction has nothing but its payment`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.askToBuy))
        let (queue, observer) = await world.observedQueue()
        await queue.buy("sword")
        let transaction = try #require(observer.transactions.first)
        #expect(transaction.transactionState == .deferred)
        #expect(transaction.hasNoDetails)
    }

    @Test(arguments: Conformer.allCases)
    func `B61, B67: A purchased transaction gains an identifier, and the date on which it joined the store`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, observer) = await world.observedQueue()
        await world.advance(by: 100)
        let joined = world.clock.now
        await queue.buy("sword")
        await world.advance(by: 3600)
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        let transaction = try #require(observer.transactions.first)
        #expect(transaction.transactionState == .purchased)
        #expect(transaction.transactionDate == joined)
        #expect(transaction.transactionIdentifier?.isEmpty == false)
        #expect(transaction.error == nil)
        #expect(transaction.original == nil)
    }

    @Test(arguments: Conformer.allCases)
    func `B63: Identifiers are unique, whatever queue and launch the payment came from`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        var identifiers: [String] = []
        for _ in 1...3 {
            let observer = Recorder.finishing()
            let queue = await world.observedQueue(observer)
            for _ in 1...5 { queue.add(SKPayment(productIdentifier: "full.game")) }
            await queue.settle()
            await queue.restore()
            identifiers += observer.transactions.compactMap(\.transactionIdentifier)
        }
        #expect(identifiers.count == 45)
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test(arguments: Conformer.allCases)
    func `B57, B58, B60, B62: A failed transaction has an error that names the cause, and nothing else`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.cancel))
        let (queue, observer) = await world.observedQueue()
        await queue.buy("sword")
        let transaction = try #require(observer.transactions.first)
        #expect(transaction.transactionState == .failed)
        #expect(transaction.trouble == .storeKit(.paymentCancelled))
        #expect(transaction.reason?.contains("sword") == true)
        #expect(transaction.transactionIdentifier == nil)
        #expect(transaction.transactionDate == nil)
        #expect(transaction.transactionReceipt == nil)
        #expect(transaction.original == nil)
    }

    @Test(arguments: Conformer.allCases)
    func `B59, B97: A restored transaction has details of its own and the original beside them`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let buyer = Recorder.finishing()
        let queue = await world.observedQueue(buyer)
        await queue.buy("full.game")
        let bought = try #require(buyer.transactions.first)
        await world.advance(by: 1000)
        await queue.restore()
        let restored = try #require(buyer.transactions.last)
        let original = try #require(restored.original)
        #expect(restored.transactionState == .restored)
        #expect(restored.transactionIdentifier != bought.transactionIdentifier)
        #expect(restored.transactionDate == world.clock.now)
        #expect(restored.payment == bought.payment)
        #expect(restored.error == nil)
        #expect(original === restored.original)
        #expect(original.transactionState == .purchased)
        #expect(original.transactionIdentifier == bought.transactionIdentifier)
        #expect(original.transactionDate == bought.transactionDate)
        #expect(original.payment == bought.payment)
        #expect(original.original == nil)
    }

    @Test func `B68: Details change only just before the callback that says so`() async throws {
        let world = try Conformer.inProcess.world(authorizer: .always(.later))
        let deliveries = DispatchQueue(label: "deliveries")
        let observer = Recorder()
        let queue = await world.observedQueue(observer, delivery: .queue(deliveries))
        await queue.buy("sword")
        deliveries.suspend()
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        let transaction = try #require(queue.transactions.first)
        #expect(transaction.transactionState == .purchasing)
        #expect(transaction.hasNoDetails)
        deliveries.resume()
        await queue.settle()
        #expect(transaction.transactionState == .purchased)
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B152, B153: A deferred transaction is later purchased or failed, one callback each`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.askToBuy))
        let (queue, observer) = await world.observedQueue()
        for product in ["sword", "shield"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        for (request, answer) in zip(world.store.undecidedRequests.reversed(), [Authorization.approve, .decline()]) {
            try world.store.decide(request.transaction, as: answer)
            await queue.settle()
        }
        #expect(
            observer.history(of: "shield")
                == [.updated("shield", .purchasing), .updated("shield", .deferred), .updated("shield", .purchased)]
        )
        #expect(
            observer.history(of: "sword")
                == [.updated("sword", .purchasing), .updated("sword", .deferred), .updated("sword", .failed)]
        )
    }

    @Test func `B152, B153: A deferral and its outcome are two callbacks even where they are delivered together`()
        async throws
    {
        let world = try Conformer.inProcess.world(authorizer: .always(.askToBuy))
        let deliveries = DispatchQueue(label: "deliveries")
        let observer = Recorder()
        let queue = await world.observedQueue(observer, delivery: .queue(deliveries))
        deliveries.suspend()
        queue.add(SKPayment(productIdentifier: "sword"))
        queue.add(SKPayment(productIdentifier: "shield"))
        for request in world.store.undecidedRequests { try world.store.decide(request.transaction, as: .approve) }
        deliveries.resume()
        await queue.settle()
        for product in ["sword", "shield"] {
            #expect(
                observer.history(of: product)
                    == [.updated(product, .purchasing), .updated(product, .deferred), .updated(product, .purchased)]
            )
        }
    }
}

extension SKPaymentTransaction {
    fileprivate var hasNoDetails: Bool {
        error == nil && original == nil && transactionDate == nil && transactionIdentifier == nil
            && transactionReceipt == nil && downloads.isEmpty
    }
}
