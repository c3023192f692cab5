// The first example of README.md, compiled and run.
import StoreCore
import StoreKit
import Testing

@Test func `A sword is bought`() async throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    try await StoreContext(backend: store, delivery: .inline).run {
        let sword = try #require(try await Product.products(for: ["sword"]).first)
        guard case .success(let result) = try await sword.purchase() else {
            Issue.record("It was not bought.")
            return
        }
        let transaction = try result.payloadValue
        #expect(transaction.productID == "sword")
        await transaction.finish()
    }
}
