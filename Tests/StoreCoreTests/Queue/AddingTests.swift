import Dispatch
import StoreCore
import Testing

@Suite struct AddingTests {
    @Test(arguments: Conformer.allCases)
    func `B17, B50, B55: A payment that is added is seen purchasing, then purchased`(conformer: Conformer) async throws
    {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        await queue.buy("sword")
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(observer.transactions.count == 1)
    }

    @Test(arguments: Conformer.allCases)
    func `B15: Changing a mutable payment after it was added does not touch what was added`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, observer) = await world.observedQueue()
        let payment = SKMutablePayment(productIdentifier: "sword")
        payment.quantity = 2
        payment.applicationUsername = "somebody"
        queue.add(payment)
        payment.productIdentifier = "shield"
        payment.quantity = 9
        payment.applicationUsername = "somebody else"
        await queue.settle()
        let transaction = try #require(observer.transactions.first)
        let expected = SKMutablePayment(productIdentifier: "sword")
        expected.quantity = 2
        expected.applicationUsername = "somebody"
        #expect(transaction.payment == expected)
        #expect(!(transaction.payment is SKMutablePayment))
        let request = try #require(world.store.undecidedRequests.first)
        #expect(request.productIdentifier == "sword")
        #expect(request.quantity == 2)
    }

    @Test(arguments: Conformer.allCases)
    func `B21: The transaction's payment is a copy of the one that was added`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        let payment = SKMutablePayment(productIdentifier: "shield")
        payment.quantity = 3
        queue.add(payment)
        await queue.settle()
        let transaction = try #require(observer.transactions.first)
        #expect(transaction.payment == payment)
        #expect(transaction.payment === transaction.payment)
        #expect(transaction.payment !== payment)
    }

    @Test(arguments: Conformer.allCases)
    func `B18: One payment added twice is two requests, each with a transaction of its own`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        let payment = SKPayment(productIdentifier: "sword")
        queue.add(payment)
        queue.add(payment)
        await queue.settle()
        #expect(observer.transactions.count == 2)
        #expect(Set(observer.transactions.map(\.transactionIdentifier)).count == 2)
        #expect(observer.transactions.map(\.transactionState) == [.purchased, .purchased])
        #expect(observer.history.count == 4)
    }

    @Test(arguments: Conformer.allCases)
    func `B18: Two adds of one payment are both charged, where it is used up`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let queue = await world.observedQueue(Recorder())
        let payment = SKPayment(productIdentifier: "sword")
        let observer = Recorder()
        queue.add(observer)
        queue.add(payment)
        queue.add(payment)
        await queue.settle()
        let requests = world.store.undecidedRequests
        #expect(requests.map(\.total) == [amount("0.99"), amount("0.99")])
        for request in requests { try world.store.decide(request.transaction, as: .approve) }
        await queue.settle()
        #expect(try world.store.account.totalCharged == amount("1.98"))
    }

    @Test(arguments: Conformer.allCases)
    func `B22, B37: A payment added without an observer waits for one`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let queue = world.queue()
        await queue.buy("sword")
        #expect(world.store.undecidedRequests.isEmpty)
        let observer = Recorder()
        queue.add(observer)
        await queue.settle()
        #expect(world.store.undecidedRequests.map(\.productIdentifier) == ["sword"])
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B25, B31: Several payments are outstanding at once, oldest first`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, observer) = await world.observedQueue()
        for product in ["sword", "shield", "spear"] { queue.add(SKPayment(productIdentifier: product)) }
        await queue.settle()
        #expect(queue.transactions.map(\.payment.productIdentifier) == ["sword", "shield", "spear"])
        #expect(queue.transactions.allSatisfy { $0.transactionState == .purchasing })
        let shield = try #require(world.store.undecidedRequests.first { $0.productIdentifier == "shield" })
        try world.store.decide(shield.transaction, as: .approve)
        await queue.settle()
        #expect(queue.transactions.map(\.transactionState) == [.purchasing, .purchased, .purchasing])
        #expect(observer.history(of: "sword") == [.updated("sword", .purchasing)])
        #expect(observer.history(of: "shield") == [.updated("shield", .purchasing), .updated("shield", .purchased)])
    }

    @Test(arguments: Conformer.allCases)
    func `B16: An unknown identifier is a failed transaction that says so`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        await queue.buy("swrod")
        #expect(observer.history == [.updated("swrod", .purchasing), .updated("swrod", .failed)])
        let transaction = try #require(observer.transactions.first)
        #expect(transaction.trouble == .storeKit(.paymentInvalid))
        #expect(transaction.reason?.contains("swrod") == true)
    }

    @Test func `B16: The throwing form refuses what the store does not sell, and adds nothing`() async throws {
        let world = try Conformer.inProcess.world()
        let (queue, observer) = await world.observedQueue()
        let error = #expect(throws: SKError.self) {
            try queue.addThrowing(SKPayment(productIdentifier: "swrod"))
        }
        #expect(error?.code == .paymentInvalid)
        #expect((error?.userInfo[StoreFailure.reasonKey] as? String)?.contains("swrod") == true)
        #expect(queue.transactions.isEmpty)
        #expect(observer.history.isEmpty)
    }

    @Test func `B16: Where the store cannot tell at once, the throwing form leaves an identifier to it`() async throws {
        let world = try Conformer.onTasks.world()
        let (queue, observer) = await world.observedQueue()
        try queue.addThrowing(SKPayment(productIdentifier: "swrod"))
        await queue.settle()
        #expect(observer.history == [.updated("swrod", .purchasing), .updated("swrod", .failed)])
    }

    @Test(arguments: Conformer.allCases)
    func `B13, B16: The throwing form refuses a quantity below 1 and an empty identifier`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let queue = await world.observedQueue(Recorder())
        let swords = [0, -1].map { SKPayment(productIdentifier: "sword", quantity: $0) }
        for payment in [SKPayment(productIdentifier: "")] + swords {
            let error = #expect(throws: SKError.self) { try queue.addThrowing(payment) }
            #expect(error?.code == .paymentInvalid)
        }
        #expect(queue.transactions.isEmpty)
    }

    @Test(arguments: Conformer.allCases)
    func `B16: The throwing form adds what is in order`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let (queue, observer) = await world.observedQueue()
        try queue.addThrowing(SKPayment(productIdentifier: "sword", quantity: 10))
        await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(observer.transactions.first?.payment.quantity == 10)
    }

    @Test(arguments: Conformer.allCases)
    func `B19: Adding asks whoever authorizes, with the product, the quantity and the total`(
        conformer: Conformer
    ) async throws {
        let asked = Locked<[AuthorizationRequest]>([])
        let authorizer = Authorizer { request in
            asked.withLock { $0.append(request) }
            return .approve
        }
        let world = try conformer.world(authorizer: authorizer)
        let queue = await world.observedQueue(Recorder())
        let observer = Recorder()
        queue.add(observer)
        let payment = SKMutablePayment(productIdentifier: "shield")
        payment.quantity = 3
        payment.applicationUsername = "somebody"
        queue.add(payment)
        await queue.settle()
        let requests = asked.withLock { $0 }
        #expect(requests.map(\.productIdentifier) == ["shield"])
        #expect(requests.map(\.quantity) == [3])
        #expect(requests.map(\.total) == [amount("5.97")])
        #expect(requests.map(\.applicationUsername) == ["somebody"])
        #expect(requests.map(\.transaction) == observer.transactions.map(\.transactionIdentifier))
    }

    @Test func `B156: By default no callback runs inside the call that led to it`() async throws {
        let world = try Conformer.inProcess.world()
        let observer = Recorder()
        let deliveries = DispatchQueue(label: "deliveries")
        let queue = await world.observedQueue(observer, delivery: .queue(deliveries))
        deliveries.sync {
            queue.add(SKPayment(productIdentifier: "sword"))
            #expect(observer.history.isEmpty)
        }
        await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
    }
}
