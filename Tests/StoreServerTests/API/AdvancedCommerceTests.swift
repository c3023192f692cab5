import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

/// The functions of the Advanced Commerce API, and requests signed with the API's key.
@Suite(.libcrypto) struct AdvancedCommerceTests {
    private static let charge = "com.example.app.aca.generic.consumable"
    private static let subscription = "com.example.app.aca.generic.subscription"

    private let shop: Shop

    init() throws {
        shop = try Shop()
        for product in [
            SandboxProduct.consumable(Self.charge, price: "0.29"),
            .autoRenewable(Self.subscription, price: "0.29", period: .init(1, .month), group: "requests"),
        ] {
            var product = product
            product.isAdvancedCommerce = true
            try shop.store.register(product)
        }
    }

    // MARK: Requests

    private static var info: String { #""requestInfo": {"requestReferenceId": "\#(UUID().uuidString.lowercased())"}"# }

    private static func item(_ sku: String, _ price: Int) -> String {
        #"{"SKU": "\#(sku)", "description": "All of it", "displayName": "Item", "price": \#(price), "offer": null}"#
    }

    /// Signs a request with the claims and the header that Apple's library for Python gives it.
    private func signed(_ request: String, _ change: (inout [String: AnswerValue]) -> Void = { _ in }) throws -> String
    {
        var claims: [String: AnswerValue] = [
            "request": .text(Data(request.utf8).base64EncodedString()), "bid": .text(Shop.bundleIdentifier),
            "iss": .text(shop.key.issuer), "aud": .text("advanced-commerce-api"),
            "iat": .number(Int(shop.clock.now.timeIntervalSince1970)), "nonce": .text(UUID().uuidString.lowercased()),
        ]
        change(&claims)
        return try shop.key.token(claims)
    }

    @discardableResult
    private func charge() throws -> String {
        let request = """
            {"requestInfo": {"requestReferenceId": "\(UUID().uuidString)"}, "currency": "USD", "taxCode": "C003-00-2",
            "item": \(Self.item("book", 4990)), "operation": "CREATE_ONE_TIME_CHARGE", "version": "1", "storefront": "USA"}
            """
        return try shop.account.buy(Self.charge, compactJWS: signed(request))
    }

    private func subscribe() throws -> String {
        let request = """
            {\(Self.info), "currency": "USD", "descriptors": {"description": "Channels", "displayName": "Pass"},
            "items": [\(Self.item("sports", 40_000)), \(Self.item("news", 5000))], "operation": "CREATE_SUBSCRIPTION",
            "period": "P1M", "taxCode": "C003-00-1", "version": "1"}
            """
        return try shop.account.buy(Self.subscription, compactJWS: signed(request))
    }

    private func ask(
        _ path: String,
        _ transaction: String,
        _ members: String = "",
        base: String = ""
    ) throws -> (status: Int, json: JSON) {
        let body = members.isEmpty ? "{\(Self.info)}" : "{\(Self.info), \(members)}"
        return try ask(path, transaction, data: Data(body.utf8), base: base)
    }

    private func ask(
        _ path: String,
        _ transaction: String,
        data: Data,
        base: String = ""
    ) throws -> (status: Int, json: JSON) {
        let headers = ["Authorization": "Bearer \(try shop.key.token(shop.claims))"]
        let url = "\(base)/advancedCommerce/v1/\(path)/\(transaction)"
        let response = shop.router.respond(to: HTTPRequest("POST", url, headers: headers, body: data))
        return (response.status, response.body.isEmpty ? JSON(nil) : try JSON(data: response.body))
    }

    private func error(_ path: String, _ transaction: String, _ members: String = "") throws -> Int? {
        let (status, json) = try ask(path, transaction, members)
        guard let code = json.errorCode.number else { return nil }
        return status == code / 10_000 && json.errorMessage.text?.isEmpty == false ? code : -1
    }

    // MARK: Signatures

    @Test func `A request that is signed with the API's key is fulfilled`() throws {
        let number = try charge()
        let payload = try shop.ask("GET", "v1/transactions/\(number)").json.signedTransactionInfo.payload
        #expect(payload.price.number == 4990 && payload.advancedCommerceInfo["items"][0].SKU.text == "book")
    }

    @Test func `A request that is signed with another key, or for another audience, is refused`() throws {
        let (jws, other) = (try signed("{}") { $0["aud"] = .text("promotional-offer") }, try APIKey())
        #expect(throws: StoreFailure.self) { try shop.account.buy(Self.charge, compactJWS: jws) }
        let claims = ["bid": AnswerValue.text(Shop.bundleIdentifier), "aud": .text("advanced-commerce-api")]
        let forged = try other.token(claims)
        #expect(throws: StoreFailure.self) { try shop.account.buy(Self.charge, compactJWS: forged) }
    }

    // MARK: Functions

    @Test func `A canceled subscription does not renew`() throws {
        let number = try subscribe()
        let (status, json) = try ask("subscription/cancel", number)
        #expect(status == 200 && json.keys == ["signedTransactionInfo", "signedRenewalInfo"])
        #expect(json.signedRenewalInfo.payload.autoRenewStatus.number == 0)
        #expect(json.signedTransactionInfo.payload.revocationDate.number == nil)
    }

    @Test func `Texts change now or at the renewal, and the price stays`() throws {
        let number = try subscribe()
        let json = try ask(
            "subscription/changeMetadata",
            number,
            """
            "descriptors": {"displayName": "New Pass", "effective": "IMMEDIATELY"},
            "items": [{"currentSKU": "news", "SKU": "good.news", "effective": "NEXT_BILL_CYCLE"}]
            """
        ).json
        let transaction = json.signedTransactionInfo.payload.advancedCommerceInfo
        #expect(transaction.descriptors.displayName.text == "New Pass" && transaction["items"][1].SKU.text == "news")
        let renewal = json.signedRenewalInfo.payload
        #expect(renewal.advancedCommerceInfo["items"][1].SKU.text == "good.news")
        #expect(renewal.renewalPrice.number == 45_000)
    }

    @Test func `Prices change at the renewal, and increases are announced`() throws {
        let number = try subscribe()
        let json = try ask(
            "subscription/changePrice",
            number,
            """
            "currency": "USD", "items": [{"SKU": "sports", "price": 50000, "dependentSKUs": ["x"]}, {"SKU": "news", "price": 4000}]
            """
        ).json
        #expect(json.signedTransactionInfo.payload.price.number == 45_000)
        let renewal = json.signedRenewalInfo.payload
        #expect(renewal.renewalPrice.number == 54_000)
        let items = renewal.advancedCommerceInfo["items"]
        #expect(items[0].priceIncreaseInfo.price.number == 50_000)
        #expect(items[0].priceIncreaseInfo.status.text == "SCHEDULED")
        #expect(items[0].priceIncreaseInfo.dependentSKUs[0].text == "x" && items[1].priceIncreaseInfo.keys.isEmpty)
        shop.clock.advance(by: 32 * 86_400)
        let renewed = try ask("subscription/cancel", number).json.signedRenewalInfo.payload
        #expect(renewed.advancedCommerceInfo["items"][0].priceIncreaseInfo.keys.isEmpty)
        #expect(try shop.account.transactions.last?.chargedAmount == 54)
    }

    /// The members of a migration, but for the target.
    private static let migration = #"""
        "descriptors": {"displayName": "Metals", "description": "All of them"}, "taxCode": "C003-00-1",
        "items": [{"SKU": "gold.sku", "displayName": "Gold", "description": "Shining"}],
        "renewalItems": [{"SKU": "gold.new", "displayName": "New Gold", "description": "Shining more"}]
        """#

    @Test func `A migrated subscription renews as the generic product, at its price`() throws {
        let gold = try shop.buy("gold")
        let target = #""targetProductId": "\#(Self.subscription)""#
        let json = try ask("subscription/migrate", gold, "\(Self.migration), \(target)").json
        #expect(json.signedTransactionInfo.payload.productId.text == "gold")
        #expect(json.signedTransactionInfo.payload.advancedCommerceInfo["items"][0].SKU.text == "gold.sku")
        let renewal = json.signedRenewalInfo.payload
        #expect(renewal.autoRenewProductId.text == Self.subscription && renewal.renewalPrice.number == 9990)
        #expect(renewal.advancedCommerceInfo["items"][0].SKU.text == "gold.new")
        let groups = {
            try shop.ask("GET", "v1/subscriptions/\(gold)").json.data.list.map(\.subscriptionGroupIdentifier.text)
        }
        #expect(try groups() == ["metals"])
        #expect(try error("subscription/migrate", gold, "\(Self.migration), \(target)") == 4_000_176)
        shop.clock.advance(by: 32 * 86_400)
        let last = try #require(try shop.account.signedTransactions.last?.payload)
        #expect(last.productId == Self.subscription && last.price == 9990 && last.originalTransactionId == gold)
        #expect(last.advancedCommerceInfo?.items.map(\.SKU) == ["gold.new"])
        #expect(try groups().contains("requests"))
    }

    @Test func `A subscription is migrated to a generic one, unless an offer applies`() throws {
        let gold = try shop.buy("gold")
        #expect(try error("subscription/migrate", gold, Self.migration) == 4_000_166)
        let other = #"\#(Self.migration), "targetProductId": "\#(Self.charge)""#
        #expect(try error("subscription/migrate", gold, other) == 4_000_167)
        let target = #""targetProductId": "\#(Self.subscription)""#
        #expect(try error("subscription/migrate", gold, target) == 4_000_103)
        #expect(try error("subscription/migrate", shop.buy("weekly"), "\(Self.migration), \(target)") == 4_030_010)
        try shop.account.requestPriceIncreaseConsent(inGroup: "metals")
        #expect(try error("subscription/migrate", gold, "\(Self.migration), \(target)") == 4_030_027)
    }

    @Test func `A revoked subscription ends now, with a refund of its items`() throws {
        let number = try subscribe()
        let refund = #""refundType": "FULL", "refundReason": "LEGAL", "refundRiskingPreference": false"#
        let json = try ask("subscription/revoke", number, refund).json
        let transaction = json.signedTransactionInfo.payload
        #expect(transaction.revocationType.text == "REFUND_FULL" && transaction.revocationDate.number != nil)
        let refunded = transaction.advancedCommerceInfo["items"].list.map { $0.refunds[0] }
        #expect(refunded.map(\.refundAmount.number) == [40_000, 5000])
        #expect(refunded.map(\.refundReason.text) == ["LEGAL", "LEGAL"])
        #expect(json.signedRenewalInfo.payload.autoRenewStatus.number == 0)
        #expect(try error("subscription/revoke", number, refund) == 4_000_186)
    }

    @Test func `An item is refunded alone, and the transaction with its last item`() throws {
        let number = try subscribe()
        func refund(_ sku: String, _ type: String, _ more: String = "") throws -> JSON {
            let answer = try ask(
                "transaction/requestRefund",
                number,
                """
                "refundRiskingPreference": false,
                "items": [{"SKU": "\(sku)", "revoke": true, "refundReason": "OTHER", "refundType": "\(type)"\(more)}]
                """
            ).json
            #expect(answer.keys == ["signedTransactionInfo"])
            return answer.signedTransactionInfo.payload
        }
        let first = try refund("news", "CUSTOM", #", "refundAmount": 1000"#)
        #expect(first.revocationDate.number == nil)
        #expect(first.advancedCommerceInfo["items"][0].keys.isDisjoint(with: ["refunds", "revocationDate"]))
        let news = first.advancedCommerceInfo["items"][1]
        #expect(news.refunds[0].refundAmount.number == 1000 && news.revocationDate.number != nil)
        #expect(try shop.account.totalRefunded == 1)
        let second = try refund("sports", "FULL")
        #expect(second.revocationPercentage.number == 91_111 && second.revocationType.text == "REFUND_PRORATED")
    }

    @Test func `A server that accepts a risk assessment waits for the decision`() throws {
        shop.store.refundDecision = .ask
        let number = try charge()
        let item = #"{"SKU": "book", "revoke": true, "refundReason": "UNINTENDED_PURCHASE", "refundType": "FULL"}"#
        let request = #""refundRiskingPreference": true, "items": [\#(item)]"#
        #expect(try ask("transaction/requestRefund", number, request).json.keys == ["signedTransactionInfo"])
        #expect(shop.store.refundRequests == [number])
        #expect(try error("transaction/requestRefund", number, request) == 4_000_181)
        try shop.store.refund(number)
        #expect(try error("transaction/requestRefund", number, request) == 4_030_021)
    }

    // MARK: Errors

    @Test(
        arguments: [
            ("subscription/cancel", #""storefront": "DEU""#, 4_000_133),
            ("subscription/cancel", #""storefront": "XXX""#, 4_000_028),
            ("subscription/changeMetadata", "", 4_000_160),
            ("subscription/changeMetadata", #""descriptors": {"effective": "IMMEDIATELY"}"#, 4_000_165),
            ("subscription/changeMetadata", #""descriptors": {"displayName": "New"}"#, 4_000_111),
            ("subscription/changeMetadata", #""items": [{"effective": "IMMEDIATELY", "SKU": "x"}]"#, 4_000_169),
            (
                "subscription/changeMetadata",
                #""items": [{"currentSKU": "weather", "effective": "IMMEDIATELY", "SKU": "x"}]"#, 4_000_146
            ),
            (
                "subscription/changeMetadata",
                #""items": [{"currentSKU": "news", "effective": "IMMEDIATELY", "SKU": "sports"}]"#, 4_000_114
            ),
            ("subscription/changePrice", #""items": [{"SKU": "news", "price": 1}]"#, 4_000_098),
            ("subscription/changePrice", #""currency": "EUR", "items": [{"SKU": "news", "price": 1}]"#, 4_000_053),
            ("subscription/changePrice", #""currency": "USD""#, 4_000_101),
            ("subscription/changePrice", #""currency": "USD", "items": [{"SKU": "weather", "price": 1}]"#, 4_000_220),
            (
                "subscription/changePrice",
                #""currency": "USD", "items": [{"SKU": "news", "price": 1}, {"SKU": "news", "price": 2}]"#, 4_000_194
            ),
            (
                "subscription/changePrice",
                #"""
                "currency": "USD", "items": [{"SKU": "news", "price": 1, "dependentSKUs": ["a"]},
                {"SKU": "sports", "price": 2, "dependentSKUs": ["a"]}]
                """#, 4_000_192
            ),
            (
                "subscription/changePrice",
                #"""
                "currency": "USD", "items": [{"SKU": "news", "price": 1, "dependentSKUs": ["sports"]},
                {"SKU": "sports", "price": 2, "dependentSKUs": ["a"]}]
                """#, 4_000_193
            ),
            ("subscription/revoke", #""refundReason": "OTHER", "refundRiskingPreference": false"#, 4_000_157),
            ("subscription/revoke", #""refundType": "FULL", "refundRiskingPreference": false"#, 4_000_156),
            ("subscription/revoke", #""refundType": "FULL", "refundReason": "OTHER""#, 4_000_159),
            (
                "subscription/revoke",
                #""refundType": "CUSTOM", "refundReason": "OTHER", "refundRiskingPreference": false"#, 4_000_123
            ),
            (
                "subscription/revoke",
                #""refundType": "FULL", "refundReason": "FUN", "refundRiskingPreference": false"#, 4_000_124
            ),
            ("transaction/requestRefund", #""refundRiskingPreference": false, "items": []"#, 4_000_160),
            ("transaction/requestRefund", Self.refund(#""refundType": "CUSTOM""#), 4_000_153),
            ("transaction/requestRefund", Self.refund(#""refundType": "CUSTOM", "refundAmount": -1"#), 4_000_154),
            ("transaction/requestRefund", Self.refund(#""refundType": "CUSTOM", "refundAmount": 5001"#), 4_000_132),
            ("transaction/requestRefund", Self.refund(#""refundType": "FULL", "refundAmount": 1"#), 4_000_155),
            ("transaction/requestRefund", Self.refund(#""refundType": "FULL""#, "weather"), 4_000_122),
            (
                "transaction/requestRefund",
                #"""
                "refundRiskingPreference": false, "items": [
                {"SKU": "news", "refundReason": "SIMULATE_REFUND_DECLINE", "refundType": "FULL"},
                {"SKU": "sports", "refundReason": "OTHER", "refundType": "FULL"}]
                """#, 4_000_184
            ),
        ] as [(String, String, Int)]
    )
    func `A request with a defect changes nothing`(path: String, members: String, code: Int) throws {
        let number = try subscribe()
        let position = try shop.store.timeline.entries.count
        #expect(try error(path, number, members) == code)
        #expect(try shop.store.timeline.entries.count == position)
    }

    private static func refund(_ members: String, _ sku: String = "news") -> String {
        #""refundRiskingPreference": false, "items": [{"SKU": "\#(sku)", "refundReason": "OTHER", \#(members)}]"#
    }

    @Test func `A function is about a transaction of Advanced Commerce, and a request is made once`() throws {
        #expect(try error("subscription/cancel", "99") == 4_040_010)
        #expect(try error("subscription/cancel", "x") == 4_000_006)
        #expect(try error("subscription/cancel", charge()) == 4_030_008)
        #expect(try error("subscription/cancel", shop.buy("gold")) == 4_030_010)
        let number = try subscribe()
        let body = Data("{\(Self.info)}".utf8)
        #expect(try ask("subscription/cancel", number, data: body).status == 200)
        #expect(try ask("subscription/cancel", number, data: body).json.errorCode.number == 4_000_097)
        #expect(try ask("subscription/cancel", number, data: Data("[]".utf8)).json.errorCode.number == 4_000_173)
        #expect(try ask("subscription/cancel", number, base: "/production").json.errorCode.number == 4_040_010)
    }

    @Test func `A simulated decline is answered to the server`() throws {
        let view = ServerView(shop.store)
        try view.beginNotifications()
        let number = try charge()
        let item = #"{"SKU": "book", "refundReason": "SIMULATE_REFUND_DECLINE", "refundType": "FULL"}"#
        let (status, _) = try ask(
            "transaction/requestRefund",
            number,
            #""refundRiskingPreference": false, "items": [\#(item)]"#
        )
        #expect(try status == 200 && shop.account.totalRefunded == 0)
        let notification = try #require(try view.notifications(after: nil, limit: .max).last)
        #expect(notification.type == "REFUND_DECLINED" && notification.transaction?.transactionId == number)
    }
}
