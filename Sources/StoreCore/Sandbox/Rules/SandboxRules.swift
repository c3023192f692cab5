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
        let purchaseFailure: StoreFailure?
        let restoreBreak: RestoreBreak?
        let acceptsTestPurchases: Bool

        init(_ purchaseFailure: StoreFailure?, _ restoreBreak: RestoreBreak?, _ acceptsTestPurchases: Bool) {
            self.purchaseFailure = purchaseFailure
            self.restoreBreak = restoreBreak
            self.acceptsTestPurchases = acceptsTestPurchases
        }
    }

    init(renewalRate: RenewalRate = .realTime, isNewsstandApp: Bool = false, offers: OfferSigning = OfferSigning()) {
        self.renewalRate = renewalRate
        self.isNewsstandApp = isNewsstandApp
        self.offers = offers
    }

    /// The failure of every purchase, nil for none (behavior 207).
    var purchaseFailure: StoreFailure? {
        get { rare?.purchaseFailure }
        set { rare = Rare(newValue, restoreBreak, acceptsTestPurchases) }
    }

    /// The point at which every restore fails, nil for none.
    var restoreBreak: RestoreBreak? {
        get { rare?.restoreBreak }
        set { rare = Rare(purchaseFailure, newValue, acceptsTestPurchases) }
    }

    /// Whether it sells what only a test asks for: unsigned offers, and purchases in the past.
    var acceptsTestPurchases: Bool {
        get { rare?.acceptsTestPurchases ?? false }
        set { rare = Rare(purchaseFailure, restoreBreak, newValue) }
    }
}
