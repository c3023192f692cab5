// The code of the article "Promoted purchases" for Store Kit 2, compiled and run.
import StoreCore
import StoreKit
import Testing

@Test func `An app of Store Kit 2 chooses what the store's page shows`() async throws {
    let store = try SandboxStore(products: [
        .consumable("sword", price: "0.99"), .consumable("shield", price: "1.99"),
        .nonConsumable("full.game", price: "4.99"),
    ])
    try await StoreContext(backend: store).run { try await choosePromotions(in: store) }
}

private func choosePromotions(in store: SandboxStore) async throws {
    try await Product.PromotionInfo.updateProductOrder(byID: ["full.game", "shield"])
    #expect(store.device.promotedProducts == ["full.game", "shield"])

    var promotions = try await Product.PromotionInfo.currentOrder
    promotions[0].visibility = .hidden
    try await Product.PromotionInfo.updateAll(promotions)
    #expect(store.device.promotedProducts == ["shield"])

    try await Product.PromotionInfo.updateProductOrder(byID: [])
    #expect(store.device.promotedProducts == ["sword", "shield", "full.game"])
}

@Test func `A purchase that is begun on the store's page is an intent`() async throws {
    let store = try SandboxStore(products: [.nonConsumable("full.game", price: "4.99")])
    try await StoreContext(backend: store, delivery: .inline).run {
        var intents = PurchaseIntent.intents.makeAsyncIterator()
        try store.device.promote("full.game")
        let intent = try #require(await intents.next())
        #expect(intent.id == "full.game")
        guard case .success(let result) = try await intent.product.purchase() else {
            Issue.record("it was not bought")
            return
        }
        await result.unsafePayloadValue.finish()
        #expect(store.account.entitlements.map(\.productIdentifier) == ["full.game"])
    }
}
