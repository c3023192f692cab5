/// The settings of the store's rules that are made anew whenever a store is opened, and so not in the ledger.
struct SandboxRules: Sendable {
    /// The rate at which subscriptions' periods pass.
    var renewalRate: RenewalRate
    /// Whether the app may offer free subscriptions (behavior 122).
    var isNewsstandApp: Bool
    /// The signed offers that it accepts.
    var offers: OfferSigning
    /// What hardly any store has set: behind one reference, because the rules are copied for each submission.
    private var rare: Rare?

    private final class Rare: Sendable {
        let settings: RareSettings

        init(_ settings: RareSettings) { self.settings = settings }
    }

    private struct RareSettings {
        var purchaseFailure: StoreFailure?
        var restoreBreak: RestoreBreak?
        var acceptsTestPurchases = false
        var ignoresSimulatedAskToBuy = false
        var quirks: Set<StoreQuirk> = []
    }

    private var rareSettings: RareSettings {
        get { rare?.settings ?? RareSettings() }
        set { rare = Rare(newValue) }
    }

    init(renewalRate: RenewalRate = .realTime, isNewsstandApp: Bool = false, offers: OfferSigning = OfferSigning()) {
        self.renewalRate = renewalRate
        self.isNewsstandApp = isNewsstandApp
        self.offers = offers
    }

    /// The failure of every purchase, nil for none (behavior 207).
    var purchaseFailure: StoreFailure? {
        get { rare?.settings.purchaseFailure }
        set { rareSettings.purchaseFailure = newValue }
    }

    /// The point at which every restore fails, nil for none.
    var restoreBreak: RestoreBreak? {
        get { rare?.settings.restoreBreak }
        set { rareSettings.restoreBreak = newValue }
    }

    /// Whether it sells what only a test asks for: unsigned offers, and purchases in the past.
    var acceptsTestPurchases: Bool {
        get { rare?.settings.acceptsTestPurchases ?? false }
        set { rareSettings.acceptsTestPurchases = newValue }
    }

    /// Whether payments cannot ask for Ask to Buy themselves.
    var ignoresSimulatedAskToBuy: Bool {
        get { rare?.settings.ignoresSimulatedAskToBuy ?? false }
        set { rareSettings.ignoresSimulatedAskToBuy = newValue }
    }

    /// The quirks that it has.
    var quirks: Set<StoreQuirk> {
        get { rare?.settings.quirks ?? [] }
        set { rareSettings.quirks = newValue }
    }

    /// Whether it has any quirk, asked without a set.
    @inline(__always)
    var hasQuirks: Bool { rare != nil && !quirks.isEmpty }
}

/// Behavior that was seen of real stores and that not every store shows: an app has to survive it.
///
/// A store has none unless a test sets it, see ``SandboxStore/quirks``.
public enum StoreQuirk: String, Hashable, Codable, Sendable, CaseIterable {
    /// A running subscription that Store Kit 1 orders again fails.
    ///
    /// The error is `unknown`, and under `NSUnderlyingErrorKey` it has one of the domain `ASDServerErrorDomain` with the
    /// code 3532. Otherwise the payment ends as purchased, under an identifier that no receipt has. Seen by users of
    /// RevenueCat (purchases-ios 6357, 965), Flutter (171941) and SwiftyStoreKit (707).
    case repeatedSubscriptionFails
}
