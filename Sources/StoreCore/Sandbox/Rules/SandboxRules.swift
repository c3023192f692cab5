/// What the store's rules go by that is set up anew whenever a store is opened, and so not in the ledger.
struct SandboxRules: Sendable {
    /// How long subscriptions' periods last.
    var renewalRate: RenewalRate
    /// Whether the app may offer free subscriptions (behaviour 122).
    var isNewsstandApp: Bool
    /// Which signed offers it takes.
    var offers: OfferSigning
    /// Behind one reference, and nil nearly always, because the rules are copied for each submission.
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

    /// What every purchase fails with (behaviour 207).
    var purchaseFailure: StoreFailure? {
        get { trouble?.purchaseFailure }
        set { trouble = Trouble(newValue, restoreBreak) }
    }

    /// Where every restore breaks off, nil for nowhere.
    var restoreBreak: RestoreBreak? {
        get { trouble?.restoreBreak }
        set { trouble = Trouble(purchaseFailure, newValue) }
    }
}
