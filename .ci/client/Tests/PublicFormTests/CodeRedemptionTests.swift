import CrossStore
import StoreCore
import Testing

@Suite struct CodeRedemptionTests {
    private let till: Till
    private let shop: CrossStore

    init() throws {
        till = try Till()
        shop = till.context.run { CrossStore() }
    }

    @Test func `A code that the user types is a purchase of the library's, and a closed sheet its error`()
        async throws
    {
        till.store.codeEntry = .cancel
        await #expect(throws: PurchaseError(.userCancelled)) {
            let _: Purchase = try await till.run { try await shop.redeemCode() }
        }
        till.store.codeEntry = .redeem(code: "FRIENDS")
        let purchase: Purchase = try await till.run { try await shop.redeemCode() }
        #expect(purchase.productID == "gold" && purchase.offer?.id == "FRIENDS")
        #expect(try till.store.device.unfinished.isEmpty)
    }
}
