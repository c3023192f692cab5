// The code of the article about renewals that cannot be paid for and prices that go up, compiled and run.
import Foundation
import StoreCore
import Testing

@Test func `A renewal cannot be paid for, a price goes up, a subscription ends`() throws {
    let store = try SandboxStore(products: [
        .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro")
    ])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "pro.monthly"))
    let account = store.account

    try account.setBillingFails(true)
    store.advance(by: 31 * 86_400)
    #expect(account.subscription(inGroup: "pro")?.state == .inBillingRetryPeriod)
    #expect(account.entitlements.isEmpty)

    try account.resolveBillingIssue(inGroup: "pro")
    #expect(account.subscription(inGroup: "pro")?.state == .subscribed)
    #expect(account.subscription(inGroup: "pro")?.periodStart == store.clock.now)

    try store.setGrantsGracePeriod(true)
    store.advance(by: 31 * 86_400)
    #expect(account.subscription(inGroup: "pro")?.state == .inGracePeriod)
    #expect(account.entitlements.first?.isInGracePeriod == true)

    let date = account.subscription(inGroup: "pro")?.expirationDate
    store.advance(by: 5 * 86_400)
    try account.resolveBillingIssue(inGroup: "pro")
    #expect(account.subscription(inGroup: "pro")?.periodStart == date)

    try account.setBillingFails(false)
    try store.raisePrice(of: "pro.monthly", to: "6.99")
    #expect(account.subscription(inGroup: "pro")?.priceConsent == .pending)

    store.priceConsentAnswer = .agree
    queue.showPriceConsentIfNeeded()
    #expect(account.subscription(inGroup: "pro")?.priceConsent == .agreed)

    try account.forceRenewal(inGroup: "pro")
    #expect(account.subscription(inGroup: "pro")?.periodStart == store.clock.now)

    try account.expireSubscription(inGroup: "pro")
    #expect(account.subscription(inGroup: "pro")?.state == .expired)

    try store.setRenewalLimit(12)
    #expect(try account.totalCharged == Decimal(string: "21.96"))
    #expect(till.delivered.count == 4)
}

@Test func `A timeline says why a subscription ended, as the article shows`() throws {
    let store = try SandboxStore(products: [
        .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro")
    ])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "pro.monthly"))
    try store.account.setBillingFails(true)
    store.advance(by: 100 * 86_400)
    let article = try Document("Sources/StoreCore/StoreCore.docc/Articles/BillingTrouble.md")
    let shown = try #require(article.fences.first { $0.language == "text" }).lines
    #expect(try store.timeline.description.split(separator: "\n").map(String.init) == shown)
}
