import Foundation
import StoreCore
import Testing

/// What a store tells that is no transaction.
@Suite struct StoreNewsTests {
    private let backend = ScriptedBackend()

    private func queue(_ observer: Recorder) -> SKPaymentQueue {
        let queue = SKPaymentQueue.observed(by: observer, on: backend)
        backend.sendNothingUnfinished()
        return queue
    }

    @Test func `B176: A revocation is told to all observers, and acknowledged once it has been`() {
        let observers = [Recorder(), Recorder()]
        let queue = queue(observers[0])
        queue.add(observers[1])
        #expect(backend.acknowledged.isEmpty)
        backend.send(after: .at(0), through: .at(1), .revoked(productIdentifiers: ["full.game", "pro.monthly"]))
        for observer in observers { #expect(observer.history == [.revoked(["full.game", "pro.monthly"])]) }
        #expect(backend.acknowledged == [.at(1)])
    }

    @Test func `B176: A revocation that nobody was told of is not acknowledged, and asked for again`() async {
        let gone = Signal()
        let queue: SKPaymentQueue
        do {
            let observer = Recorder(gone: gone)
            queue = self.queue(observer)
        }
        await gone.wait()
        backend.send(after: .at(0), through: .at(1), .revoked(productIdentifiers: ["full.game"]))
        #expect(backend.acknowledged.isEmpty)
        let next = Recorder()
        queue.add(next)
        // Nobody took the revocation in: the store sends it again after the cursor of what was.
        #expect(backend.connections.map(\.cursor) == [nil, .at(0)])
        backend.send(after: .at(0), through: .at(1), .revoked(productIdentifiers: ["full.game"]))
        #expect(next.history == [.revoked(["full.game"])])
        #expect(backend.acknowledged == [.at(1)])
    }

    @Test func `B176: A revocation that comes just after its observer left is asked for again`() {
        let box = Locked<Recorder?>(nil)
        let observer = Recorder(onUpdate: { queue, _ in
            if let observer = box.withLock({ $0 }) { queue.remove(observer) }
        })
        box.withLock { $0 = observer }
        let queue = queue(observer)
        backend.send(
            after: .at(0),
            through: .at(1),
            .transaction("a", .purchased),
            .revoked(productIdentifiers: ["full.game"])
        )
        #expect(observer.history == [.updated("sword", .purchased)])
        #expect(backend.acknowledged.isEmpty)
        let next = Recorder()
        queue.add(next)
        #expect(backend.connections.last?.cursor == nil)
        box.withLock { $0 = nil }
    }

    @Test func `B169: Observers are told when the storefront changes`() {
        let observer = Recorder()
        let queue = queue(observer)
        backend.send(
            after: .at(0),
            through: .at(1),
            .storefront(StoreStorefront(countryCode: "DEU", identifier: "143443"))
        )
        #expect(observer.history == [.storefrontChanged])
        #expect(queue.transactions.isEmpty)
    }

    @Test(arguments: [true, false])
    func `B173: A purchase begun in the store goes on if an observer says so, and is dropped otherwise`(goesOn: Bool) {
        let payments = Locked<[String]>([])
        let observer = Recorder(onPromotion: { payment, product in
            payments.withLock { $0 += [payment.productIdentifier, product.productIdentifier] }
            return goesOn
        })
        let queue = queue(observer)
        let product = StoreProduct(
            identifier: "sword",
            localizedTitle: "Sword",
            localizedDescription: "",
            price: 1,
            priceLocaleIdentifier: "en_US"
        )
        backend.send(
            after: .at(0),
            through: .at(1),
            .promoted(StorePayment(productIdentifier: "sword"), product: product)
        )
        #expect(payments.withLock { $0 } == ["sword", "sword"])
        #expect(backend.submissions.flatMap(\.commands).count == (goesOn ? 1 : 0))
        #expect(queue.transactions.count == (goesOn ? 1 : 0))
        #expect(backend.acknowledged == [.at(1)])
    }

    @Test func `B198: A renewal that nobody asked for arrives as a new transaction`() {
        let observer = Recorder.finishing()
        let queue = queue(observer)
        backend.send(after: .at(0), through: .at(1), .transaction("7", .purchased, of: "pro.monthly"))
        #expect(observer.history == [.updated("pro.monthly", .purchased), .removed("pro.monthly")])
        #expect(observer.transactions.first?.transactionIdentifier == "7")
        #expect(queue.transactions.isEmpty)
    }

    @Test func `B198: A renewal that comes while a payment is on its way disturbs neither`() {
        let observer = Recorder()
        let queue = queue(observer)
        backend.onSubmit { [backend] _ in
            backend.send(after: .at(0), through: .at(1), .transaction("7", .purchased, of: "pro.monthly"))
        }
        queue.add(SKPayment(productIdentifier: "sword"))
        backend.answer(.taken)
        #expect(observer.history(of: "pro.monthly") == [.updated("pro.monthly", .purchased)])
        #expect(observer.history(of: "sword") == [.updated("sword", .purchasing)])
        #expect(queue.transactions.map(\.payment.productIdentifier) == ["sword", "pro.monthly"])
    }
}
