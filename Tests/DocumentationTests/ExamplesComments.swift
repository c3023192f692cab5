// The code that doc comments show, compiled and run.
import Foundation
import StoreCore
import Testing

private struct MyStore: AsyncStoreBackend {
    func submit(_ commands: [StoreCommand]) async throws {}
    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        feed.send(UpdateBatch(after: nil, through: UpdateCursor(position: 0), updates: []))
    }
    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer { ProductsAnswer(products: []) }
}

@Test func `An asynchronous store is wrapped in one line`() {
    let queue = SKPaymentQueue(backend: MyStore().asStoreBackend())
    #expect(queue.transactions.isEmpty)
}

@Test func `A context has a queue of its own`() throws {
    let store = try SandboxStore()
    let queue =
        StoreContext(backend: store).run {
            SKPaymentQueue.default()  // this context's own queue
        }
    #expect(queue !== SKPaymentQueue.default())
}

@Test func `A sandbox store is made in two lines`() throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    #expect(queue.transactions.isEmpty)
}

@Test func `A product from a text of the app's own is described or refused`() throws {
    let text = "0.99"
    let sword: SandboxProduct = try .makeThrowing { .consumable("sword", price: text) }
    #expect(sword.price == Decimal(string: "0.99"))
}

@Test func `A device is a backend`() throws {
    let store = try SandboxStore()
    let alice = try store.addAccount("alice")
    let tablet = try store.addDevice("tablet", signedInTo: alice)
    let queue = SKPaymentQueue(backend: tablet)
    #expect(queue.transactions.isEmpty)
}

@Test func `Products of three kinds can be sold`() throws {
    let products: [SandboxProduct] = [
        .consumable("coins.100", price: "0.99", title: "100 coins"),
        .nonConsumable("full.game", price: "4.99", title: "Full game", description: "Every level, for good."),
        .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro", title: "Pro"),
    ]
    #expect(throws: Never.self) { try SandboxStore(products: products) }
}

@Test func `A .storekit file is read into products`() throws {
    let url = Document.root.appendingPathComponent(
        "Sources/sandbox-store/Resources/flutter__packages__Configuration_2.storekit"
    )
    let configuration = try StoreConfiguration(contentsOf: url)
    for product in configuration.products { print(product.identifier, product.price) }
}

private func buy(_ productIdentifier: String) async throws { throw SKError(.paymentCancelled) }

@Test func `An error is caught by its code`() async throws {
    do {
        try await buy("coins.100")
    } catch SKError.paymentCancelled {
        // nothing to say
    } catch let error as SKError {
        print(error.code, error.localizedDescription)
    }
}
