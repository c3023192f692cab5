import Foundation
import StoreCore
import Testing

/// A subscription that is to cost more.
@Suite struct PriceIncreaseTests {
    /// A subscriber who has been asked to agree to 12.99 instead of 9.99.
    private static func asked() throws -> Subscriber {
        let subscriber = try Subscriber()
        try subscriber.market.store.raisePrice(of: "gold.monthly", to: "12.99")
        #expect(try subscriber.metals.priceConsent == .pending && subscriber.market.store.isPriceConsentPending)
        return subscriber
    }

    @Test func `B180, B216: Asked at the launch and agreed to, the renewal costs the new price`() throws {
        var subscriber = try Self.asked()
        subscriber.market.store.priceConsentAnswer = .agree
        let deputy = Deputy()
        subscriber.relaunch(deputy)
        #expect(deputy.asked == ["price"])
        #expect(try subscriber.heard() == [] && subscriber.metals.priceConsent == .agreed)
        #expect(!subscriber.market.store.isPriceConsentPending)
        subscriber.app.queue.comeToFront()
        subscriber.market.advance(to: "2025-02-01T00:00:00Z")
        #expect(deputy.asked == ["price"])
        #expect(try subscriber.heard() == subscriber.purchase && subscriber.charged == "22.98")
        #expect(try subscriber.metals.priceConsent == nil)
        #expect(try subscriber.at("2025-03-01T00:00:00Z").charged == "35.97")
    }

    @Test func `B181, B216: Put off, shown later and refused, the subscription will not renew`() throws {
        var subscriber = try Self.asked()
        subscriber.market.store.priceConsentAnswer = .decline
        let deputy = Deputy(mayShowPriceConsent: { false })
        subscriber.relaunch(deputy)
        #expect(try deputy.asked == ["price"] && subscriber.metals.priceConsent == .pending)
        subscriber.app.queue.showPriceConsentIfNeeded()
        #expect(try subscriber.metals.priceConsent == nil && !subscriber.metals.willRenew)
        subscriber.app.queue.showPriceConsentIfNeeded()
        #expect(deputy.asked == ["price"])
        #expect(try subscriber.at("2025-01-31T23:59:59Z").metals.state == .subscribed)
        #expect(try subscriber.at("2025-02-01T00:00:00Z").metals.endReason == .autoRenewDisabled)
        #expect(try subscriber.heard() == [] && subscriber.charged == "9.99")
    }

    @Test func `B182, B216: Shown and ignored, the subscription ends with its period`() throws {
        var subscriber = try Self.asked()
        let deputy = Deputy()
        subscriber.relaunch(deputy)
        subscriber.app.queue.showPriceConsentIfNeeded()
        #expect(deputy.asked == ["price"])
        #expect(try subscriber.metals.priceConsent == .pending && subscriber.metals.willRenew)
        subscriber.market.advance(to: "2025-01-31T23:59:59Z")
        #expect(subscriber.account.entitlements.map(\.productIdentifier) == ["gold.monthly"])
        let metals = try subscriber.at("2025-02-01T00:00:00Z").metals
        #expect(
            metals.state == .expired && metals.endReason == .didNotConsentToPriceIncrease && metals.priceConsent == nil
        )
        #expect(subscriber.account.entitlements.isEmpty && !subscriber.market.store.isPriceConsentPending)
        #expect(try subscriber.heard() == [] && subscriber.charged == "9.99")
    }

    @Test func `B180: The delegate is asked when the app comes to the front while it runs`() throws {
        var subscriber = try Subscriber()
        let deputy = Deputy()
        subscriber.relaunch(deputy)
        try subscriber.market.store.raisePrice(of: "gold.monthly", to: "12.99")
        #expect(subscriber.heard() == [] && deputy.asked.isEmpty)
        subscriber.app.queue.comeToFront()
        #expect(subscriber.heard() == [] && deputy.asked == ["price"])
    }

    @Test func `B216: Whoever refused and turns renewal on again keeps the price`() throws {
        let subscriber = try Self.asked()
        try subscriber.account.answerPriceConsent(.decline, inGroup: "metals")
        try subscriber.account.setAutoRenew(true, inGroup: "metals")
        #expect(subscriber.at("2025-03-01T00:00:00Z").heard() == subscriber.purchase + subscriber.purchase)
        #expect(try subscriber.charged == "29.97")
        try subscriber.market.store.raisePrice(of: "gold.monthly", to: "14.99")
        try subscriber.account.answerPriceConsent(.agree, inGroup: "metals")
        #expect(try subscriber.at("2025-04-01T00:00:00Z").charged == "44.96")
    }

    @Test func `B200, B216: Refused in billing retry, the subscription is over at once`() throws {
        let subscriber = try Self.asked()
        try subscriber.account.answerPriceConsent(.agree, inGroup: "metals")
        try subscriber.account.setBillingFails(true)
        try subscriber.at("2025-02-01T00:00:00Z").account.requestPriceIncreaseConsent(inGroup: "metals")
        subscriber.market.store.priceConsentAnswer = .decline
        subscriber.market.store.showPriceConsent()
        #expect(try subscriber.metals.endReason == .autoRenewDisabled)
        try subscriber.account.resolveBillingIssue(inGroup: "metals")
        #expect(try subscriber.heard() == [] && subscriber.charged == "9.99")
    }

    @Test func `B216: Consent may be asked for again, without another price`() throws {
        let subscriber = try Subscriber()
        for month in 2...3 {
            for _ in 1...2 { try subscriber.account.requestPriceIncreaseConsent(inGroup: "metals") }
            #expect(try subscriber.metals.priceConsent == .pending)
            try subscriber.account.answerPriceConsent(.agree, inGroup: "metals")
            #expect(try subscriber.metals.priceConsent == .agreed)
            let nothing = SandboxError(.noPriceConsentPending(group: "metals"))
            #expect(throws: nothing) { try subscriber.account.answerPriceConsent(.agree, inGroup: "metals") }
            #expect(subscriber.at("2025-0\(month)-01T00:00:00Z").heard() == subscriber.purchase)
            #expect(try subscriber.metals.priceConsent == nil)
        }
        #expect(try subscriber.charged == "29.97")
    }

    @Test func `Who buys after the price was raised pays it and is not asked`() throws {
        let market = try Market()
        try market.store.raisePrice(of: "gold.monthly", to: "12.99")
        App(on: market.store).buy("gold.monthly")
        #expect(!market.store.isPriceConsentPending)
        #expect(try market.store.account.totalCharged == Decimal(string: "12.99"))
        #expect(try market.store.products(["gold.monthly"])?.get().products.first?.price == Decimal(string: "12.99"))
    }

    @Test func `A price that is not higher asks nobody, and is what the renewal costs`() throws {
        let subscriber = try Self.asked()
        try subscriber.market.store.raisePrice(of: "gold.monthly", to: "8.99")
        #expect(try subscriber.metals.priceConsent == nil)
        #expect(try subscriber.at("2025-02-01T00:00:00Z").charged == "18.98")
    }

    @Test func `Only subscribers who renew as the product are asked, each for himself`() throws {
        let subscriber = try Subscriber()
        let bob = try subscriber.market.store.addAccount("bob")
        let phone = try subscriber.market.store.addDevice("phone", signedInTo: bob)
        App(on: phone).buy("silver.monthly")
        try subscriber.market.store.raisePrice(of: "gold.monthly", to: "12.99")
        #expect(bob.subscription(inGroup: "metals")?.priceConsent == nil && !phone.isPriceConsentPending)
        subscriber.app.buy("silver.monthly")
        #expect(try subscriber.metals.priceConsent == nil)
        try subscriber.market.store.raisePrice(of: "silver.monthly", to: "5.99")
        #expect(phone.isPriceConsentPending)
        phone.priceConsentAnswer = .agree
        phone.showPriceConsent()
        #expect(bob.subscription(inGroup: "metals")?.priceConsent == .agreed)
        #expect(try subscriber.metals.priceConsent == .pending)
    }

    @Test func `A device that cannot reach the store is asked nothing and answers nothing`() throws {
        let subscriber = try Self.asked()
        let store = subscriber.market.store
        store.priceConsentAnswer = .agree
        store.isReachable = false
        #expect(!store.isPriceConsentPending)
        store.showPriceConsent()
        store.isReachable = true
        #expect(try store.isPriceConsentPending && subscriber.metals.priceConsent == .pending)
    }

    @Test func `A price that nothing can have, or of what is not sold, is refused`() throws {
        #expect(throws: SandboxError(.unknownProduct("tin"))) { try Market().store.raisePrice(of: "tin", to: "1") }
        #expect("\(SandboxError(.noPriceConsentPending(group: "metals")))".contains("\"metals\""))
    }

    @Test func `A question survives the store, and the kept price with it`() throws {
        let ledger = MemoryLedger()
        do { try Subscriber(ledger: ledger).market.store.raisePrice(of: "gold.monthly", to: "12.99") }
        let (copy, _) = try LedgerCopy.rewritten(ledger)
        // The products come from the ledger: given anew they would have the old price.
        let later = try Market([], ledger: copy)
        #expect(later.store.isPriceConsentPending)
        try later.store.account.answerPriceConsent(.decline, inGroup: "metals")
        try later.store.account.setAutoRenew(true, inGroup: "metals")
        #expect(try later.at("2025-02-01T00:00:00Z").store.account.totalCharged == Decimal(string: "19.98"))
    }

    @Test func `B216: Where the product has a price of its own it costs that, whatever is kept elsewhere`() throws {
        let gold = Market.subscription("gold", level: 1, price: "9.99", .init(1, .month)).priced("12", in: "JPN")
        let subscriber = try Subscriber(to: "gold", [gold])
        let (store, account) = (subscriber.market.store, subscriber.account)
        try store.raisePrice(of: "gold", to: "10.99")
        try account.answerPriceConsent(.decline, inGroup: "metals")
        try account.setAutoRenew(true, inGroup: "metals")
        try store.setStorefront("JPN")
        #expect(try subscriber.at("2025-02-01T00:00:00Z").charged == "21.99")
        try store.raisePrice(of: "gold", to: "11.99")
        #expect(try subscriber.metals.priceConsent == nil)
        try store.setStorefront("USA")
        #expect(try subscriber.at("2025-03-01T00:00:00Z").charged == "31.98")
    }
}
