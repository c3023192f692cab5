import ObservableShop
import Observation
import StoreCore
import StoreKit
import Testing

@MainActor @Suite struct ObservableShopTests {
    private func open(_ shop: Shop) async -> ShopModel {
        let model = ShopModel(subscriptionGroup: "passes")
        await model.open(["pass", "map", "coins"])
        await wait { model.isLive }
        return model
    }

    /// Waits until the model shows something.
    private func wait(_ condition: @MainActor () -> Bool) async {
        let (changes, teller) = AsyncStream<Void>.makeStream()
        var iterator = changes.makeAsyncIterator()
        while !withObservationTracking(condition, onChange: { teller.yield() }) { await iterator.next() }
    }

    @Test func `Products are sorted, and what is bought is shown`() async throws {
        let shop = try Shop()
        await shop.run {
            let model = await open(shop)
            #expect(model.products.map(\.id) == ["coins", "pass", "map"])
            #expect(model.products.first?.displayPrice == "$0.99")
            await model.buy("map")
            #expect(model.purchased == ["map"])
            shop.store.authorizer = .always(.cancel)
            await model.buy("pass")
            #expect(model.purchased == ["map"])
            #expect(model.message == nil)
        }
    }

    @Test func `A subscription is shown until it is over`() async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            let model = await open(shop)
            await model.buy("pass")
            #expect(model.subscription == .subscribed)
            try shop.store.account.setAutoRenew(false, inGroup: "passes")
            shop.store.advance(by: 40 * 86_400)
            await wait { model.subscription == .expired }
            #expect(model.purchased.isEmpty)
        }
    }

    @Test func `A parent's approval is awaited, and a refund is shown`() async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            let model = await open(shop)
            try shop.store.account.setAsksToBuy(true)
            await model.buy("map")
            #expect(model.message == "Waiting for approval")
            try shop.approve()
            await wait { model.purchased == ["map"] }
            try shop.refund("map")
            await wait { model.purchased.isEmpty }
        }
    }

    @Test func `What is not verified is a message`() async throws {
        let shop = try Shop()
        await shop.run {
            let model = await open(shop)
            shop.store.signatureDefect = .revokedCertificate
            await model.buy("map")
            #expect(model.message != nil)
            #expect(model.purchased.isEmpty)
        }
    }
}
