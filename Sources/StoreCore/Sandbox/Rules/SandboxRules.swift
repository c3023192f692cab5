/// The settings of the store's rules that are made anew whenever a store is opened, and so not in the ledger.
struct SandboxRules: Sendable {
    /// The rate at which subscriptions' periods pass.
    var renewalRate: RenewalRate
    /// Whether the app may offer free subscriptions (behavior 122).
    var isNewsstandApp: Bool
    /// The signed offers that it accepts.
    var offers: OfferSigning
    /// The set-up failures: behind one reference, and nil nearly always, because the rules are copied for each
    /// submission.
    private var trouble: Trouble?

    private final class Trouble: Sendable {
        let purchaseFailure: StoreFailure?
        let restoreBreak: RestoreBreak?

        init(_ purchaseFailure: StoreFailure?, _ restoreBreak: RestoreBreak?) {
            self.purchaseFailure = purchaseFailure
            self.restoreBreak = restoreBreak
        }
    }

    init(renewalRate: RenewalRate = .realTime, isNewsstandApp: Bool = false, offers: OfferSigning = OfferSigning()) {
        self.renewalRate = renewalRate
        self.isNewsstandApp = isNewsstandApp
        self.offers = offers
    }

    /// The failure of every purchase, nil for none (behavior 207).
    var purchaseFailure: StoreFailure? {
        get { trouble?.purchaseFailure }
        set { trouble = Trouble(newValue, restoreBreak) }
    }

    /// The point at which every restore fails, nil for none.
    var restoreBreak: RestoreBreak? {
        get { trouble?.restoreBreak }
        set { trouble = Trouble(purchaseFailure, newValue) }
    }
}
