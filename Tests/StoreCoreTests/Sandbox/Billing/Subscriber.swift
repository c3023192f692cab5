import Foundation
import StoreCore
import Testing

/// Somebody who bought a subscription of the market's metals on 1 January 2025, and the app that heard of it.
struct Subscriber {
    let market: Market
    private(set) var app: App
    let product: String

    init(
        to product: String = "gold.monthly",
        _ products: [SandboxProduct] = Market.products,
        ledger: any Ledger = MemoryLedger(),
        renewalRate: RenewalRate = .realTime
    ) throws {
        market = try Market(products, ledger: ledger, renewalRate: renewalRate)
        app = App(on: market.store)
        self.product = product
        app.buy(product)
        #expect(app.recorder.callbacks == [[.updated(product, .purchasing)]] + purchase)
        app.recorder.clear()
    }

    var account: SandboxAccount { market.store.account }

    /// What an app hears of a purchase that goes through, or of a renewal, and of having finished it.
    var purchase: [[Heard]] { delivered(product) }

    /// From now on no renewal can be paid for, with a grace period or without one.
    func failRenewals(grace: Bool = true) throws {
        try market.store.setGrantsGracePeriod(grace)
        try account.setBillingFails(true)
    }

    /// Launches the app anew, with a delegate; the old one hears nothing more.
    mutating func relaunch(_ delegate: any SKPaymentQueueDelegate) {
        app.queue.remove(app.recorder)
        app = App(on: market.store, delegate: delegate)
    }

    /// What the app has heard since it was asked last.
    func heard() -> [[Heard]] {
        market.store.settle()
        defer { app.recorder.clear() }
        return app.recorder.callbacks
    }

    /// How the subscription stands.
    var metals: SandboxSubscription { get throws { try #require(account.subscription(inGroup: "metals")) } }

    /// What was charged, as a price is written.
    var charged: String { get throws { try "\(account.totalCharged)" } }

    /// The last transaction that came.
    var last: SKPaymentTransaction { get throws { try #require(app.recorder.transactions.last) } }
}
