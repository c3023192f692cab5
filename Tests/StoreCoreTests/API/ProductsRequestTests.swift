import Dispatch
import Foundation
import StoreCore
import Testing

@Suite struct ProductsRequestTests {
    private func request(
        _ identifiers: Set<String>,
        _ world: World,
        _ delegate: RequestRecorder,
        delivery: StoreDelivery = .inline
    ) -> SKProductsRequest {
        let request = SKProductsRequest(productIdentifiers: identifiers, backend: world.backend, delivery: delivery)
        request.delegate = delegate
        return request
    }

    @Test(arguments: Conformer.allCases)
    func `B74, B76, B87, B88, B91: Started with a delegate, a request answers and then finishes`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let delegate = RequestRecorder()
        let request = request(["sword", "shield"], world, delegate)
        #expect(delegate.history.isEmpty)
        request.start()
        await world.store.settle()
        #expect(delegate.history == [.response(["shield", "sword"], invalid: []), .finished])
        #expect(Set(delegate.requests) == [ObjectIdentifier(request)])
    }

    @Test(arguments: Conformer.allCases)
    func `B78, B79: The response has a product for each valid identifier and lists the others`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let delegate = RequestRecorder()
        request(["sword", "swrod", "full.game", "", "SWORD"], world, delegate).start()
        await world.store.settle()
        #expect(delegate.history == [.response(["full.game", "sword"], invalid: ["", "SWORD", "swrod"]), .finished])
    }

    @Test(arguments: Conformer.allCases)
    func `B79: Invalid identifiers are normally none, and a request for nothing is answered with nothing`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        for identifiers: Set<String> in [[], Set(World.products.map(\.identifier))] {
            let delegate = RequestRecorder()
            request(identifiers, world, delegate).start()
            await world.store.settle()
            #expect(delegate.history == [.response(identifiers.sorted(), invalid: []), .finished])
        }
    }

    @Test(arguments: Conformer.allCases)
    func `B80: An identifier is invalid if misspelt, withdrawn or not yet known everywhere`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let spread = world.clock.now.addingTimeInterval(3600)
        try world.store.setAvailability(.withdrawn, of: "sword")
        try world.store.setAvailability(.notYetPropagated(until: spread), of: "shield")
        let before = RequestRecorder()
        request(["sword", "shield", "spaer", "spear"], world, before).start()
        await world.store.settle()
        #expect(before.history == [.response(["spear"], invalid: ["shield", "spaer", "sword"]), .finished])
        await world.advance(by: 3600)
        try world.store.setAvailability(.onSale, of: "sword")
        let after = RequestRecorder()
        request(["sword", "shield", "spaer", "spear"], world, after).start()
        await world.store.settle()
        #expect(after.history == [.response(["shield", "spear", "sword"], invalid: ["spaer"]), .finished])
    }

    @Test func `B80: The store says why an identifier is invalid, each in a sentence of its own`() throws {
        let world = try Conformer.inProcess.world()
        try world.store.setAvailability(.withdrawn, of: "sword")
        let later = world.clock.now.addingTimeInterval(60)
        try world.store.setAvailability(.notYetPropagated(until: later), of: "shield")
        let reasons = ["sword", "shield", "spaer"].map { world.store.reasonForInvalidity(of: $0) }
        #expect(Set(reasons).count == 3)
        #expect(reasons.allSatisfy { $0?.isEmpty == false })
        #expect(world.store.reasonForInvalidity(of: "spear") == nil)
        #expect(throws: SandboxError(.unknownProduct("spaer"))) {
            try world.store.setAvailability(.onSale, of: "spaer")
        }
    }

    @Test(arguments: Conformer.allCases)
    func `B75, B81, B83: A product has texts, the exact price, its locale and its identifier`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        let delegate = RequestRecorder()
        request(["full.game"], world, delegate).start()
        await world.store.settle()
        let product = try #require(delegate.responses.first?.products.first)
        #expect(product.productIdentifier == "full.game")
        #expect(product.localizedTitle == "Full game")
        #expect(product.localizedDescription == "Every level, for good.")
        #expect(product.price == NSDecimalNumber(string: "4.99"))
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = product.priceLocale
        #expect(formatter.string(from: product.price) == "$4.99")
    }

    @Test(arguments: Conformer.allCases)
    func `B82: Products are described in the language of the device`(conformer: Conformer) async throws {
        let products: [SandboxProduct] = [
            .consumable("sword", price: "0.99", title: "Sword").localized("de_DE", title: "Schwert")
        ]
        let world = try conformer.world(products: products)
        world.store.locale = "de_AT"
        let delegate = RequestRecorder()
        request(["sword"], world, delegate).start()
        await world.store.settle()
        #expect(delegate.responses.first?.products.first?.localizedTitle == "Schwert")
    }

    @Test(arguments: Conformer.allCases)
    func `B90, B196: A store out of reach fails the request with a URLError, and nothing follows`(
        conformer: Conformer
    ) async throws {
        let world = try conformer.world()
        world.store.isReachable = false
        let delegate = RequestRecorder()
        request(["sword"], world, delegate).start()
        await world.store.settle()
        #expect(delegate.history == [.failed(.network(.notConnectedToInternet))])
        let error = try #require(delegate.errors.first as? URLError)
        #expect((error.userInfo[StoreFailure.reasonKey] as? String)?.isEmpty == false)
    }

    @Test func `B77: The response does not arrive inside start, by default`() async throws {
        let world = try Conformer.inProcess.world()
        let delegate = RequestRecorder()
        let deliveries = DispatchQueue(label: "deliveries")
        let request = request(["sword"], world, delegate, delivery: .queue(deliveries))
        deliveries.sync {
            request.start()
            #expect(delegate.history.isEmpty)
        }
        await world.store.settle()
        #expect(delegate.history == [.response(["sword"], invalid: []), .finished])
    }

    @Test(arguments: Conformer.allCases)
    func `B77: By default the delegate is called on the main queue`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        let isThere = Locked<[Bool]>([])
        let delegate = RequestRecorder(
            onResponse: { _ in isThere.withLock { $0.append(DispatchQueue.getSpecific(key: key) == true) } },
            onEnd: { _ in isThere.withLock { $0.append(DispatchQueue.getSpecific(key: key) == true) } }
        )
        let request = SKProductsRequest(productIdentifiers: ["sword"], backend: world.backend)
        request.delegate = delegate
        request.start()
        await world.store.settle()
        #expect(isThere.withLock { $0 } == [true, true])
    }

    @Test(arguments: Conformer.allCases)
    func `B24, B84: A payment made from a product that was received is sold`(conformer: Conformer) async throws {
        let world = try conformer.world()
        let delegate = RequestRecorder()
        request(["shield"], world, delegate).start()
        await world.store.settle()
        let product = try #require(delegate.responses.first?.products.first)
        let (queue, observer) = await world.observedQueue()
        queue.add(SKPayment(product: product))
        await queue.settle()
        #expect(observer.history.last == .updated("shield", .purchased))
    }

    @Test(arguments: Conformer.allCases)
    func `A client's subclass of a request inherits the initializer that takes a store`(
        conformer: Conformer
    ) async throws {
        final class Marked: SKProductsRequest {
            let mark: Int
            override init() {
                mark = 1
                super.init()
            }
            override init(productIdentifiers: Set<String>) {
                mark = productIdentifiers.count
                super.init(productIdentifiers: productIdentifiers)
            }
        }
        let world = try conformer.world()
        let delegate = RequestRecorder()
        let request = Marked(productIdentifiers: ["sword", "shield"], backend: world.backend, delivery: .inline)
        request.delegate = delegate
        request.start()
        await world.store.settle()
        #expect(request.mark == 2)
        #expect(delegate.history == [.response(["shield", "sword"], invalid: []), .finished])
    }
}
