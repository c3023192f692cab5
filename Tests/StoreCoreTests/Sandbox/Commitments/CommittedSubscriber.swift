import Foundation
import StoreCore
import Testing

/// Somebody who may pay a year monthly, from 1 January 2025 on.
struct CommittedSubscriber {
    let market: Market
    var store: SandboxStore { market.store }
    var account: SandboxAccount { market.store.account }

    static let products: [SandboxProduct] = [
        year("top", level: 1, price: "199.99"),
        year("year", level: 2, price: "99.99").billedMonthly(price: "9.99"),
        year("other", level: 2, price: "89.99").billedMonthly(price: "8.99"),
        Market.subscription("month", level: 2, price: "12.99", .init(1, .month)),
        Market.subscription("small", level: 3, price: "1.99", .init(1, .month)),
    ]

    static func year(_ identifier: String, level: Int, price: String) -> SandboxProduct {
        Market.subscription(identifier, level: level, price: price, .init(1, .year))
    }

    init(
        _ products: [SandboxProduct] = CommittedSubscriber.products,
        ledger: any Ledger = MemoryLedger(),
        renewalRate: RenewalRate = .realTime
    ) throws {
        market = try Market(products, ledger: ledger, renewalRate: renewalRate)
        market.store.acceptsTestPurchases = true
    }

    /// A subscriber who has bought the year in monthly payments.
    static func committed(ledger: any Ledger = MemoryLedger()) throws -> CommittedSubscriber {
        let subscriber = try CommittedSubscriber(ledger: ledger)
        try subscriber.buyMonthly("year")
        return subscriber
    }

    /// Buys a year in monthly payments.
    @discardableResult
    func buyMonthly(_ product: String, _ change: (inout StorePayment) -> Void = { _ in }) throws -> String {
        var payment = StorePayment(productIdentifier: product)
        payment.isStoreKit2 = true
        payment.billingPlan = .monthly
        change(&payment)
        return try account.buy(payment)
    }

    func at(_ date: String) -> CommittedSubscriber {
        market.advance(to: date)
        return self
    }

    var metals: SandboxSubscription { get throws { try #require(account.subscription(inGroup: "metals")) } }
    var charged: String { get throws { try "\(account.totalCharged)" } }

    /// The newest transaction and the renewal, as they are signed.
    var signed: (transaction: TransactionPayload, renewal: RenewalPayload) {
        get throws {
            let found = try #require(try account.signedSubscriptions(inGroup: "metals").first)
            return (found.transaction.payload, found.renewal.payload)
        }
    }
}

/// A moment as payloads have it.
func payloadDate(_ text: String) -> PayloadDate { PayloadDate(Market.date(text)) }
