// The code of the article about suites and bundles, compiled and run.
import Foundation
import StoreCore
import Testing

@Test func `A bundle is bought, and left for one of its members`() throws {
    let month = StoreProduct.Period(1, .month)
    let products: [SandboxProduct] = [
        .autoRenewable("news", price: "4.99", period: month, group: "papers"),
        .autoRenewable("music", price: "5.99", period: month, group: "music"),
        .subscriptionBundle("both", price: "7.99", period: month, group: "bundles", members: ["news", "music"]),
        .subscriptionSuite("studio", price: "59.99", period: .init(1, .year), group: "studio"),
    ]
    let store = try SandboxStore(products: products, clock: ManualClock())
    try store.account.buy("both")
    let member = try store.signedTransaction("2").payload
    #expect(member.productId == "news" && member.price == 0)
    #expect(member.bundleProductId == "both" && member.bundleTransactionId == "1")
    #expect(store.account.entitlements.map(\.productIdentifier) == ["both", "news", "music"])

    try store.account.setAutoRenew(true, inGroup: "papers")
    let renewal = try store.account.signedSubscriptions(inGroup: "papers")[0].renewal.payload
    #expect(renewal.willUnbundle == true)
    store.advance(by: 31 * 86_400)
    #expect(store.account.entitlements.map(\.productIdentifier) == ["news"])
    #expect(store.account.subscription(inGroup: "music")?.endReason == .unbundled)
}
