import StoreCore
import StoreKit
import Testing

@Suite struct ProductTests {
    @Test func `Products are equal if their JSON is, storefront included`() async throws {
        let shop = try Shop(.inline)
        let load = { try #require(await shop.run { try await Product.products(for: ["coins"]) }.first) }
        let (first, again) = (try await load(), try await load())
        #expect(first == again && first.jsonRepresentation == again.jsonRepresentation)
        try shop.store.setStorefront("CAN")
        let other = try await load()
        #expect(first != other && first.jsonRepresentation != other.jsonRepresentation)
    }

    @Test func `A product has one of four types, and a free subscription is a non-consumable`() async throws {
        let shop = try Shop(.inline, selling: Shop.products + [.freeSubscription("news", title: "News")])
        let identifiers = ["coins", "sword", "season", "gold", "news"]
        let types = try await shop.run { try await Product.products(for: identifiers).map(\.type) }
        #expect(types == [.consumable, .nonConsumable, .nonRenewable, .autoRenewable, .nonConsumable])
    }

    @Test func `Identifiers of other code units are other products`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let shop =
            try Shop(.inline, selling: [.consumable(composed, price: "1"), .nonConsumable(decomposed, price: "2")])
        try await shop.run {
            let products = try await Product.products(for: [composed, decomposed, composed, "none", decomposed])
            #expect(products.map(\.price) == [1, 2])
            #expect(products.map { Array($0.id.utf8) } == [composed, decomposed].map { Array($0.utf8) })
            #expect(try await Product.products(for: [decomposed]).map(\.price) == [2])
        }
        let bought = try await shop.bought(decomposed)
        #expect(bought.price == 2 && bought.productType == .nonConsumable)
    }
}
