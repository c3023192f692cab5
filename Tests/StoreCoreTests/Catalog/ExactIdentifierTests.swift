import Foundation
import Testing

@testable import StoreCore

/// Identifiers that look the same and have different code units.
@Suite struct ExactIdentifierTests {
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    private func store(_ identifiers: [String]) throws -> SandboxStore {
        try SandboxStore(products: identifiers.map { .nonConsumable($0, price: "1", title: "\($0.utf8.count)") })
    }

    private func answer(_ identifier: String, of store: SandboxStore) -> SKProductsResponse? {
        let delegate = RequestRecorder()
        let request = SKProductsRequest(productIdentifiers: [identifier], backend: store, delivery: .inline)
        request.delegate = delegate
        request.start()
        return delegate.responses.first
    }

    @Test func `B14: Canonically equivalent identifiers name two products`() throws {
        #expect(composed == decomposed)
        let store = try store([composed, decomposed])
        #expect(answer(composed, of: store)?.products.map(\.localizedTitle) == ["5"])
        #expect(answer(decomposed, of: store)?.products.map(\.localizedTitle) == ["6"])
    }

    @Test func `B79: An identifier with other code units than a product's is invalid`() throws {
        let response = try #require(answer(decomposed, of: try store([composed])))
        #expect(response.products.isEmpty)
        #expect(response.invalidProductIdentifiers.map { Array($0.utf8) } == [Array(decomposed.utf8)])
    }

    @Test func `B14: What is bought and restored is the product whose code units were asked for`() throws {
        let store = try store([composed, decomposed])
        let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
        let observer = Recorder.finishing()
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: decomposed))
        queue.restoreCompletedTransactions()
        let bought = observer.transactions.map { Array($0.payment.productIdentifier.utf8) }
        #expect(bought == [Array(decomposed.utf8), Array(decomposed.utf8)])
        queue.add(SKPayment(productIdentifier: composed))
        #expect(observer.transactions.last.map { Array($0.payment.productIdentifier.utf8) } == Array(composed.utf8))
    }

    @Test func `An identifier with other code units than those on sale is refused`() throws {
        let observer = Recorder()
        let queue = SKPaymentQueue.observed(by: observer, on: try store([composed]))
        queue.add(SKPayment(productIdentifier: decomposed))
        #expect(observer.transactions.map(\.trouble) == [.storeKit(.paymentInvalid)])
        #expect(throws: SKError.self) { try queue.addThrowing(SKPayment(productIdentifier: decomposed)) }
    }

    @Test func `Payments and offers for canonically equivalent identifiers differ`() {
        #expect(SKPayment(productIdentifier: composed) != SKPayment(productIdentifier: decomposed))
        #expect(SKPayment(productIdentifier: composed) == SKPayment(productIdentifier: composed))
        #expect(SKPayment(productIdentifier: "") == SKPayment())
        let payments: Set<SKPayment> = [
            SKPayment(productIdentifier: composed), SKPayment(productIdentifier: decomposed),
        ]
        #expect(payments.count == 2)
    }

    @Test func `Promoted products are told apart by their code units`() throws {
        let store = try store([composed, decomposed])
        #expect(store.device.promotedProducts.map(\.utf8.count) == [5, 6])
        let single = try self.store([composed])
        #expect(throws: SandboxError.self) { try single.device.promote(decomposed) }
        try single.device.promote(composed)
    }

    @Test func `Catalogs that are encoded and decoded tell products apart by their code units`() throws {
        let before = try Catalog([.consumable(composed, price: "1"), .consumable(decomposed, price: "2")])
        var pack = BinaryEncoder()
        before.pack(into: &pack)
        var unpacking = BinaryDecoder(pack.data)
        let after = try Catalog(unpacking: &unpacking)
        #expect(after.index(of: composed) == 0)
        #expect(after.index(of: decomposed) == 1)
    }
}
