import Foundation
import StoreCore
import StoreKit
import Testing

/// Suites and bundles as Store Kit 2 shows them.
@MainActor @Suite struct BundlePurchaseTests {
    private let shop: Shop

    init() throws { shop = try Shop(selling: Self.products) }

    private static let products: [SandboxProduct] = [
        .autoRenewable("news", price: "4.99", period: .init(1, .month), group: "papers", title: "News"),
        .autoRenewable("music", price: "5.99", period: .init(1, .month), group: "music", level: 2),
        .subscriptionBundle(
            "both",
            price: "7.99",
            period: .init(1, .month),
            group: "bundles",
            members: ["news", "music"]
        ),
        .subscriptionSuite("studio", price: "59.99", period: .init(1, .year), group: "studio", members: ["Draw"]),
    ]

    private func product(_ identifier: String) async throws -> Product {
        try await shop.run { try #require(try await Product.products(for: [identifier]).first) }
    }

    @Test func `A bundle lists its members, and a suite none`() async throws {
        let bundle = try await product("both")
        #expect(bundle.type == .subscriptionBundle)
        let members = try #require(bundle.subscription).bundledSubscriptions
        #expect(members.map(\.id) == ["news", "music"] && members.map(\.displayPrice) == ["$4.99", "$5.99"])
        #expect(members.map(\.displayName) == ["News", "music"] && members.map(\.subscriptionGroupLevel) == [1, 2])
        #expect(members.map(\.subscriptionGroupID) == ["papers", "music"] && !members[0].isFamilyShareable)
        let suite = try await product("studio")
        #expect(suite.type == .subscriptionSuite && suite.subscription?.bundledSubscriptions == [])
        #expect(try await product("news").subscription?.bundledSubscriptions == [])
    }

    @Test func `A purchase returns the bundle's transaction, and its members entitle too`() async throws {
        let bundle = try await shop.finished("both")
        #expect(bundle.productType == .subscriptionBundle && bundle.bundleProductID == nil)
        let entitlements = await shop.run {
            var all: [Transaction] = []
            for await result in Transaction.currentEntitlements {
                if let transaction = try? result.payloadValue { all.append(transaction) }
            }
            return all
        }
        #expect(Set(entitlements.map(\.productID)) == ["both", "news", "music"])
        let member = try #require(entitlements.first { $0.productID == "news" })
        #expect(member.bundleProductID == "both" && member.bundleSubscriptionGroupID == "bundles")
        #expect(
            member.bundleTransactionID == String(bundle.id) && member.bundleOriginalTransactionID == String(bundle.id)
        )
        #expect(member.productType == .autoRenewable && member.previousOriginalTransactionID == nil)
    }

    @Test func `A member's status names the bundle, until the member is to leave it`() async throws {
        _ = try await shop.finished("both")
        func renewal() async throws -> Product.SubscriptionInfo.RenewalInfo {
            try await shop.run {
                let status = try #require(try await Product.SubscriptionInfo.status(for: "papers").first)
                #expect(status.state == .subscribed)
                return try status.renewalInfo.payloadValue
            }
        }
        var info = try await renewal()
        #expect(info.willAutoRenew && !info.willUnbundle && info.bundleProductID == "both")
        #expect(info.bundleOriginalTransactionID == "1" && info.bundleSubscriptionGroupID == "bundles")
        try shop.store.account.setAutoRenew(true, inGroup: "papers")
        info = try await renewal()
        #expect(info.willAutoRenew && info.willUnbundle && info.bundleProductID == nil)
        #expect(info.renewalPrice == Decimal(string: "4.99"))
    }

    @Test func `What a bundle replaces is revoked as upgraded, and left members expire as unbundled`() async throws {
        let former = try await shop.finished("news")
        _ = try await shop.finished("both")
        let found = try await shop.run { try await Transaction.latest(for: "news")?.payloadValue }
        #expect(found?.previousOriginalTransactionID == former.id)
        let revoked = try shop.store.signedTransaction(String(former.id)).payload
        #expect(Transaction.RevocationReason.upgradedToBundle.rawValue == revoked.revocationReason?.rawValue)
        try shop.store.account.expireSubscription(inGroup: "bundles")
        let status = try await shop.run { try await Product.SubscriptionInfo.status(for: "papers").first }
        #expect(status?.state == .expired)
        #expect(try status?.renewalInfo.payloadValue.expirationReason == .unbundled)
    }
}
