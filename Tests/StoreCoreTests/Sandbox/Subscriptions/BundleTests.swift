import Foundation
import StoreCore
import Testing

/// Bundles of subscriptions, whose members follow them.
@Suite struct BundleTests {
    private let ledger = MemoryLedger()
    private let market: Market
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.account }

    init() throws { market = try Market(Self.products, ledger: ledger) }

    private static let month = StoreProduct.Period(1, .month)

    static let products: [SandboxProduct] = [
        .autoRenewable("news", price: "4.99", period: month, group: "papers", title: "News"),
        .autoRenewable("music", price: "5.99", period: month, group: "music", level: 2, isFamilyShareable: true),
        .autoRenewable("music.best", price: "9.99", period: .init(1, .year), group: "music"),
        .subscriptionBundle(
            "both",
            price: "7.99",
            period: month,
            group: "bundles",
            level: 2,
            members: ["news", "music"]
        ),
        .subscriptionBundle("best", price: "11.99", period: month, group: "bundles", members: ["music.best"]),
        .subscriptionSuite("studio", price: "59.99", period: .init(1, .year), group: "studio", members: ["Draw"]),
    ]

    private func payload(_ identifier: String) throws -> TransactionPayload {
        try store.signedTransaction(identifier).payload
    }

    private func standing(_ group: String) throws -> (TransactionPayload, RenewalPayload, SubscriptionState) {
        let subscription = try #require(try account.signedSubscriptions(inGroup: group).first)
        return (subscription.transaction.payload, subscription.renewal.payload, subscription.state)
    }

    /// The account's entitlements, by their products.
    private var entitled: Set<String> { Set(account.entitlements.map(\.productIdentifier)) }

    /// The products of the account's transactions, in order.
    private var bought: [String] { get throws { try account.transactions.map(\.productIdentifier) } }

    // MARK: Purchase and renewal

    @Test func `The members follow a bundle that was ordered before its last period, and approved after it`() throws {
        try account.setAsksToBuy(true)
        _ = App(on: store, buying: "both")
        try account.setBillingFails(true)
        try account.buy("both")
        try account.forceRenewal(inGroup: "bundles")
        market.advance(to: "2025-01-02T00:00:00Z")
        try store.decide(try #require(store.undecidedRequests.first).transaction, as: .approve)
        let ends = ["bundles", "papers", "music"].map { account.subscription(inGroup: $0)?.expirationDate }
        #expect(Set(ends) == [Market.date("2025-02-02T00:00:00Z")])
        #expect(entitled == ["both", "news", "music"])
    }

    @Test func `A suite is one subscription, with a type of its own`() throws {
        let app = App(on: store, buying: "studio")
        #expect(app.recorder.callbacks.last == [.removed("studio")] && entitled == ["studio"])
        let payload = try payload("1")
        #expect(payload.type == .subscriptionSuite && payload.subscriptionGroupIdentifier == "studio")
        #expect(
            payload.bundleProductId == nil && payload.expiresDate == PayloadDate(Market.date("2026-01-01T00:00:00Z"))
        )
        market.advance(to: "2026-01-02T00:00:00Z")
        #expect(try bought == ["studio", "studio"])
        #expect(try account.totalCharged == Decimal(string: "119.98"))
    }

    @Test func `With a bundle each member is delivered, and costs nothing`() throws {
        let app = App(on: store, buying: "both")
        #expect(try bought == ["both", "news", "music"] && app.queue.transactions.isEmpty)
        #expect(try account.totalCharged == Decimal(string: "7.99") && entitled == ["both", "news", "music"])
        let (bundle, member) = (try payload("1"), try payload("2"))
        #expect(bundle.type == .subscriptionBundle && bundle.bundleProductId == nil)
        #expect(member.type == .autoRenewable && member.originalTransactionId == "2" && member.price == 0)
        #expect(member.bundleProductId == "both" && member.bundleTransactionId == "1")
        #expect(member.bundleOriginalTransactionId == "1" && member.bundleSubscriptionGroupIdentifier == "bundles")
        #expect(member.subscriptionGroupIdentifier == "papers" && member.expiresDate == bundle.expiresDate)
        #expect(member.previousOriginalTransactionId == nil && member.transactionReason == .purchase)
        let (_, renewal, state) = try standing("papers")
        #expect(state == .subscribed && renewal.autoRenewStatus == .on && renewal.renewalPrice == 0)
        #expect(renewal.bundleProductId == "both" && renewal.bundleOriginalTransactionId == "1")
        #expect(renewal.bundleSubscriptionGroupIdentifier == "bundles" && renewal.willUnbundle == nil)
        #expect(account.subscription(inGroup: "papers")?.bundleProductIdentifier == "both")
        #expect(account.subscription(inGroup: "papers")?.willRenew == true)
        #expect(account.subscription(inGroup: "bundles")?.bundleProductIdentifier == nil)
    }

    @Test func `Members renew with their bundle, each as itself`() throws {
        try account.buy("both")
        market.advance(to: "2025-03-10T00:00:00Z")
        #expect(try bought == ["both", "news", "music", "both", "news", "music", "both", "news", "music"])
        #expect(try account.totalCharged == Decimal(string: "23.97"))
        let member = try payload("8")
        #expect(member.originalTransactionId == "2" && member.transactionReason == .renewal)
        #expect(member.bundleTransactionId == "7" && member.bundleOriginalTransactionId == "1")
        #expect(try member.expiresDate == payload("7").expiresDate && entitled == ["both", "news", "music"])
    }

    @Test func `A member that is bought again stays in the bundle`() throws {
        try account.buy("both")
        #expect(try account.buy("news") == "2")
        market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try account.totalCharged == Decimal(string: "15.98"))
        #expect(try standing("papers").0.bundleTransactionId == "5")
    }

    @Test func `A higher level that is bought by itself replaces the member, and the bundle renews without it`() throws
    {
        try account.buy("both")
        try account.buy("music.best")
        #expect(try payload("4").previousOriginalTransactionId == "1" && payload("4").bundleProductId == nil)
        #expect(try payload("3").isUpgraded == true)
        market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try bought == ["both", "news", "music", "music.best", "both", "news"])
        #expect(entitled == ["both", "news", "music.best"])
    }

    @Test func `What would follow a member at its renewal is refused, and a code is not used up`() throws {
        var news = Self.products[0]
        news.subscription?.offerCodes = [.init(.freeTrial(.init(1, .week), identifier: "GIFT"))]
        try store.register(news)
        try account.buy("both")
        var error = #expect(throws: StoreFailure.self) { try account.redeem(code: "GIFT") }
        #expect(
            error?.reason == #"news cannot follow the subscription of its group, which is a part of "both""#
                && error?.code == StoreFailure.Code.paymentInvalid.rawValue
        )
        market.clock.advance(by: 3600)
        try account.buy("best")
        error = #expect(throws: StoreFailure.self) { try account.buy("music") }
        #expect(error?.reason == #"music cannot follow the subscription of its group, which is a part of "best""#)
        #expect(try bought == ["both", "news", "music", "best", "music.best"])
        try account.expireSubscription(inGroup: "bundles")
        try account.redeem(code: "GIFT")
        #expect(account.subscription(inGroup: "papers")?.offer?.identifier == "GIFT" && entitled == ["news"])
    }

    @Test func `A member is renewed as a part of the bundle's next product, if that includes it`() throws {
        let small = SandboxProduct.subscriptionBundle(
            "small",
            price: "4.99",
            period: Self.month,
            group: "bundles",
            level: 3,
            members: ["music"]
        )
        try store.register(small)
        try account.buy("best")
        try account.buy("both")
        var renewal = try standing("music").1
        #expect(renewal.autoRenewProductId == "music" && renewal.bundleProductId == "both")
        #expect(renewal.autoRenewStatus == .on && account.subscription(inGroup: "music")?.renewsAs == "music")
        market.advance(to: "2025-02-10T00:00:00Z")
        try account.buy("small")
        renewal = try standing("papers").1
        #expect(renewal.autoRenewStatus == .off && account.subscription(inGroup: "papers")?.willRenew == false)
        #expect(try standing("music").1.autoRenewStatus == .on)
        market.advance(to: "2025-03-10T00:00:00Z")
        #expect(entitled == ["small", "music"] && account.subscription(inGroup: "papers")?.endReason == .unbundled)
    }

    @Test func `A commitment is that of the bundle, with which the members go on`() throws {
        let year = SandboxProduct.subscriptionBundle(
            "year",
            price: "79.99",
            period: .init(1, .year),
            group: "bundles",
            members: ["news", "music"]
        )
        try store.register(year.billedMonthly(price: "7.49"))
        try buyMonthly("year")
        try account.setAutoRenew(false, inGroup: "bundles")
        let renewal = try standing("papers").1
        #expect(renewal.autoRenewStatus == .on && renewal.bundleProductId == "year")
        #expect(account.subscription(inGroup: "papers")?.willRenew == true)
        market.clock.advance(by: 3600)
        try account.forceRenewal(inGroup: "bundles")
        #expect(try payload("1").commitmentInfo != nil && payload("2").commitmentInfo == nil)
        #expect(try payload("5").commitmentInfo == nil && payload("5").bundleTransactionId == "4")
    }

    @Test func `The payments of a commitment name what the subscription replaced, as does the first`() throws {
        try store.register(Self.products[2].billedMonthly(price: "0.99"))
        try account.buy("both")
        try buyMonthly("music.best")
        market.advance(to: "2025-02-10T00:00:00Z")
        let payments = try account.transactions.filter { $0.productIdentifier == "music.best" }.map(\.id)
        #expect(payments.count == 2)
        for payment in payments { #expect(try payload(payment).previousOriginalTransactionId == "1") }
    }

    private func buyMonthly(_ product: String) throws {
        var payment = StorePayment(productIdentifier: product)
        payment.isStoreKit2 = true
        payment.billingPlan = .monthly
        _ = try account.buy(payment)
    }

    // MARK: The end

    @Test func `Members end with a bundle that was canceled, as unbundled`() throws {
        try account.buy("both")
        try account.setAutoRenew(false, inGroup: "bundles")
        #expect(
            try standing("papers").1.autoRenewStatus == .off
                && account.subscription(inGroup: "papers")?.willRenew == false
        )
        market.advance(to: "2025-02-01T00:00:00Z")
        let (transaction, renewal, state) = try standing("papers")
        #expect(state == .expired && renewal.expirationIntent == .unbundled && transaction.transactionId == "2")
        #expect(try standing("bundles").1.expirationIntent == .customerCanceled && entitled.isEmpty)
        #expect(account.subscription(inGroup: "music")?.endReason == .unbundled)
        try account.buy("both")
        #expect(try standing("papers").0.originalTransactionId == "2" && entitled == ["both", "news", "music"])
    }

    @Test func `A member may leave the bundle, and renews by itself`() throws {
        try account.buy("both")
        try account.setAutoRenew(true, inGroup: "papers")
        var (_, renewal, _) = try standing("papers")
        #expect(renewal.willUnbundle == true && renewal.bundleProductId == nil && renewal.autoRenewStatus == .on)
        #expect(renewal.renewalPrice == 4990 && account.subscription(inGroup: "bundles")?.willRenew == false)
        renewal = try standing("music").1
        #expect(renewal.willUnbundle == nil && renewal.autoRenewStatus == .off && renewal.bundleProductId == "both")
        market.advance(to: "2025-03-10T00:00:00Z")
        #expect(try bought == ["both", "news", "music", "news", "news"] && entitled == ["news"])
        #expect(try account.totalCharged == Decimal(string: "17.97"))
        let (first, second) = (try payload("4"), try payload("5"))
        #expect(first.originalTransactionId == "4" && first.previousOriginalTransactionId == "1")
        #expect(second.originalTransactionId == "4" && second.previousOriginalTransactionId == "1")
        #expect(try first.bundleProductId == nil && first.purchaseDate == payload("2").expiresDate)
        #expect(account.subscription(inGroup: "music")?.endReason == .unbundled)
    }

    @Test func `A bundle that is to renew after all keeps its members`() throws {
        try account.buy("both")
        try account.setAutoRenew(true, inGroup: "papers")
        try account.setAutoRenew(true, inGroup: "bundles")
        #expect(try standing("papers").1.bundleProductId == "both" && standing("papers").1.willUnbundle == nil)
        try account.setAutoRenew(true, inGroup: "papers")
        try account.setAutoRenew(false, inGroup: "papers")
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(entitled.isEmpty && account.subscription(inGroup: "papers")?.endReason == .unbundled)
    }

    @Test(arguments: [false, true])
    func `A bundle that is taken up again keeps its members`(isForced: Bool) throws {
        try account.buy("both")
        try account.setAutoRenew(true, inGroup: "papers")
        market.clock.advance(by: 3600)
        if isForced { try account.forceRenewal(inGroup: "bundles") } else { try account.buy("both") }
        market.advance(to: "2025-02-10T00:00:00Z")
        try account.setAutoRenew(false, inGroup: "bundles")
        let charged = try account.totalCharged
        market.advance(to: "2025-03-10T00:00:00Z")
        #expect(try account.totalCharged == charged && entitled.isEmpty)
        #expect(account.subscription(inGroup: "papers")?.endReason == .unbundled)
    }

    @Test func `A bundle of a higher level keeps the members that were to leave`() throws {
        try account.buy("both")
        try account.setAutoRenew(true, inGroup: "music")
        market.clock.advance(by: 3600)
        try account.buy("best")
        try account.setAutoRenew(false, inGroup: "bundles")
        let charged = try account.totalCharged
        market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try account.totalCharged == charged && entitled.isEmpty)
    }

    @Test func `A bundle that could not be charged ends at once when a member leaves it`() throws {
        try account.buy("both")
        try account.setBillingFails(true)
        market.advance(to: "2025-02-10T00:00:00Z")
        try account.setBillingFails(false)
        try account.setAutoRenew(true, inGroup: "papers")
        #expect(account.subscription(inGroup: "bundles")?.endReason == .autoRenewDisabled && entitled == ["news"])
        try account.resolveBillingIssue(inGroup: "bundles")
        #expect(try account.totalCharged == Decimal(string: "12.98"))
    }

    @Test func `A member's bill is that of its bundle`() throws {
        try account.buy("both")
        try account.setBillingFails(true)
        market.advance(to: "2025-02-10T00:00:00Z")
        try account.resolveBillingIssue(inGroup: "papers")
        #expect(try bought == ["both", "news", "music", "both", "news", "music"])
        #expect(try account.totalCharged == Decimal(string: "15.98") && entitled == ["both", "news", "music"])
    }

    @Test func `A member that leaves cannot renew by itself if nothing can be charged`() throws {
        try account.buy("both")
        try account.setAutoRenew(true, inGroup: "papers")
        try account.setBillingFails(true)
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(account.subscription(inGroup: "papers")?.endReason == .billingError && entitled.isEmpty)
    }

    @Test func `Members have the billing trouble of their bundle, and its grace`() throws {
        try store.setGrantsGracePeriod(true)
        try account.buy("both")
        try account.setBillingFails(true)
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(try standing("papers").2 == .inGracePeriod && entitled == ["both", "news", "music"])
        market.advance(to: "2025-02-25T00:00:00Z")
        #expect(try standing("papers").2 == .inBillingRetryPeriod && entitled.isEmpty)
        try account.resolveBillingIssue(inGroup: "bundles")
        #expect(try standing("papers").2 == .subscribed && entitled == ["both", "news", "music"])
        #expect(try bought == ["both", "news", "music", "both", "news", "music"])
        market.advance(to: "2025-04-01T00:00:00Z")
        market.advance(to: "2025-07-01T00:00:00Z")
        #expect(account.subscription(inGroup: "papers")?.endReason == .billingError)
    }

    @Test func `Members end and begin with a bundle that expires or renews now`() throws {
        try account.buy("both")
        market.clock.advance(by: 3600)
        try account.forceRenewal(inGroup: "bundles")
        let now = PayloadDate(market.clock.now)
        #expect(try payload("2").expiresDate == now && payload("5").purchaseDate == now)
        market.clock.advance(by: 3600)
        try account.expireSubscription(inGroup: "bundles")
        #expect(try payload("5").expiresDate == PayloadDate(market.clock.now) && entitled.isEmpty)
        #expect(account.subscription(inGroup: "papers")?.endReason == .unbundled)
        #expect(try store.account.transactions[4].expirationDate == market.clock.now)
    }

    @Test func `A member changes with its bundle alone`() throws {
        try account.buy("both")
        let error = SandboxError(.bundled(group: "papers", bundle: "both", bundleGroup: "bundles"))
        #expect(throws: error) { try account.expireSubscription(inGroup: "papers") }
        #expect(throws: error) { try account.forceRenewal(inGroup: "papers") }
        #expect(throws: error) { try account.requestPriceIncreaseConsent(inGroup: "papers") }
        #expect(throws: SandboxError(.notSold("2"))) { try store.refund("2") }
        let sentence = #"the subscription in the group "papers" is a part of "both": use its group, "bundles""#
        #expect(error.description == sentence && entitled == ["both", "news", "music"])
        try store.raisePrice(of: "news", to: "6.99")
        #expect(account.subscription(inGroup: "papers")?.priceConsent == nil)
        let view = ServerView(store)
        #expect(throws: ServerRefusal.notActive("2")) {
            try view.extendRenewal(of: "2", days: 3, reason: 1, request: "r")
        }
        _ = try view.extendRenewal(of: "1", days: 3, reason: 1, request: "r")
        #expect(try payload("2").expiresDate == PayloadDate(Market.date("2025-02-04T00:00:00Z")))
    }

    // MARK: Refunds and deletions

    @Test func `A refund revokes the members too, and its reversal returns them`() throws {
        let app = App(on: store, buying: "both")
        app.recorder.clear()
        try store.refund("1", percentage: 50, reason: .developerIssue)
        #expect(app.recorder.callbacks == [[.revoked(["both"])], [.revoked(["news"])], [.revoked(["music"])]])
        let payload = try payload("3")
        #expect(payload.revocationReason == .developerIssue && payload.revocationPercentage == 50_000)
        #expect(try standing("music").2 == .revoked && entitled.isEmpty)
        try store.reverseRefund(of: "1")
        #expect(entitled == ["both", "news", "music"])
        market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try bought.suffix(3) == ["both", "news", "music"])
    }

    @Test(arguments: [
        SandboxProduct.autoRenewable("both", price: "7.99", period: .init(1, .month), group: "bundles", level: 2),
        .nonConsumable("both", price: "7.99"), .consumable("both", price: "7.99"),
    ])
    func `A bundle that is another product by now is refunded with its members`(product: SandboxProduct) throws {
        try account.buy("both")
        try store.register(product)
        try store.refund("1")
        #expect(try ["1", "2", "3"].allSatisfy { try payload($0).revocationDate != nil })
        #expect(try standing("papers").2 == .revoked && standing("music").2 == .revoked && entitled.isEmpty)
        #expect(account.subscription(inGroup: "bundles")?.endReason == .revoked)
        try store.reverseRefund(of: "1")
        #expect(account.subscription(inGroup: "bundles")?.isRunning == true)
        #expect(try standing("music").2 == .subscribed)
    }

    @Test func `Of a subscription that is a non-consumable by now, one period is refunded`() throws {
        try account.buy("news")
        market.advance(to: "2025-03-10T00:00:00Z")
        try store.register(.nonConsumable("news", price: "4.99"))
        try account.buy("news")
        try store.refund("2")
        #expect(try ["1", "2", "3", "4"].map { try payload($0).revocationDate != nil } == [false, true, false, false])
        try store.refund("4")
        #expect(try payload("3").revocationDate == nil)
    }

    @Test func `The refund of an earlier period leaves the running one`() throws {
        try account.buy("both")
        market.advance(to: "2025-02-10T00:00:00Z")
        try store.refund("1")
        #expect(try payload("2").revocationDate != nil && payload("5").revocationDate == nil)
        #expect(entitled == ["both", "news", "music"])
    }

    @Test func `Deleting a bundle's transactions deletes those of its members`() throws {
        try account.buy("both")
        market.advance(to: "2025-02-10T00:00:00Z")
        try store.deleteTransaction("1")
        #expect(try bought.isEmpty && entitled.isEmpty)
        market.advance(to: "2025-03-10T00:00:00Z")
        #expect(try bought.isEmpty)
    }

    @Test func `Deleting a bundle's transaction deletes what followed a member, too`() throws {
        try account.buy("both")
        try account.buy("music.best")
        try store.deleteTransaction("1")
        #expect(try bought.isEmpty && entitled.isEmpty && account.subscriptions.isEmpty)
    }

    // MARK: From one to the other

    @Test func `Who buys a bundle is paid back the rest of a member bought before`() throws {
        let app = App(on: store, buying: "news")
        market.advance(to: "2025-01-16T12:00:00Z")
        app.recorder.clear()
        app.buy("both")
        let former = try payload("1")
        #expect(former.revocationReason == .upgradedToBundle && former.revocationType == .proratedRefund)
        #expect(former.revocationPercentage == 50_000 && !app.recorder.callbacks.contains([.revoked(["news"])]))
        let member = try payload("3")
        #expect(member.originalTransactionId == "3" && member.previousOriginalTransactionId == "1")
        #expect(entitled == ["both", "news", "music"])
        let (_, renewal, state) = try standing("papers")
        #expect(state == .subscribed && renewal.originalTransactionId == "3")
        market.advance(to: "2025-02-17T00:00:00Z")
        #expect(try payload("6").originalTransactionId == "3" && payload("6").previousOriginalTransactionId == "1")
        #expect(try account.totalCharged == Decimal(string: "20.97"))
    }

    @Test func `Nothing is paid back of a member bought before whose renewal failed`() throws {
        try account.buy("news")
        try account.setBillingFails(true)
        market.advance(to: "2025-02-10T00:00:00Z")
        try account.buy("both")
        #expect(try payload("1").revocationDate == nil && payload("3").previousOriginalTransactionId == "1")
        #expect(try account.totalCharged == Decimal(string: "12.98") && entitled == ["both", "news", "music"])
    }

    @Test func `Another product of a member's group is revoked when the bundle is bought`() throws {
        let app = App(on: store, buying: "music.best")
        app.recorder.clear()
        app.buy("both")
        #expect(app.recorder.callbacks.contains([.revoked(["music.best"])]) && entitled == ["both", "news", "music"])
    }

    @Test func `A bundle of a higher level takes over the groups that both have, and ends the others`() throws {
        try account.buy("both")
        market.clock.advance(by: 3600)
        try account.buy("best")
        #expect(try bought == ["both", "news", "music", "best", "music.best"] && entitled == ["best", "music.best"])
        #expect(try payload("3").isUpgraded == true && payload("5").originalTransactionId == "3")
        #expect(account.subscription(inGroup: "papers")?.endReason == .unbundled)
        #expect(try payload("2").expiresDate == PayloadDate(market.clock.now))
        try account.buy("both")
        market.advance(to: "2025-02-10T00:00:00Z")
        #expect(try bought.suffix(3) == ["both", "news", "music"] && entitled == ["both", "news", "music"])
    }

    @Test func `After the bundle a member that is bought by itself is another subscription`() throws {
        try account.buy("both")
        try account.expireSubscription(inGroup: "bundles")
        try account.buy("news")
        #expect(try payload("4").originalTransactionId == "4" && payload("4").previousOriginalTransactionId == "1")
        #expect(try standing("papers").1.bundleProductId == nil && entitled == ["news"])
    }

    // MARK: Elsewhere

    @Test func `Members end when the bundle renews as a product that is none any more`() throws {
        try account.buy("both")
        try store.register(.autoRenewable("both", price: "7.99", period: Self.month, group: "bundles", level: 2))
        #expect(entitled == ["both", "news", "music"])
        market.advance(to: "2025-02-02T00:00:00Z")
        #expect(entitled == ["both"])
        #expect(account.subscription(inGroup: "papers")?.endReason == .unbundled)
    }

    @Test func `Another process finds a bundle and its members as they were left`() throws {
        try account.buy("news")
        try account.buy("both")
        try account.setAutoRenew(true, inGroup: "music")
        let other = try Market(Self.products, ledger: ledger)
        #expect(other.account.subscriptions == account.subscriptions)
        other.advance(to: "2025-02-10T00:00:00Z")
        #expect(other.account.entitlements.map(\.productIdentifier) == ["music"])
    }

    @Test func `A family shares the members that are shareable`() throws {
        let family = try store.addFamily("smiths", organizer: account)
        let bob = try store.addAccount("bob")
        try family.add(bob)
        try account.buy("both")
        #expect(bob.entitlements.map(\.productIdentifier) == ["music"])
        market.advance(to: "2025-02-10T00:00:00Z")
        #expect(bob.entitlements.map(\.productIdentifier) == ["music"])
        try account.expireSubscription(inGroup: "bundles")
        #expect(bob.entitlements.isEmpty)
    }

    @Test func `Who leaves a family in the bundle's grace period loses the access to a member`() throws {
        try store.setGrantsGracePeriod(true)
        let family = try store.addFamily("smiths", organizer: account)
        let bob = try store.addAccount("bob")
        try family.add(bob)
        try account.buy("both")
        try account.setBillingFails(true)
        market.advance(to: "2025-02-05T00:00:00Z")
        #expect(bob.entitlements.map(\.isInGracePeriod) == [true])
        try family.remove(bob)
        #expect(try bob.transactions.last?.cancellationDate == market.clock.now)
    }

    @Test func `Servers are told nothing of a member that is bought again`() throws {
        let shop = try NotifiedShop(Self.products)
        try shop.account.buy("both")
        #expect(try shop.told { try shop.account.buy("news") } == [])
    }

    @Test func `Servers are told of members as of their own subscriptions, with the bundle's fields`() throws {
        let shop = try NotifiedShop(Self.products)
        let begun = ["SUBSCRIBED INITIAL_BUY #1", "SUBSCRIBED INITIAL_BUY #2", "SUBSCRIBED INITIAL_BUY #3"]
        #expect(try shop.told { try shop.account.buy("both") } == begun)
        let member = try #require(try shop.all.last)
        #expect(member.transaction == (try shop.view.transaction("3")?.payload) && member.status == 1)
        #expect(member.transaction?.bundleTransactionId == "1" && member.renewal?.bundleOriginalTransactionId == "1")
        #expect(member.renewal?.bundleSubscriptionGroupIdentifier == "bundles")
        let renewed = ["DID_RENEW #4", "DID_RENEW #5", "DID_RENEW #6"]
        #expect(try shop.told { shop.advance(to: "2025-02-01T00:00:00Z") } == renewed)
        try shop.account.setAutoRenew(true, inGroup: "papers")
        #expect(try shop.all.last?.renewal?.willUnbundle == true)
        let ended = [
            "EXPIRED VOLUNTARY #4", "EXPIRED VOLUNTARY #5", "SUBSCRIBED RESUBSCRIBE #7", "EXPIRED VOLUNTARY #6",
        ]
        #expect(try shop.told { shop.advance(to: "2025-03-01T00:00:00Z") } == ended)
        #expect(try shop.all.last?.renewal?.expirationIntent == .unbundled)
        #expect(try shop.view.transaction("7")?.payload.previousOriginalTransactionId == "1")
    }

    @Test func `The timeline says with which bundle a member came`() throws {
        try account.buy("both")
        let lines = try store.timeline.entries.map(\.what)
        #expect(lines.contains("included in both #1 for 0, until 2025-02-01 00:00:00"))
        #expect(store.dueChanges(limit: 9).changes.map(\.product) == ["both"])
    }

    // MARK: The catalog

    @Test(arguments: [
        ([], #"the product "x" is a bundle of no subscriptions"#),
        (["news", "news"], #"the product "x" includes "news" twice"#),
        (["sports"], #"the product "x" includes "sports", which is not registered"#),
        (["both"], #"the product "x" includes "both", which is not an auto-renewable subscription"#),
        (
            ["music", "music.best"],
            #"the product "x" includes "music.best", which is in the subscription group "music", as is "music""#
        ),
    ])
    func `A bundle has members that can be sold together`(members: [String], reason: String) throws {
        for isNew in [false, true] {
            let error = #expect(throws: CatalogError.self) {
                let bundle = try SandboxProduct.makeThrowing {
                    SandboxProduct.subscriptionBundle("x", price: "1", period: Self.month, group: "g", members: members)
                }
                if isNew {
                    _ = try SandboxStore(products: Self.products + [bundle])
                } else {
                    try store.register(bundle)
                }
            }
            #expect(error?.reason == reason)
        }
        #expect(try bought.isEmpty && store.reasonForInvalidity(of: "x") != nil)
    }

    @Test func `A bundle's description has those of its members, as they are now`() throws {
        var product = try #require(try store.products(["both"]).get().products.first)
        var member = try #require(product.subscription?.bundledSubscriptions.first)
        #expect(product.kind == .subscriptionBundle && member.identifier == "news" && member.localizedTitle == "News")
        #expect(member.price == Decimal(string: "4.99") && member.groupIdentifier == "papers" && member.groupLevel == 1)
        let coded = try JSONDecoder().decode(StoreProduct.self, from: JSONEncoder().encode(product))
        #expect(coded == product)
        try store.raisePrice(of: "news", to: "5.99")
        product = try #require(try store.products(["both"]).get().products.first)
        member = try #require(product.subscription?.bundledSubscriptions.first)
        #expect(member.price == Decimal(string: "5.99"))
        #expect(try store.products(["studio"]).get().products.first?.subscription?.bundledSubscriptions == [])
    }
}
