import Foundation
import ObjectWrappers
import StoreCore
import StoreKit
import Testing

@Suite struct ObjectWrapperTests {
    private let till: Till

    init() throws { till = try Till() }

    private func product(_ id: String) async throws -> WrappedProduct {
        try #require(try await till.run { try await Product.products(for: [id]) }.first).wrapped
    }

    @Test func `Objects around equal values are equal, and found in sets`() async throws {
        let gold = try await product("gold"), same = try await product("gold"), coins = try await product("coins")
        #expect(gold == same && gold.hash == same.hash && gold != coins)
        #expect(Set([gold, same, coins]).count == 2)
        #expect(try #require(gold.subscription).isEqual(same.subscription))
        #expect(Set(WrappedPlatform.all + WrappedPlatform.all).count == 5 && Set(WrappedStoreType.all).count == 3)
        #expect(coins.type.isEqual(WrappedType.consumable) && coins.type.isEqual(WrappedType(rawValue: "Consumable")))
    }

    @Test func `Numbers are objects`() async throws {
        let gold = try await product("gold")
        #expect(gold.price == NSDecimalNumber(string: "3.99"))
        let subscription = try #require(gold.subscription)
        #expect(subscription.subscriptionPeriod.unit == .month && subscription.subscriptionPeriod.value == 1)
        #expect(subscription.promotionalOffers.map(\.id) == ["spring"] && subscription.winBackOffers.count == 1)
        #expect(subscription.pricingTerms.first?.billingPrice == gold.price)
        #expect(gold.unitStyle.locale(Locale(identifier: "en_US")).format(.week) == "Week")
        #expect(WrappedPeriod.constants.map(\.value) == [1, 1, 1, 3, 2, 2, 3, 6])
    }

    @Test func `A purchase is handed to a completion handler`() async throws {
        let coins = try await product("coins")
        let bought = await till.run {
            await withCheckedContinuation { continuation in
                Task { @MainActor in
                    _ = coins.purchase(options: [.quantity(2)]) { bought, error in
                        continuation.resume(returning: error == nil ? bought as? Bought.Success : nil)
                    }
                }
            }
        }
        let transaction = try #require(bought).transaction
        #expect(transaction.isVerified && transaction.error == nil && transaction.parts.count == 5)
        #expect(try transaction.payload().purchasedQuantity == 2)
        #expect(transaction.unsafePayload.productID == "coins")
    }

    @Test func `An error has the wrappers' number, and the first thing that a feed has comes first`() async throws {
        till.store.authorizer = .always(.cancel)
        let coins = try await product("coins")
        let (bought, error) = await till.run {
            await withCheckedContinuation { continuation in
                Task { @MainActor in _ = coins.purchase { continuation.resume(returning: ($0, $1)) } }
            }
        }
        #expect(bought == Bought.userCancelled && error == nil)
        #expect(StoreKitError.userCancelled.object.code == 1 && StoreKitError.userCancelled.object.domain == "StoreKit")

        try till.store.account.buy("map")
        let first = await till.run {
            await withCheckedContinuation { continuation in
                _ = Feeds.transactions["all"]?.forEach {
                    continuation.resume(returning: $0?.unsafePayload.productID)
                    return false
                }
            }
        }
        #expect(first == "map")
    }

    @Test func `A promotion is compared although it has no hash`() async throws {
        let promotions: [WrappedPromotion] = try await till.run {
            try await Product.PromotionInfo.updateProductOrder(byID: ["map", "coins"])
            return try await withCheckedThrowingContinuation { continuation in
                _ = WrappedPromotion.order { order, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else {
                        continuation.resume(returning: order ?? [])
                    }
                }
            }
        }
        #expect(promotions.map(\.productID) == ["map", "coins"])
        #expect(promotions.allSatisfy { $0.visibility == .appStoreConnectDefault })
        #expect(promotions[0] == promotions[0] && promotions[0] != promotions[1])
    }
}
