import Foundation
import StoreCore
import StoreKit
import Testing

/// Purchases of generic products by signed requests.
@Suite struct AdvancedCommerceProductTests {
    private static let charge = "com.example.app.aca.generic.consumable"
    private static let subscription = "com.example.app.aca.generic.subscription"

    private static func generic(_ product: SandboxProduct) -> SandboxProduct {
        var product = product
        product.isAdvancedCommerce = true
        return product
    }

    private static let products = [
        SandboxProduct.autoRenewable("gold", price: "3.99", period: .init(1, .month), group: "club"),
        generic(.consumable(charge, price: "0.29")),
        generic(.autoRenewable(subscription, price: "0.29", period: .init(1, .month), group: "requests")),
    ]

    private let shop: Shop

    init() throws { shop = try Shop(selling: Self.products) }

    private func signedCharge(
        _ sku: String = "book",
        version: String = "1",
        reference: UUID = UUID()
    ) throws -> String {
        let json = """
            {"operation": "CREATE_ONE_TIME_CHARGE", "version": "\(version)", "currency": "USD", "taxCode": "C003-00-2",
            "requestInfo": {"requestReferenceId": "\(reference.uuidString)"},
            "item": {"SKU": "\(sku)", "displayName": "A Book", "description": "All pages", "price": 4990}}
            """
        return try shop.store.signedRequest(Data(json.utf8))
    }

    private func signedSubscription() throws -> String {
        let json = """
            {"operation": "CREATE_SUBSCRIPTION", "version": "1", "currency": "USD", "taxCode": "C003-00-1",
            "requestInfo": {"requestReferenceId": "74ad2401-488d-4e1a-9c9d-80cdf0efed67"}, "period": "P1Y",
            "descriptors": {"displayName": "Pass", "description": "Channels"},
            "items": [{"SKU": "sports", "displayName": "Sports", "description": "Live", "price": 40000,
            "offer": {"price": 20000, "period": "P1Y", "periodCount": 2, "reason": "WIN_BACK"}}]}
            """
        return try shop.store.signedRequest(Data(json.utf8))
    }

    private func bought(_ id: String, _ jws: String) async throws -> Transaction {
        try await shop.run {
            let product = try await AdvancedCommerceProduct(id: id)
            guard case .success(let result) = try await product.purchase(compactJWS: jws) else {
                throw StoreKitError.userCancelled
            }
            return try result.payloadValue
        }
    }

    @Test func `A generic product is bought by a request, again before the last transaction is finished`() async throws
    {
        let first = try await bought(Self.charge, signedCharge())
        let second = try await bought(Self.charge, signedCharge("atlas"))
        #expect(first.id != second.id && first.price == Decimal(string: "4.99"))
        let info = try #require(second.advancedCommerceInfo)
        #expect(info.items.map(\.details.sku) == ["atlas"] && info.items.first?.details.displayName == "A Book")
        #expect(info.taxCode == "C003-00-2" && info.taxExclusivePrice == Decimal(string: "4.99"))
        #expect(info.taxRate == 0 && info.estimatedTax == 0)
        #expect(info.displayName == nil && info.description == nil && info.period == nil)
    }

    @Test func `A subscription's transaction and renewal have its items`() async throws {
        let transaction = try await bought(Self.subscription, signedSubscription())
        let info = try #require(transaction.advancedCommerceInfo)
        #expect(info.period == .yearly && info.displayName == "Pass" && info.description == "Channels")
        #expect(info.requestReferenceID == "74ad2401-488d-4e1a-9c9d-80cdf0efed67")
        let offer = try #require(info.items.first?.details.offer)
        #expect(offer.price == 20 && offer.period == .yearly && offer.periodCount == 2 && offer.reason == .winBack)
        #expect(info.items.first?.refunds == nil && info.items.first?.revocationDate == nil)
        let status = try #require(await shop.run { await transaction.subscriptionStatus })
        let renewal = try #require(try status.renewalInfo.payloadValue.advancedCommerceInfo)
        #expect(renewal.period == .yearly && renewal.displayName == "Pass" && !renewal.consistencyToken.isEmpty)
        #expect(renewal.items.map(\.details.price) == [40] && renewal.items.first?.priceIncreaseInfo == nil)
    }

    @Test func `A refunded item says so`() async throws {
        let transaction = try await bought(Self.charge, signedCharge())
        try shop.store.refund(String(transaction.id))
        let latest = try await shop.run { try await AdvancedCommerceProduct(id: Self.charge).latestTransaction }
        let item = try #require(try latest?.payloadValue.advancedCommerceInfo?.items.first)
        #expect(item.refunds?.first?.amount == Decimal(string: "4.99") && item.refunds?.first?.type == .full)
        #expect(item.refunds?.first?.reason == .other && item.revocationDate == item.refunds?.first?.date)
    }

    @Test func `A request that the store refuses throws the number of its error`() async throws {
        let jws = try signedCharge(version: "2")
        let error = await #expect(throws: InvalidRequestError.self) { try await bought(Self.charge, jws) }
        #expect(error?.code == 4_000_084 && error?.message.isEmpty == false)
    }

    @Test func `A request that waits for approval is checked again when it is approved`() async throws {
        try shop.store.account.setAsksToBuy(true)
        let reference = UUID()
        for _ in 0..<2 {
            let jws = try signedCharge(reference: reference)
            let result = try await shop.run {
                try await AdvancedCommerceProduct(id: Self.charge).purchase(compactJWS: jws)
            }
            #expect(result.name == "pending")
        }
        let waiting = shop.store.undecidedRequests.map(\.transaction)
        #expect(waiting.count == 2)
        for number in waiting { try shop.store.decide(number, as: .approve) }
        let transactions = try shop.store.account.transactions
        #expect(transactions.map(\.state) == [.purchased, .failed])
        #expect(transactions.last?.failure?.underlying?.code == 4_000_097)
        #expect(try shop.store.account.totalCharged == Decimal(string: "4.99"))
    }

    @Test func `A product that the store does not sell cannot be loaded, nor one that is not generic`() async throws {
        await #expect(throws: Product.PurchaseError.productUnavailable) {
            try await shop.run { try await AdvancedCommerceProduct(id: "none") }
        }
        await #expect { try await shop.run { try await AdvancedCommerceProduct(id: "gold") } } throws: { error in
            if case StoreKitError.unsupported = error { true } else { false }
        }
    }

    private func perform(_ function: AdvancedCommerceFunction, of transaction: Transaction, _ members: String) throws {
        let body = #"{"requestInfo": {"requestReferenceId": "\#(UUID().uuidString)"}, \#(members)}"#
        _ = try ServerView(shop.store).perform(function, of: String(transaction.id), Data(body.utf8))
    }

    @Test func `The refund of an item that leaves the others valid is no update, and is in the history`() async throws {
        let transaction = try await bought(Self.subscription, signedSubscription())
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        try perform(
            .requestRefund,
            of: transaction,
            #"""
            "refundRiskingPreference": false,
            "items": [{"SKU": "sports", "refundType": "CUSTOM", "refundAmount": 1000, "refundReason": "OTHER"}]
            """#
        )
        let later = try shop.store.account.buy("gold")
        let update = try #require(await shop.run { await updates.next() })
        #expect(try String(update.payloadValue.id) == later)
        let latest = await shop.run { await Transaction.latest(for: Self.subscription) }
        let item = try #require(try latest?.payloadValue.advancedCommerceInfo?.items.first)
        #expect(item.refunds?.map(\.amount) == [1] && item.revocationDate == nil)
        #expect(try latest?.payloadValue.revocationDate == nil)
    }

    @Test func `A transaction of before a migration has the status of the migrated subscription`() async throws {
        let gold = try await shop.bought("gold")
        try perform(
            .migrate,
            of: gold,
            #"""
            "targetProductId": "\#(Self.subscription)", "taxCode": "C003-00-1",
            "descriptors": {"displayName": "Metals", "description": "All of them"},
            "items": [{"SKU": "gold.sku", "displayName": "Gold", "description": "Shining"}]
            """#
        )
        try shop.store.account.forceRenewal(inGroup: "club")
        let status = try #require(await shop.run { await gold.subscriptionStatus })
        #expect(try status.transaction.payloadValue.productID == Self.subscription)
    }

    @Test func `A product is known by its identifier and type, and has its transactions`() async throws {
        let transaction = try await bought(Self.subscription, signedSubscription())
        let (product, other) = try await shop.run {
            (
                try await AdvancedCommerceProduct(id: Self.subscription),
                try await AdvancedCommerceProduct(id: Self.charge)
            )
        }
        #expect(product.id == Self.subscription && product.type == .autoRenewable && other.type == .consumable)
        #expect(product != other)
        let all = await shop.run { await product.allTransactions.all() }
        let entitled = await shop.run { await product.currentEntitlements.all() }
        #expect(try all.map { try $0.payloadValue.id } == [transaction.id])
        #expect(try entitled.map { try $0.payloadValue.id } == [transaction.id])
    }

    @Test func `A request is also an option of a purchase, for apps of older systems`() async throws {
        let data = try JSONSerialization.data(withJSONObject: ["signatureInfo": ["token": signedCharge()]])
        let transaction = try await shop.bought(Self.charge, [.custom(key: "advancedCommerceData", value: data)])
        #expect(transaction.advancedCommerceInfo?.items.first?.details.sku == "book")
        await #expect(throws: InvalidRequestError.self) {
            try await shop.bought(Self.charge, [.custom(key: "otherData", value: data)])
        }
        let next = try JSONSerialization.data(withJSONObject: ["signatureInfo": ["token": signedCharge("atlas")]])
        let error = await #expect(throws: InvalidRequestError.self) {
            try await shop.bought(
                Self.charge,
                [.custom(key: "advancedCommerceData", value: next), .appAccountToken(UUID())]
            )
        }
        #expect(error?.code == 4_000_183)
    }
}
