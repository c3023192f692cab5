import Foundation
import StoreCore
import StoreServer
import Testing

/// What the answer about an app receipt with subscriptions has in addition.
@Suite(.libcrypto) struct LatestReceiptTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    private static let dates: Set = ["purchase_date", "original_purchase_date"]

    private static func names(_ dates: Set<String>) -> Set<String> {
        Set(dates.flatMap { [$0, "\($0)_ms", "\($0)_pst"] })
    }

    @Test func `The answer says how the app itself was bought`() throws {
        let gold = try shop.buy("gold")
        let plain = try shop.verify(shop.receipt).receipt
        #expect(plain.original_application_version.text == "1.0")
        let date = Date(timeIntervalSince1970: 1_546_300_800)
        try shop.account.setAppPurchase(AppPurchase(version: "2.1", date: date, platform: .macOS))
        let receipt = try shop.verify(shop.receipt).receipt
        #expect(receipt.original_application_version.text == "2.1")
        #expect(receipt.original_purchase_date.text == "2019-01-01 00:00:00 Etc/GMT")
        #expect(receipt.original_purchase_date_ms.text == "1546300800000")
        #expect(receipt.in_app.list.map(\.transaction_id.text) == [gold])
    }

    @Test func `All transactions of the account are there, oldest first, with what the receipt does not know`() throws {
        let user = UUID().uuidString.lowercased()
        let gold = try shop.buy("gold", user: user)
        let receipt = shop.receipt
        let sword = try shop.buy("sword")
        shop.clock.advance(by: 40 * 86_400)
        let answer = try shop.verify(receipt)
        #expect(answer.receipt.in_app.list.map(\.transaction_id.text) == [gold])
        let latest = answer.latest_receipt_info.list
        #expect(latest.map(\.product_id.text) == ["gold", "sword", "gold"])
        let first = latest[0]
        #expect(
            first.keys
                == Self.names(Self.dates.union(["expires_date"])).union([
                    "quantity", "product_id", "transaction_id", "original_transaction_id", "is_trial_period",
                    "is_in_intro_offer_period", "web_order_line_item_id", "in_app_ownership_type",
                    "subscription_group_identifier", "app_account_token",
                ])
        )
        #expect(first.app_account_token.text == user && first.subscription_group_identifier.text == "metals")
        #expect(first.in_app_ownership_type.text == "PURCHASED")
        #expect(first.is_trial_period.text == "false" && first.quantity.text == "1")
        #expect(first.expires_date.text == "2025-02-01 00:00:00 Etc/GMT")
        #expect(first.expires_date_ms.text == "1738368000000")
        #expect(first.expires_date_pst.text == "2025-01-31 16:00:00 America/Los_Angeles")
        #expect(latest[1].transaction_id.text == sword && latest[1].expires_date.text == nil)
        #expect(latest[2].original_transaction_id.text == gold)
        // The newest receipt of the device has what was bought since.
        let newest = try #require(answer.latest_receipt.text.flatMap { Data(base64Encoded: $0) })
        #expect(try shop.store.verify(appReceipt: newest).purchases.count == 3)
        #expect(try shop.verify(newest).receipt.in_app.list.count == 3)
    }

    @Test func `A16: Dates of purchases are whole seconds, in each list the same`() throws {
        shop.clock.advance(by: 0.789)
        try shop.buy("gold")
        shop.clock.advance(by: 0.456)
        try shop.store.refund(try shop.buy("sword"))
        shop.clock.advance(by: 40 * 86_400)
        let answer = try shop.verify(shop.receipt)
        let (items, latest) = (answer.receipt.in_app.list, answer.latest_receipt_info.list)
        #expect(items.count == 3 && latest.count == 3)
        #expect(items.compactMap(\.purchase_date_ms.text).count == 3)
        #expect(items.compactMap(\.expires_date_ms.text).count == 2)
        #expect(items.compactMap(\.cancellation_date_ms.text).count == 1)
        for item in items {
            let other = try #require(latest.first { $0.transaction_id.text == item.transaction_id.text })
            for date in ["purchase_date", "original_purchase_date", "expires_date", "cancellation_date"] {
                #expect(item[dynamicMember: date].text == other[dynamicMember: date].text)
                let milliseconds = item[dynamicMember: "\(date)_ms"].text
                #expect(milliseconds == other[dynamicMember: "\(date)_ms"].text)
                #expect(milliseconds.map { $0.hasSuffix("000") } ?? true)
            }
        }
        #expect(answer.receipt.request_date_ms.text?.hasSuffix("245") == true)
    }

    @Test func `A17: Each purchase in the receipt has its ownership, also what the family shares`() throws {
        let family = try shop.store.addFamily("family", organizer: shop.account)
        let member = try shop.store.addAccount("member")
        try family.add(member)
        try shop.buy("gold", member)
        try shop.buy("coins")
        try shop.buy("sword")
        let answer = try shop.verify(shop.receipt)
        let ownership = Dictionary(
            uniqueKeysWithValues: answer.receipt.in_app.list.map { ($0.product_id.text, $0.in_app_ownership_type.text) }
        )
        #expect(ownership == ["gold": "FAMILY_SHARED", "coins": "PURCHASED", "sword": "PURCHASED"])
    }

    @Test func `Old transactions are left out on demand: the latest renewal of each subscription remains`() throws {
        for product in ["gold", "daily", "sword"] { try shop.buy(product) }
        shop.clock.advance(by: 70 * 86_400)
        #expect(try shop.verify(shop.receipt).latest_receipt_info.list.count == 7)
        let latest = try shop.verify(shop.receipt, ["exclude-old-transactions": .bool(true)]).latest_receipt_info.list
        #expect(Set(latest.map(\.product_id.text)) == ["gold", "daily"])
        #expect(Set(latest.map(\.expires_date_ms.text)) == ["1743465600000", "1743465660000"])
        let no = try shop.verify(shop.receipt, ["exclude-old-transactions": .bool(false)])
        #expect(no.latest_receipt_info.list.count == 7)
    }

    @Test func `A finished consumable is left out`() throws {
        try shop.buy("gold")
        let coins = try shop.buy("coins")
        let products = { try shop.verify(shop.receipt).latest_receipt_info.list.map(\.product_id.text) }
        #expect(try products() == ["gold", "coins"])
        try ServerView(shop.store).finish(coins)
        #expect(try products() == ["gold"])
    }

    @Test func `A refund is a cancellation with its reason, in both lists`() throws {
        try shop.buy("gold")
        let daily = try shop.buy("daily")
        try shop.store.refund(daily)
        let answer = try shop.verify(shop.receipt)
        for list in [answer.receipt.in_app.list, answer.latest_receipt_info.list] {
            let item = try #require(list.first { $0.transaction_id.text == daily })
            #expect(["0", "1"].contains(item.cancellation_reason.text))
            #expect(item.cancellation_date_ms.text == "1735689720000")
            let gold = try #require(list.first { $0.product_id.text == "gold" })
            #expect(gold.cancellation_reason.text == nil && gold.cancellation_date.text == nil)
        }
    }

    @Test func `An upgraded period says so`() throws {
        let silver = try shop.buy("silver")
        try shop.buy("gold")
        let latest = try shop.verify(shop.receipt).latest_receipt_info.list
        #expect(latest.first { $0.transaction_id.text == silver }?.is_upgraded.text == "true")
        #expect(latest.first { $0.product_id.text == "gold" }?.is_upgraded.text == nil)
    }

    @Test func `What will be renewed is there, one item for each subscription`() throws {
        let gold = try shop.buy("gold")
        try shop.buy("daily")
        try shop.account.setAutoRenew(false, inGroup: "papers")
        try shop.buy("silver")
        let pending = try shop.verify(shop.receipt).pending_renewal_info.list
        let metals = try #require(pending.first { $0.original_transaction_id.text == gold })
        #expect(metals.keys == ["auto_renew_product_id", "product_id", "original_transaction_id", "auto_renew_status"])
        #expect(metals.product_id.text == "gold" && metals.auto_renew_product_id.text == "silver")
        #expect(metals.auto_renew_status.text == "1")
        #expect(pending.first { $0.product_id.text == "daily" }?.auto_renew_status.text == "0")
        shop.clock.advance(by: 40 * 86_400)
        let later = try shop.verify(shop.receipt).pending_renewal_info.list
        #expect(later.first { $0.product_id.text == "daily" }?.expiration_intent.text == "1")
    }

    @Test func `A renewal that cannot be charged shows grace and billing retry`() throws {
        try shop.buy("gold")
        try shop.store.setGrantsGracePeriod(true)
        try shop.account.setBillingFails(true)
        shop.clock.advance(to: Date(timeIntervalSince1970: 1_738_368_000 + 3600))
        let grace = try shop.verify(shop.receipt).pending_renewal_info[0]
        #expect(grace.is_in_billing_retry_period.text == "1")
        #expect(grace.grace_period_expires_date.text?.hasPrefix("2025-02-17") == true)
        #expect(grace.expiration_intent.text == "2")
        shop.clock.advance(by: 20 * 86_400)
        let retry = try shop.verify(shop.receipt).pending_renewal_info[0]
        #expect(retry.is_in_billing_retry_period.text == "1" && retry.grace_period_expires_date.text == nil)
        shop.clock.advance(by: 60 * 86_400)
        let expired = try shop.verify(shop.receipt).pending_renewal_info[0]
        #expect(expired.expiration_intent.text == "2" && expired.is_in_billing_retry_period.text != "1")
    }

    @Test func `A price increase shows whether the customer has consented`() throws {
        try shop.buy("gold")
        try shop.store.raisePrice(of: "gold", to: "19.99")
        try shop.account.requestPriceIncreaseConsent(inGroup: "metals")
        let asked = try shop.verify(shop.receipt).pending_renewal_info[0]
        #expect(asked.price_consent_status.text == "0" && asked.price_increase_status.text == "0")
        try shop.account.answerPriceConsent(.agree, inGroup: "metals")
        let agreed = try shop.verify(shop.receipt).pending_renewal_info[0]
        #expect(agreed.price_consent_status.text == "1" && agreed.price_increase_status.text == "1")
    }
}
