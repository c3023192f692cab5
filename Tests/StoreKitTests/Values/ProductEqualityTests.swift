import StoreCore
import StoreKit
import Testing

@Suite struct ProductEqualityTests {
    @Test func `Products are equal if their JSON is, storefront included`() async throws {
        let shop = try Shop(.inline)
        let load = { try #require(await shop.run { try await Product.products(for: ["coins"]) }.first) }
        let (first, again) = (try await load(), try await load())
        #expect(first == again)
        #expect(first.jsonRepresentation == again.jsonRepresentation)
        try shop.store.setStorefront("CAN")
        let other = try await load()
        #expect(first != other)
        #expect(first.jsonRepresentation != other.jsonRepresentation)
    }
}
