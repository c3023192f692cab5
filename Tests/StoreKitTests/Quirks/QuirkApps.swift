import StoreCore
import StoreKit
import Testing

/// Two apps of a few lines in the same situation: one that a quirk breaks, and one that survives it.
struct QuirkApps: Sendable, CustomTestStringConvertible {
    /// An app, which returns whether its user was treated right in the end.
    typealias App = @Sendable (Shop) async throws -> Bool

    let quirk: StoreQuirk
    let fragile: App
    let robust: App

    var testDescription: String { quirk.description }

    init(_ quirk: StoreQuirk, fragile: @escaping App, robust: @escaping App) {
        (self.quirk, self.fragile, self.robust) = (quirk, fragile, robust)
    }

    static let all = [
        boughtIsListed, updateIsListed, expiredIsOver, canceledIsOver, lastUpdateIsNewest, updateComesOnce,
        purchaseIsNew, unfinishedStays, eligibilityIsCurrent, listedIsPaid, updateIsNew, renewalIsKnown,
        revocationWaits,
    ]
}

// MARK: - What is listed

extension QuirkApps {
    /// A paywall closes if the product is listed after the purchase, or trusts the purchase.
    static let boughtIsListed = QuirkApps(.listsLate(by: 1)) { shop in
        try await shop.bought("gold")
        return await shop.entitlements == ["gold"]
    } robust: { shop in
        let bought = try await shop.bought("gold")
        return bought.productID == "gold" && bought.revocationDate == nil
    }

    /// An app unlocks at an update what is listed, or what the update says.
    static let updateIsListed = QuirkApps(.announcesBeforeListing(by: 0.5)) { shop in
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        try shop.store.account.buy("sword")
        guard await updates.next() != nil else { return false }
        return await shop.entitlements == ["sword"]
    } robust: { shop in
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        try shop.store.account.buy("sword")
        return await updates.next()?.unsafePayloadValue.productID == "sword"
    }

    /// An app deletes what a subscriber has saved when the status is `expired`, or when it does not renew either.
    static let expiredIsOver = QuirkApps(.expiresForAMoment) { shop in
        try await !statuses(ofRenewalIn: shop).contains { $0.state == .expired }
    } robust: { shop in
        try await !statuses(ofRenewalIn: shop).contains {
            $0.state == .expired && !$0.renewalInfo.unsafePayloadValue.willAutoRenew
        }
    }

    /// An app deletes what a subscriber has saved when the status is `expired` and does not renew, or when the last
    /// status is.
    static let canceledIsOver = QuirkApps(.looksCanceledForAMoment) { shop in
        try await !statuses(ofRenewalIn: shop).contains {
            $0.state == .expired && !$0.renewalInfo.unsafePayloadValue.willAutoRenew
        }
    } robust: { shop in
        try await statuses(ofRenewalIn: shop).last?.state != .expired
    }

    /// Returns the statuses that an app receives until a subscription is renewed.
    private static func statuses(ofRenewalIn shop: Shop) async throws -> [SubscriptionStatus] {
        try await shop.bought("gold")
        var updates = shop.context.run { SubscriptionStatus.updates.makeAsyncIterator() }
        shop.store.advance(by: Shop.month + 60)
        var statuses: [SubscriptionStatus] = []
        while let status = await updates.next() {
            statuses.append(status)
            if status.transaction.unsafePayloadValue.reason == .renewal { break }
        }
        return statuses
    }

    /// An app opens its content for what is listed, or for a status that is paid for.
    static let listedIsPaid = QuirkApps(.renewsInBillingRetry) { shop in
        try await failToRenew(shop)
        return await shop.entitlements == []
    } robust: { shop in
        try await failToRenew(shop)
        return try await shop.status?.state == .inBillingRetryPeriod
    }

    private static func failToRenew(_ shop: Shop) async throws {
        try await shop.bought("gold")
        try shop.store.account.setBillingFails(true)
        shop.store.advance(by: Shop.month + 60)
    }

    /// An account screen names the day of the next charge, or the day until which everything is paid.
    static let renewalIsKnown = QuirkApps(.concealsAutoRenew) { shop in
        try await shop.bought("gold")
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        let willCharge = try await shop.status?.renewalInfo.unsafePayloadValue.willAutoRenew == true
        let day = try await shop.status?.transaction.unsafePayloadValue.expirationDate
        let charged = try shop.store.account.totalCharged
        shop.store.advance(by: Shop.month + 60)
        return try day != nil && willCharge == (shop.store.account.totalCharged > charged)
    } robust: { shop in
        try await shop.bought("gold")
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        guard let day = try await shop.status?.transaction.unsafePayloadValue.expirationDate else { return false }
        shop.store.advance(by: day.timeIntervalSince(shop.store.clock.now) - 1)
        let isOpen = await shop.entitlements == ["gold"]
        shop.store.advance(by: 1)
        let isClosed = await shop.entitlements == []
        return isOpen && isClosed
    }
}

// MARK: - What a launch is told

extension QuirkApps {
    /// An app shows the end of the subscription's last update, or of the latest.
    static let lastUpdateIsNewest = QuirkApps(.renewalsNewestFirst) { shop in
        let renewals = try await missedRenewals(of: shop)
        return renewals.last?.expirationDate == (try await shop.end)
    } robust: { shop in
        let renewals = try await missedRenewals(of: shop)
        return renewals.compactMap(\.expirationDate).max() == (try await shop.end)
    }

    /// An app credits gems for each update, or for each transaction.
    static let updateComesOnce = QuirkApps(.latestRenewalTwice) { shop in
        try await missedRenewals(of: shop).count == 3
    } robust: { shop in
        try await Set(missedRenewals(of: shop).map(\.id)).count == 3
    }

    /// An app welcomes a subscriber at each purchase that arrives, or at each that it has not seen.
    static let purchaseIsNew = QuirkApps(.finishedPurchaseReturns) { shop in
        try await !missedRenewals(of: shop).contains { $0.reason == .purchase }
    } robust: { shop in
        var welcomed: Set<UInt64> = [1]
        return try await !missedRenewals(of: shop).contains {
            $0.reason == .purchase && welcomed.insert($0.id).inserted
        }
    }

    /// Returns what the next launch is told after three renewals during which the app did not run.
    private static func missedRenewals(of shop: Shop) async throws -> [Transaction] {
        _ = try await shop.finished("gold")
        await shop.context.settle()
        shop.store.advance(by: 100 * 86_400)
        await shop.relaunch()
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        return try await shop.updates(&updates)
    }

    /// An app whose server is down delivers later what is still unfinished, or what it has received.
    static let unfinishedStays = QuirkApps(.unfinishedVanishes(after: 1)) { shop in
        try shop.store.account.buy("sword")
        _ = await shop.run { await Transaction.unfinished.all() }
        shop.store.advance(by: 30)
        return await shop.run { await Transaction.unfinished.all() }.count == 1
    } robust: { shop in
        try shop.store.account.buy("sword")
        let received = await shop.run { await Transaction.unfinished.all() }
        shop.store.advance(by: 30)
        for transaction in received { await transaction.unsafePayloadValue.finish() }
        return try shop.store.device.unfinished.isEmpty && received.count == 1
    }

    /// A paywall promises a free week while the account is eligible, or while its history has none.
    static let eligibilityIsCurrent = QuirkApps(.keepsEligibility) { shop in
        _ = await isEligible(shop)
        try await useTrial(shop)
        return await !isEligible(shop)
    } robust: { shop in
        _ = await isEligible(shop)
        try await useTrial(shop)
        let all = await shop.run { await Transaction.all.all() }
        return all.contains { $0.unsafePayloadValue.offer?.type == .introductory }
    }

    private static func isEligible(_ shop: Shop) async -> Bool {
        await shop.run { await SubscriptionInfo.isEligibleForIntroOffer(for: "trial") }
    }

    private static func useTrial(_ shop: Shop) async throws {
        try await shop.bought("bronze")
        try shop.store.account.setAutoRenew(false, inGroup: "trial")
        shop.store.advance(by: 8 * 86_400)
    }

    /// An app credits gems for each purchase and for each update, or for each transaction.
    static let updateIsNew = QuirkApps(.announcesOwnPurchases) { shop in
        let (bought, updates) = try await boughtAndTold(shop)
        return [bought.id].count + updates.count == 1
    } robust: { shop in
        let (bought, updates) = try await boughtAndTold(shop)
        return Set([bought.id] + updates.map(\.id)).count == 1
    }

    private static func boughtAndTold(_ shop: Shop) async throws -> (Transaction, [Transaction]) {
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        let bought = try await shop.finished("gold")
        return (bought, try await shop.updates(&updates))
    }

    /// An app that listens from its second screen on locks what an update revokes, or what is not listed.
    static let revocationWaits = QuirkApps(.revocationComesOnce) { shop in
        try await refundWhileNotRunning(shop)
        var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
        return try await shop.updates(&updates).contains { $0.productID == "sword" && $0.revocationDate != nil }
    } robust: { shop in
        try await refundWhileNotRunning(shop)
        return await shop.entitlements == []
    }

    /// Refunds a purchase while the app does not run, after which one launch ends at the first screen.
    private static func refundWhileNotRunning(_ shop: Shop) async throws {
        let sword = try await shop.finished("sword")
        await shop.relaunch()
        try shop.store.refund(String(sword.id))
        _ = try await shop.run { try await Product.products(for: ["sword"]) }
        await shop.relaunch()
    }
}

extension Shop {
    /// A shop for a pair of apps.
    static func forApps() throws -> Shop {
        let trial = SandboxProduct.autoRenewable(
            "bronze",
            price: "0.99",
            period: .init(1, .month),
            group: "trial",
            introductoryOffer: .freeTrial(.init(1, .week))
        )
        return try Shop(.inline, selling: products + [trial])
    }

    /// The end of the running period of the subscription in the group "club".
    fileprivate var end: Date? {
        get async throws { try await status?.transaction.unsafePayloadValue.expirationDate }
    }
}
