import StoreCore
import StoreKit
import Testing

/// What a store with quirks lists, and the statuses that it returns.
@Suite struct ListingQuirkTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline) }

    private func statuses() -> SubscriptionStatus.Statuses.AsyncIterator {
        shop.context.run { SubscriptionStatus.updates.makeAsyncIterator() }
    }

    @Test(arguments: ["gold", "sword", "season"])
    func `C1: A purchase is listed only some seconds after it was returned`(product: String) async throws {
        shop.store.quirks = [.listsLate(by: 1)]
        let transaction = try await shop.finished(product)
        shop.store.advance(by: 0.75)
        #expect(await shop.entitlements == [])
        #expect(await shop.run { await Transaction.latest(for: product) } == nil)
        #expect(try await shop.status == nil)
        // The history itself is not late.
        #expect(await shop.run { await Transaction.all.all() }.map(\.unsafePayloadValue.id) == [transaction.id])
        shop.store.advance(by: 0.25)
        #expect(await shop.entitlements == [product])
        #expect(await shop.run { await Transaction.latest(for: product) }?.unsafePayloadValue.id == transaction.id)
        #expect(try await shop.status?.state == (product == "gold" ? .subscribed : nil))
    }

    @Test func `C1: A status that is late is an update when it comes`() async throws {
        shop.store.quirks = [.listsLate(by: 1)]
        var updates = statuses()
        let transaction = try await shop.finished("gold")
        shop.store.advance(by: 1)
        #expect(await updates.next()?.transaction.unsafePayloadValue.id == transaction.id)
    }

    @Test func `C1: Until an upgrade is listed, the former product is`() async throws {
        try await shop.bought("silver")
        shop.store.quirks = [.listsLate(by: 1)]
        try await shop.bought("gold")
        #expect(await shop.entitlements == ["silver"])
        let former = try #require(try await shop.status)
        #expect(former.line == "Subscribed, renews")
        #expect(former.renewalInfo.unsafePayloadValue.currentProductID == "silver")
        shop.store.advance(by: 1)
        #expect(await shop.entitlements == ["gold"])
    }

    @Test func `C1: What is bought elsewhere is not late`() async throws {
        shop.store.quirks = [.listsLate(by: 1)]
        try shop.store.account.buy("sword")
        #expect(await shop.entitlements == ["sword"])
    }

    @Test func `C1: A quirk that is taken away hides nothing any more`() async throws {
        shop.store.quirks = [.listsLate(by: 1)]
        try await shop.bought("sword")
        shop.store.quirks = []
        #expect(await shop.entitlements == ["sword"])
    }

    @Test func `C1: A quirk that is taken away hides nothing any more, whatever others remain`() async throws {
        shop.store.quirks = [.listsLate(by: 1), .concealsAutoRenew]
        try await shop.bought("gold")
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        shop.store.quirks = [.concealsAutoRenew]
        #expect(await shop.entitlements == ["gold"])
        #expect(try await shop.status?.line == "Subscribed, renews")
        shop.store.quirks = [.keepsEligibility]
        #expect(try await shop.status?.line == "Subscribed, does not renew")
    }

    @Test func `C2: A renewal that is forced is listed late by one quirk's time`() async throws {
        shop.store.quirks = [.announcesBeforeListing(by: 0.5), .expiresForAMoment(7)]
        try await shop.bought("gold")
        try shop.store.account.forceRenewal(inGroup: "club")
        #expect(await shop.entitlements == [])
        shop.store.advance(by: 0.5)
        #expect(await shop.entitlements == ["gold"])
    }

    @Test func `C2: An approval is an update although the quirk came after the request`() async throws {
        try shop.store.account.setAsksToBuy(true)
        _ = try await shop.buy("sword")
        shop.store.quirks = [.announcesBeforeListing(by: 0.5), .listsLate(by: 60)]
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .approve)
        #expect(await shop.entitlements == [])
        shop.store.advance(by: 0.5)
        #expect(await shop.entitlements == ["sword"])
    }

    @Test func `C2: A renewal arrives before it is listed`() async throws {
        shop.store.quirks = [.announcesBeforeListing(by: 0.5)]
        let purchase = try await shop.finished("gold")
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        shop.store.advance(by: Shop.month)
        let renewal = try #require(await updates.next()).unsafePayloadValue
        #expect(renewal.reason == .renewal)
        #expect(await shop.entitlements == [])
        #expect(try await shop.status?.transaction.unsafePayloadValue.id == purchase.id)
        #expect(try await shop.status?.state == .expired)
        shop.store.advance(by: 0.5)
        #expect(await shop.entitlements == ["gold"])
        #expect(try await shop.status?.transaction.unsafePayloadValue.id == renewal.id)
    }

    @Test func `C2: A purchase that is approved later arrives before it is listed`() async throws {
        shop.store.quirks = [.announcesBeforeListing(by: 0.5), .listsLate(by: 60)]
        try shop.store.account.setAsksToBuy(true)
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        #expect(try await shop.buy("sword").name == "pending")
        shop.store.advance(by: 3600)
        let order = try #require(shop.store.undecidedRequests.first)
        try shop.store.decide(order.transaction, as: .approve)
        #expect(await updates.next()?.unsafePayloadValue.productID == "sword")
        #expect(await shop.entitlements == [])
        shop.store.advance(by: 0.5)
        #expect(await shop.entitlements == ["sword"])
    }

    @Test func `C2: An interrupted purchase that is resolved arrives before it is listed`() async throws {
        shop.store.quirks = [.announcesBeforeListing(by: 0.5)]
        try shop.store.account.setInterruptsPurchases(true)
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        #expect(try await shop.buy("sword").name == "pending")
        try shop.store.resolveInterruption(of: try #require(shop.store.interruptedPurchases.first).transaction)
        #expect(await updates.next()?.unsafePayloadValue.productID == "sword")
        #expect(await shop.entitlements == [])
        shop.store.advance(by: 0.5)
        #expect(await shop.entitlements == ["sword"])
    }

    @Test(arguments: [StoreQuirk.expiresForAMoment, .looksCanceledForAMoment, .expiresForAMoment(7)])
    func `C3: A period ends some seconds before the next one is listed`(quirk: StoreQuirk) async throws {
        let seconds = try #require(quirk.seconds)
        shop.store.quirks = [quirk]
        let purchase = try await shop.finished("gold")
        var (told, updates) = (statuses(), shop.context.run { Transaction.updates.makeAsyncIterator() })
        shop.store.advance(by: Shop.month)
        #expect(await shop.entitlements == [])
        let between = try #require(try await shop.status)
        #expect(between.transaction.unsafePayloadValue.id == purchase.id)
        let isCanceled = quirk.kind == .looksCanceledForAMoment
        #expect(between.line == (isCanceled ? "Expired, does not renew" : "Expired, renews"))
        #expect(between.renewalInfo.unsafePayloadValue.expirationReason == nil)
        #expect(try await shop.updates(&updates).isEmpty)
        shop.store.advance(by: seconds)
        #expect(await shop.entitlements == ["gold"])
        #expect(try await shop.status?.line == "Subscribed, renews")
        let renewal = try #require(await updates.next()).unsafePayloadValue
        #expect(renewal.purchaseDate == purchase.expirationDate)
        #expect([await told.next()?.state, await told.next()?.state] == [.expired, .subscribed])
    }

    @Test func `C3: Each renewal of many months is made, a moment late`() async throws {
        shop.store.quirks = [.looksCanceledForAMoment]
        try await shop.bought("gold")
        var told = statuses()
        shop.store.advance(by: 90.5 * 86_400)
        #expect(try shop.store.transactions.count == 4)
        var states: [SubscriptionInfo.RenewalState] = []
        for _ in 0..<4 { states.append(try #require(await told.next()).state) }
        #expect(states == [.expired, .subscribed, .expired, .subscribed])
        #expect(await shop.entitlements == ["gold"])
    }

    @Test func `C3: Each of two periods that end during a moment is told at its end`() async throws {
        let pass = SandboxProduct.autoRenewable("pass", price: "1.99", period: .init(1, .month), group: "pass")
        let shop = try Shop(.inline, selling: Shop.products + [pass])
        shop.store.quirks = [.expiresForAMoment(7)]
        try await shop.bought("gold")
        shop.store.advance(by: 3)
        try await shop.bought("pass")
        var told = shop.context.run { SubscriptionStatus.updates.makeAsyncIterator() }
        shop.store.advance(by: Shop.month + 60)
        var lines: [String] = []
        for _ in 0..<4 {
            let status = try #require(await told.next())
            lines.append("\(status.transaction.unsafePayloadValue.productID) \(status.state.localizedDescription)")
        }
        #expect(lines == ["gold Expired", "pass Expired", "gold Subscribed", "pass Subscribed"])
    }

    @Test func `C3: A subscription that was canceled stays expired`() async throws {
        shop.store.quirks = [.expiresForAMoment]
        try await shop.bought("gold")
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        shop.store.advance(by: Shop.month + 10)
        #expect(try await shop.status?.line == "Expired, does not renew")
        #expect(try await shop.status?.renewalInfo.unsafePayloadValue.expirationReason == .autoRenewDisabled)
    }

    @Test func `C11: In billing retry, a renewal that was not paid for arrives and is listed`() async throws {
        shop.store.quirks = [.renewsInBillingRetry]
        _ = try await shop.finished("gold")
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        try shop.store.account.setBillingFails(true)
        shop.store.advance(by: Shop.month)
        #expect(await updates.next()?.unsafePayloadValue.reason == .renewal)
        #expect(await shop.entitlements == ["gold"])
        #expect(try await shop.status?.state == .inBillingRetryPeriod)
        #expect(try shop.store.account.totalCharged == Decimal(string: "3.99"))
        // The unpaid period ends before billing retry does.
        shop.store.advance(by: Shop.month)
        #expect(await shop.entitlements == [])
        #expect(try await shop.status?.state == .inBillingRetryPeriod)
        shop.store.advance(by: Shop.month)
        #expect(try await shop.status?.state == .expired)
    }

    @Test func `C11: A renewal that is forced and was not paid for is listed, too`() async throws {
        shop.store.quirks = [.renewsInBillingRetry]
        try await shop.bought("gold")
        try shop.store.account.setBillingFails(true)
        try shop.store.account.forceRenewal(inGroup: "club")
        #expect(try await shop.status?.state == .inBillingRetryPeriod)
        #expect(await shop.entitlements == ["gold"])
    }

    @Test func `C11: An unpaid period ends with billing retry, and with renewal that is turned off`() async throws {
        let year = SandboxProduct.autoRenewable("gold", price: "3.99", period: .init(1, .year), group: "club")
        for isTurnedOff in [true, false] {
            let shop = try Shop(.inline, selling: [year])
            shop.store.quirks = [.renewsInBillingRetry]
            try await shop.bought("gold")
            try shop.store.account.setBillingFails(true)
            shop.store.advance(by: 365 * 86_400)
            #expect(await shop.entitlements == ["gold"])
            if isTurnedOff {
                try shop.store.account.setAutoRenew(false, inGroup: "club")
            } else {
                shop.store.advance(by: 60 * 86_400)
            }
            #expect(await shop.entitlements == [])
            #expect(try await shop.status?.state == .expired)
        }
    }

    @Test func `C11: A renewal that is paid for after all begins a period of its own`() async throws {
        shop.store.quirks = [.renewsInBillingRetry]
        try await shop.bought("gold")
        try shop.store.account.setBillingFails(true)
        shop.store.advance(by: Shop.month + 86_400)
        try shop.store.account.resolveBillingIssue(inGroup: "club")
        #expect(try await shop.status?.state == .subscribed)
        #expect(try shop.store.account.totalCharged == Decimal(string: "7.98"))
    }

    @Test func `C11: A grace period begins no unpaid period`() async throws {
        shop.store.quirks = [.renewsInBillingRetry]
        try shop.store.setGrantsGracePeriod(true)
        let purchase = try await shop.bought("gold")
        try shop.store.account.setBillingFails(true)
        shop.store.advance(by: Shop.month)
        #expect(try await shop.status?.state == .inGracePeriod)
        #expect(try await shop.status?.transaction.unsafePayloadValue.id == purchase.id)
    }

    @Test func `C13: Auto-renewal that is turned off shows nothing before the end of the period`() async throws {
        shop.store.quirks = [.concealsAutoRenew]
        try await shop.bought("gold")
        var told = statuses()
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        #expect(try await shop.status?.line == "Subscribed, renews")
        shop.store.advance(by: Shop.month)
        #expect(try await shop.status?.line == "Expired, does not renew")
        #expect(await told.next()?.state == .expired)
    }

    @Test func `C13: Auto-renewal that is turned on again shows nothing before the renewal`() async throws {
        try await shop.bought("gold")
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        shop.store.quirks = [.concealsAutoRenew]
        try shop.store.account.setAutoRenew(true, inGroup: "club")
        #expect(try await shop.status?.line == "Subscribed, does not renew")
        shop.store.advance(by: Shop.month)
        #expect(try await shop.status?.line == "Subscribed, renews")
    }
}
