import Foundation
import StoreCore
import Testing

@Suite struct AuthorizerTests {
    @Test(arguments: Conformer.allCases)
    func `B19, B116: A user who cancels makes it fail with payment cancelled`(conformer: Conformer) async throws {
        let (queue, observer) = try await conformer.world(authorizer: .always(.cancel)).observedQueue()
        await queue.buy("sword")
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .failed)])
        #expect(observer.transactions.first?.trouble == .storeKit(.paymentCancelled))
    }

    @Test(arguments: Conformer.allCases)
    func `B57, B116: What is declined fails as unknown, or with the reason given`(conformer: Conformer) async throws {
        let failure = StoreFailure.storeKit(.storeProductNotAvailable, "sword is not for knaves")
        let answers: [(Authorization, Trouble)] = [
            (.decline(), .storeKit(.unknown)),
            (.decline(failure), .storeKit(.storeProductNotAvailable)),
            (.decline(.network(.timedOut, "the bank sleeps")), .network(.timedOut)),
        ]
        for (answer, trouble) in answers {
            let (queue, observer) = try await conformer.world(authorizer: .always(answer)).observedQueue()
            await queue.buy("sword")
            let transaction = try #require(observer.transactions.first)
            #expect(transaction.transactionState == .failed && transaction.trouble == trouble)
            #expect(transaction.reason?.isEmpty == false)
        }
    }

    @Test(arguments: Conformer.allCases)
    func `B152: When somebody else is asked it is deferred until they decide`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.askToBuy))
        let (queue, observer) = await world.observedQueue()
        await queue.buy("full.game")
        #expect(observer.history == [.updated("full.game", .purchasing), .updated("full.game", .deferred)])
        let request = try #require(world.store.undecidedRequests.first)
        #expect(request.productIdentifier == "full.game" && request.total == amount("4.99"))
        try world.store.decide(request.transaction, as: .askToBuy)
        try world.store.decide(request.transaction, as: .later)
        await queue.settle()
        #expect(observer.history.count == 2)
        try world.store.decide(request.transaction, as: .approve)
        await queue.settle()
        #expect(observer.history.last == .updated("full.game", .purchased) && world.store.undecidedRequests.isEmpty)
        let decided = SandboxError(.notUndecided(request.transaction))
        #expect(throws: decided) { try world.store.decide(request.transaction, as: .cancel) }
    }

    @Test(arguments: Conformer.allCases)
    func `B146: A payment may ask a sandbox to defer it to somebody else`(conformer: Conformer) async throws {
        for authorizer in [Authorizer.approving, .always(.approve)] {
            let world = try conformer.world(authorizer: authorizer)
            let (queue, observer) = await world.observedQueue()
            let payment = SKMutablePayment(productIdentifier: "sword")
            payment.simulatesAskToBuyInSandbox = true
            queue.add(payment)
            await queue.settle()
            #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .deferred)])
            try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .decline())
            await queue.settle()
            #expect(observer.history.last == .updated("sword", .failed))
        }
    }

    @Test(arguments: Conformer.allCases)
    func `B19: What the store would refuse anyway, nobody is asked about`(conformer: Conformer) async throws {
        let asked = Locked(0)
        let authorizer = Authorizer.noting { _ in asked.withLock { $0 += 1 } }
        let (queue, observer) = try await conformer.world(authorizer: authorizer).observedQueue()
        queue.add(SKPayment(productIdentifier: "swrod"))
        queue.add(SKPayment(productIdentifier: "sword", quantity: 11))
        queue.add(SKPayment(productIdentifier: "full.game", quantity: 2))
        await queue.settle()
        #expect(asked.withLock { $0 } == 0)
        #expect(observer.transactions.map(\.trouble) == Array(repeating: .storeKit(.paymentInvalid), count: 3))
        #expect(Set(observer.transactions.map(\.reason)).count == 3)
    }

    @Test(arguments: Conformer.allCases) func `B144: One to ten are sold at once`(conformer: Conformer) async throws {
        let (queue, observer) = try await conformer.world().observedQueue()
        for quantity in [1, 2, 10, 11] { queue.add(SKPayment(productIdentifier: "sword", quantity: quantity)) }
        await queue.settle()
        #expect(observer.transactions.map(\.transactionState) == [.purchased, .purchased, .purchased, .failed])
        #expect(observer.transactions.map(\.payment.quantity) == [1, 2, 10, 11])
    }

    @Test(arguments: Conformer.allCases)
    func `B11, B12, B147: Request data is refused with a code of its own`(conformer: Conformer) async throws {
        let (queue, observer) = try await conformer.world().observedQueue()
        let payment = SKMutablePayment(productIdentifier: "sword")
        payment.requestData = Data([1])
        queue.add(payment)
        await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .failed)])
        #expect(observer.transactions.first?.trouble == .storeKit(.unauthorizedRequestData))
    }

    @Test(arguments: Conformer.allCases)
    func `B29, B116: Where none may pay, canMakePayments says so, and orders fail`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let context = StoreContext(backend: world.backend, delivery: .inline, log: .silent)
        let observer = Recorder()
        let queue = context.run { SKPaymentQueue.default() }
        queue.add(observer)
        #expect(context.run { SKPaymentQueue.canMakePayments() })
        try world.store.setPaymentsAllowed(false)
        #expect(!context.run { SKPaymentQueue.canMakePayments() })
        await queue.buy("sword")
        #expect(observer.transactions.first?.trouble == .storeKit(.paymentNotAllowed))
        try world.store.setPaymentsAllowed(true)
        #expect(context.run { SKPaymentQueue.canMakePayments() })
        await queue.buy("shield")
        #expect(observer.history.last == .updated("shield", .purchased))
    }

    @Test(arguments: Conformer.allCases)
    func `B106: Of two waiting orders of a product, only the first approved costs`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, observer) = await world.observedQueue()
        for _ in 1...2 { queue.add(SKPayment(productIdentifier: "full.game")) }
        await queue.settle()
        #expect(world.store.undecidedRequests.map(\.total) == [amount("4.99"), amount("4.99")])
        try world.store.decide(try #require(world.store.undecidedRequests.last).transaction, as: .approve)
        await queue.settle()
        #expect(world.store.undecidedRequests.map(\.total) == [0])
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        #expect(observer.transactions.map(\.transactionState) == [.purchased, .purchased])
        #expect(observer.transactions.allSatisfy { $0.original == nil })
    }

    @Test(arguments: Conformer.allCases)
    func `B106: Of two orders at once, declining one does not make the other free`(conformer: Conformer) async throws {
        let world = try conformer.world(authorizer: .always(.later))
        let (queue, observer) = await world.observedQueue()
        for _ in 1...2 { queue.add(SKPayment(productIdentifier: "full.game")) }
        await queue.settle()
        try world.store.decide(try #require(world.store.undecidedRequests.first).transaction, as: .cancel)
        await queue.settle()
        #expect(world.store.undecidedRequests.map(\.total) == [amount("4.99")])
        #expect(observer.transactions.map(\.transactionState) == [.failed, .purchasing])
    }

    @Test func `B19: The authorizer is asked once for each order, although the command may come twice`() async throws {
        let asked = Locked(0)
        let world = try Conformer.inProcess.world(authorizer: .noting { _ in asked.withLock { $0 += 1 } })
        let backend = SpoilingBackend(world.store)
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        backend.fate = .denyHavingTaken
        queue.add(SKPayment(productIdentifier: "sword"))
        await world.advance(by: 4)
        backend.fate = .pass
        await world.advance(by: 10)
        #expect(asked.withLock { $0 } == 1)
        #expect(observer.history == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(backend.submissions.count > 2)
    }

    @Test func `B152: Where a file says Ask to Buy somebody else is asked, unless an authorizer is given`() throws {
        let file = """
            {"version": {"major": 4}, "settings": {"_askToBuyEnabled": true}, "products": [
              {"productID": "sword", "type": "Consumable", "displayPrice": "0.99"}]}
            """
        let configuration = try StoreConfiguration(data: Data(file.utf8), name: "Ask.storekit")
        let asking = try SandboxStore(configuration)
        let receiver = UpdateRecorder()
        asking.connect(receiver, after: nil)
        #expect(asking.submit(receiver.commands(.buy("sword"))) == .taken)
        #expect(receiver.transactions == ["1 purchasing", "1 deferred"])
        let given = try SandboxStore(configuration, authorizer: .approving)
        let other = UpdateRecorder()
        given.connect(other, after: nil)
        #expect(given.submit(other.commands(.buy("sword"))) == .taken)
        #expect(other.transactions == ["1 purchased"])
    }

    @Test func `Sandbox errors name what is wrong`() throws {
        let store = try SandboxStore(products: World.products)
        let errors: [(SandboxError.Reason, String)] = [
            (.unknownStorefront("ZZZ"), "ZZZ"), (.unknownProduct("swrod"), "swrod"), (.notUndecided("7"), "7"),
        ]
        #expect(throws: SandboxError(errors[0].0)) { _ = try SandboxStore(storefront: "ZZZ") }
        #expect(throws: SandboxError(errors[1].0)) { try store.setAvailability(.withdrawn, of: "swrod") }
        #expect(throws: SandboxError(errors[2].0)) { try store.decide("7", as: .approve) }
        #expect(throws: SandboxError(.notUndecided("seven"))) { try store.decide("seven", as: .approve) }
        for (error, name) in errors { #expect(error.description.contains(name)) }
    }
}
