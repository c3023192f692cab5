/// The settings of the store's rules.
///
/// The ledger does not contain these settings: they are set anew whenever a store is opened.
struct SandboxRules: Sendable {
    /// The rate at which subscriptions' periods pass.
    var renewalRate: RenewalRate
    /// Whether the app may offer free subscriptions (behavior 122).
    var isNewsstandApp: Bool
    /// The signed offers that the store accepts.
    var offers: OfferSigning
    /// Settings that hardly any store uses, in one reference, because the rules are copied for each submission.
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
        var interrupts: Bool?
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

    /// Whether the store accepts orders that only tests make: under unsigned offers, or dated in the past.
    var acceptsTestPurchases: Bool {
        get { rare?.settings.acceptsTestPurchases ?? false }
        set { rareSettings.acceptsTestPurchases = newValue }
    }

    /// Whether the store ignores a payment's own request for Ask to Buy, `simulatesAskToBuyInSandbox`.
    var ignoresSimulatedAskToBuy: Bool {
        get { rare?.settings.ignoresSimulatedAskToBuy ?? false }
        set { rareSettings.ignoresSimulatedAskToBuy = newValue }
    }

    /// The behaviors of some real stores that this store imitates.
    var quirks: Set<StoreQuirk> {
        get { rare?.settings.quirks ?? [] }
        set { rareSettings.quirks = newValue }
    }

    /// Whether purchases are interrupted, whatever their accounts' settings; nil unless an order has its own outcome.
    var interrupts: Bool? {
        get { rare?.settings.interrupts }
        set { rareSettings.interrupts = newValue }
    }

    /// Whether ``quirks`` is not empty, computed without creating a set.
    @inline(__always)
    var hasQuirks: Bool { rare != nil && !quirks.isEmpty }
}
