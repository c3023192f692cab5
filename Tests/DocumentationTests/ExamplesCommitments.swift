// The code of the article "A year in monthly payments", compiled and run.
import Foundation
import StoreCore
import StoreKit
import Testing

private func shop() throws -> SandboxStore {
    let store = try SandboxStore(products: [
        .autoRenewable("pro.yearly", price: "99.99", period: .init(1, .year), group: "pro")
            .billedMonthly(price: "9.99", introductoryOffer: .freeTrial(.init(1, .week))),
        .autoRenewable("basic", price: "1.99", period: .init(1, .month), group: "pro", level: 2),
    ])
    return store
}

@Test func `An app buys a year in monthly payments`() async throws {
    let store = try shop()
    let context = StoreContext(backend: store, delivery: .inline, log: .silent)
    let isBought = try await context.run {
        let product = try #require(try await Product.products(for: ["pro.yearly"]).first)
        let terms = product.subscription?.pricingTerms.first { $0.billingPlanType == .monthly }
        #expect(
            terms?.billingPrice == Decimal(string: "9.99") && terms?.commitmentInfo.price == Decimal(string: "119.88")
        )
        let result = try await product.purchase(options: [.billingPlanType(.monthly)])
        if case .success = result { return true } else { return false }
    }
    #expect(isBought)
}

@Test func `Payments of a year remain due after renewal was turned off`() throws {
    let store = try shop()
    var monthly = StorePayment(productIdentifier: "pro.yearly")
    monthly.billingPlan = .monthly
    let first = try store.account.buy(monthly)
    #expect(first == "1")

    store.advance(by: 8 * 86_400)
    let payments = store.account.subscription(inGroup: "pro")?.commitment
    #expect(payments?.billingPeriodNumber == 1 && payments?.remainingPayments == 11)

    try store.account.setAutoRenew(false, inGroup: "pro")
    #expect(store.account.subscription(inGroup: "pro")?.willRenew == true)
    #expect(store.account.subscription(inGroup: "pro")?.commitment?.willRenew == false)

    try store.account.buy("basic")
    #expect(store.account.subscription(inGroup: "pro")?.renewsAs == "pro.yearly")
    #expect(store.account.subscription(inGroup: "pro")?.commitment?.renewsAs == "basic")
}
