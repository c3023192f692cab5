import Foundation
import StoreCore
import Testing

/// A market that sells generic products by signed requests.
struct RequestShop: Timed {
    typealias Members = [String: Any]

    static let charge = "com.example.app.aca.generic.consumable"
    static let subscription = "com.example.app.aca.generic.subscription"

    private static let generic: [SandboxProduct] = [
        .consumable(charge, price: "0.29"),
        .autoRenewable(subscription, price: "0.29", period: .init(1, .month), group: "requests"),
    ]

    static let products =
        generic.map { product in
            var product = product
            product.isAdvancedCommerce = true
            return product
        } + [
            SandboxProduct.consumable("coins", price: "0.99"),
            .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "metals"),
            .autoRenewable("gold.yearly", price: "99.99", period: .init(1, .year), group: "metals"),
        ]

    let market: Market
    var store: SandboxStore { market.store }
    var account: SandboxAccount { market.account }

    init(
        _ others: [SandboxProduct] = [],
        ledger: any Ledger = MemoryLedger(),
        on day: String = "2025-01-01T00:00:00Z"
    ) throws {
        market = try Market(Self.products + others, on: day, ledger: ledger)
    }

    // MARK: Requests

    static func item(_ sku: String, _ price: Int, offer: Members? = nil) -> Members {
        var item: Members = ["SKU": sku, "displayName": "The \(sku)", "description": "All of \(sku)", "price": price]
        item["offer"] = offer
        return item
    }

    static func offer(_ price: Int, _ period: String, _ count: Int, _ reason: String = "ACQUISITION") -> Members {
        ["price": price, "period": period, "periodCount": count, "reason": reason]
    }

    private static func request(_ operation: String, _ members: Members) -> Members {
        let info = ["requestReferenceId": UUID().uuidString.lowercased()]
        let common: Members = ["operation": operation, "version": "1", "requestInfo": info]
        return common.merging(members) { $1 }
    }

    static func charge(_ item: Members = item("book", 4990)) -> Members {
        request(
            "CREATE_ONE_TIME_CHARGE",
            ["currency": "USD", "taxCode": "C003-00-2", "storefront": "USA", "item": item]
        )
    }

    static func create(_ items: Members..., period: String = "P1M", previous: String? = nil) -> Members {
        var request = request(
            "CREATE_SUBSCRIPTION",
            [
                "currency": "USD", "taxCode": "C003-00-1", "period": period,
                "descriptors": ["displayName": "Streaming Pass", "description": "Channels"],
                "items": items.isEmpty ? [item("sports", 9990)] : items,
            ]
        )
        request["previousTransactionId"] = previous
        return request
    }

    /// The request with values of its metadata.
    static func informed(_ request: Members, _ info: [String: String]) -> Members {
        var request = request
        request["requestInfo"] = ["requestReferenceId": UUID().uuidString].merging(info) { $1 }
        return request
    }

    static func modify(_ transaction: String, retains: Bool = true, _ members: Members) -> Members {
        let own: Members = ["transactionId": transaction, "retainBillingCycle": retains, "currency": "USD"]
        return request("MODIFY_SUBSCRIPTION", own.merging(members) { $1 })
    }

    static func change(
        _ sku: String,
        to item: Members,
        _ effective: String = "IMMEDIATELY",
        _ reason: String = "UPGRADE"
    ) -> Members {
        item.merging(["currentSKU": sku, "effective": effective, "reason": reason]) { $1 }
    }

    static func reactivate(_ transaction: String, _ skus: [String]? = nil) -> Members {
        var members: Members = ["transactionId": transaction]
        members["items"] = skus?.map { ["SKU": $0] }
        return request("REACTIVATE_SUBSCRIPTION", members)
    }

    static func json(_ request: Members) throws -> Data { try JSONSerialization.data(withJSONObject: request) }

    // MARK: Purchases

    /// Buys by a request, which the store signs.
    @discardableResult
    func buy(_ request: Members, _ account: SandboxAccount? = nil) throws -> String {
        let isCharge = request["operation"] as? String == "CREATE_ONE_TIME_CHARGE"
        let jws = try store.signedRequest(try Self.json(request))
        return try (account ?? self.account).buy(isCharge ? Self.charge : Self.subscription, compactJWS: jws)
    }

    /// The number of the error for which a request is refused; nil if it is fulfilled.
    func fault(of request: Members) -> Int? {
        let failure = failure { _ = try buy(request) }
        return failure.map { $0.underlying?.code ?? -1 }
    }

    // MARK: Servers

    /// Performs a function on a transaction, as a server asks for it.
    func perform(_ function: AdvancedCommerceFunction, of transaction: String, _ members: Members = [:]) throws {
        let body = try Self.json(Self.informed(members, [:]))
        _ = try ServerView(store).perform(function, of: transaction, body)
    }

    /// The number of the error with which a server's request is answered; nil if it is fulfilled.
    func fault(
        of function: AdvancedCommerceFunction,
        _ transaction: String,
        _ members: Members = [:]
    ) throws -> Int? {
        do {
            try perform(function, of: transaction, members)
            return nil
        } catch let fault as AdvancedCommerceFault {
            return fault.rawValue
        }
    }

    static func refund(_ skus: String..., revoke: Bool = false) -> Members {
        let items = skus.map { sku -> Members in
            ["SKU": sku, "refundType": "FULL", "refundReason": "OTHER", "revoke": revoke]
        }
        return ["refundRiskingPreference": false, "items": items]
    }

    static var revocation: Members {
        ["refundRiskingPreference": false, "refundType": "FULL", "refundReason": "LEGAL"]
    }

    /// A migration of a subscription, whose item is new at the renewal.
    static var migration: Members {
        [
            "targetProductId": subscription, "taxCode": "C003-00-1",
            "descriptors": ["displayName": "Metals", "description": "All of them"],
            "items": [["SKU": "gold.sku", "displayName": "Gold", "description": "Shining"]],
            "renewalItems": [["SKU": "gold.new", "displayName": "New Gold", "description": "Shining more"]],
        ]
    }

    func payload(of transaction: String) throws -> TransactionPayload {
        try #require(try account.signedTransactions.map(\.content).last { $0.transactionId == transaction })
    }

    func info(of transaction: String) throws -> TransactionPayload.AdvancedCommerceInfo {
        try #require(try payload(of: transaction).advancedCommerceInfo)
    }

    /// The account's subscriptions, oldest first.
    var subscriptions: [SignedSubscription] {
        get throws { try account.signedSubscriptions(inGroup: "requests") }
    }

    /// The newest subscription's renewal.
    var renewal: RenewalPayload { get throws { try #require(try subscriptions.last).renewal.content } }

    var renewalInfo: RenewalPayload.AdvancedCommerceInfo {
        get throws { try #require(try renewal.advancedCommerceInfo) }
    }

    var charges: [Decimal] { get throws { try account.transactions.compactMap(\.chargedAmount) } }
}
