// The code of the article "Time", compiled and run.
import Foundation
import StoreCore
import Testing

@Test func `A year of renewals is seen term by term`() throws {
    let store = try SandboxStore(products: [
        .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro", title: "Pro")
    ])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "pro.monthly"))

    store.advance(by: .yearly)
    #expect(till.delivered.count == 13)  // the purchase and twelve renewals

    try store.account.setAutoRenew(false, inGroup: "pro")
    #expect(store.account.entitlements.map(\.productIdentifier) == ["pro.monthly"])
    store.advance(by: .monthly)
    #expect(store.account.entitlements.isEmpty)
    #expect(store.account.subscription(inGroup: "pro")?.endReason == .autoRenewDisabled)
}

@Test func `Periods follow the calendar`() throws {
    let january = try Date("2025-01-31T12:00:00Z", strategy: .iso8601)
    let ends = (1...3).map { RenewalRate.realTime.end(of: .init(1, .month), times: $0, from: january) }
    #expect(
        ends.map { $0.formatted(.iso8601) } == [
            "2025-02-28T12:00:00Z", "2025-03-31T12:00:00Z", "2025-04-30T12:00:00Z",
        ]
    )
}

@Test func `A free trial comes first`() throws {
    let store = try SandboxStore(products: [
        .autoRenewable(
            "pro.monthly",
            price: "4.99",
            period: .init(1, .month),
            group: "pro",
            introductoryOffer: .freeTrial(.init(1, .week))
        )
    ])
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    queue.add(SKPayment(productIdentifier: "pro.monthly"))
    let till = Till()
    queue.add(till)
    #expect(till.delivered == ["pro.monthly"])
    #expect(try store.account.totalCharged == 0)
    store.advance(by: 7 * 24 * 60 * 60)
    #expect(try store.account.totalCharged == Decimal(string: "4.99"))
}

@Test func `A quick rate is moved by its own lengths`() throws {
    let store = try SandboxStore(
        products: [.autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro")],
        renewalRate: .month(.thirtySeconds)
    )
    let queue = SKPaymentQueue(backend: store, delivery: .inline)
    let till = Till()
    queue.add(till)
    queue.add(SKPayment(productIdentifier: "pro.monthly"))

    store.advance(by: 12 * 30)
    #expect(till.delivered.count == 13)  // the purchase and twelve renewals
    #expect(throws: ClockError.self) { try store.advanceThrowing(by: 365 * 24 * 60 * 60) }
}

@Test func `A store on real time renews more often`() throws {
    let store = try SandboxStore(
        products: [.autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro")],
        clock: SystemClock.shared,
        renewalRate: .month(.thirtySeconds)
    )
    #expect(store.sells("pro.monthly") == true)
}
