import Foundation
import StoreCore
import StoreKit
import Testing
import Toolkits

@Suite struct ToolkitTests {
    private let till: Till

    init() throws { till = try Till() }

    private func product(_ id: String) async throws -> Product {
        try #require(try await till.run { try await Product.products(for: [id]) }.first)
    }

    @Test func `A cache of anything that can be fetched fetches Store Kit's products once`() async throws {
        let cache = ProductCache<Product>()
        for _ in 1...2 {
            let products = try await till.run { try await cache.products(for: ["gold", "map"]) }
            #expect(Set(products.map(\.id)) == ["gold", "map"])
        }
        #expect(await cache.requests == 1)
        let missing = await till.run {
            do throws(ToolkitError) {
                return try await cache.products(for: ["sword"]).map(\.id)
            } catch {
                return [error.errorDescription ?? ""]
            }
        }
        #expect(missing == ["sword"])
    }

    @Test func `An order is put together, and its errors are Store Kit's`() async throws {
        let coins = try await product("coins")
        let token = UUID()
        let transaction = try await till.run { try await Order().quantity(2).account(token).buy(coins) }
        #expect(transaction.purchasedQuantity == 2 && transaction.appAccountToken == token)
        till.store.purchaseFailure = .network(.timedOut, "Too late.")
        let error = await #expect(throws: ToolkitError.self) { try await till.run { try await Order().buy(coins) } }
        guard case .store(.networkError(let cause))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause.code == .timedOut && error?.errorDescription != nil)
        #expect(try UnderlyingError(#require(error.flatMap { if case .store(let e) = $0 { e } else { nil } })) != nil)
    }

    @Test func `A product says what it costs a day, and whether it can be tried`() async throws {
        let gold = try await product("gold"), map = try await product("map")
        #expect(gold.hasTrial && !map.hasTrial && map.pricePerDay == map.price)
        #expect(gold.pricePerDay == gold.price / 30 && gold.periodText == "1 Month")
        #expect(gold.subscription?.promotionalOffers.first?.total == Decimal(string: "1.98"))
        #expect(gold.subscription?.subscriptionPeriod.isLong == false)
        #expect(EntitlementReader.trials(of: gold).count == 1)
    }

    @Test func `An entitlement is read of transactions that a test could stand in for`() async throws {
        let gold = try await product("gold")
        #expect(await till.run { await EntitlementReader.outcome(of: gold) } == "purchased gold")
        var entitlements = await till.run { await EntitlementReader.read(["gold", "map"]) }
        #expect(entitlements[0].isActive && entitlements[0].state == .active && entitlements[0].offer == .trial)
        #expect(entitlements[0].isFromStoreKit && !entitlements[1].isActive && entitlements[1].store == "none")
        try till.refund("gold")
        entitlements = await till.run { await EntitlementReader.read(["gold"]) }
        #expect(!entitlements[0].isActive && entitlements[0].state == .revoked)
        till.store.purchaseFailure = .network(.timedOut, "Too late.")
        let map = try await product("map")
        #expect(await till.run { await EntitlementReader.outcome(of: map) } == "failed: network -1001")
    }

    @Test func `Offers for those who have left are found by the identifiers of the renewal`() async throws {
        let gold = try #require(try await product("gold").subscription)
        try till.lapse()
        let offers = try await till.run { try await gold.eligibleWinBackOffers() }
        #expect(offers.map(\.message.id) == ["come.back"] && offers.map(\.message.type) == ["winBack"])
        #expect(try await till.run { try await gold.isActive } == false)
    }

    @Test func `An older offer's signature is a value, which the store checks`() async throws {
        let gold = try await product("gold")
        try till.lapse()
        await #expect(throws: Product.PurchaseError.invalidOfferSignature) {
            try await till.run {
                try await gold.buy("spring", keyID: "KEY", nonce: UUID(), timestamp: 1, signature: Data([1]))
            }
        }
    }

    @Test func `A view's model compares what it holds`() async throws {
        let gold = try await product("gold")
        let model = await SubscriptionModel()
        try till.store.account.buy("gold")
        await till.run { await model.load(gold) }
        let info = try #require(await model.info)
        #expect(info.isSubscribed && info.product == gold && Set([info, info]).count == 1)
        #expect(await model.text == "renews")
        try till.store.account.setAutoRenew(false, inGroup: "club")
        await till.run { await model.load(gold) }
        #expect(await model.text == "ends")
        till.store.advance(by: 8 * 86_400)
        await till.run { await model.load(gold) }
        #expect(await model.info == nil)
        #expect(UnderlyingError(StoreKitError.unknown) == .storeKit(.unknown))
        #expect(UnderlyingError(Product.PurchaseError.invalidQuantity) != .purchase(.purchaseNotAllowed))
    }

    @Test func `Promotions are encoded by an extension of the library's, and a chosen product is an intent`()
        async throws
    {
        let keeper = Keeper()
        let json = try await till.run {
            try await Product.PromotionInfo.updateProductOrder(byID: ["map"])
            try await Product.PromotionInfo.updateProductVisibility(.visible, for: "map")
            return try await keeper.promotions()
        }
        #expect(json == #"[{"productId":"map","visibility":1}]"#)
        try till.store.device.promote("map")
        #expect(await till.run { await keeper.nextIntent() }?.product.id == "map")
        #expect(try await till.run { try await keeper.fetch(["map", "coins"]) } == ["map", "coins"])
    }

    @Test func `The app's platform and rating, and what a refund returned, can be read`() async throws {
        try till.store.setAppPurchase(AppPurchase(version: "7", platform: .iOS))
        till.store.ageRatingCode = 416
        let details = try await till.run { try await AppDetails.read() }
        #expect(details.isFromPhoneOrTablet && details.firstVersion == "7" && details.ageRating == 416)
        try till.store.account.buy("map")
        try till.refund("map", percentage: 50)
        #expect(
            await till.run { await Refunds.all() } == [
                .init(product: "map", type: .proratedRefund, percentage: 50, amount: Decimal(string: "2.495"))
            ]
        )
    }
}
