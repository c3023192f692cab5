/// What the store's rules go by that is set up anew whenever a store is opened, and so not in the ledger.
struct SandboxRules: Sendable {
    /// How long subscriptions' periods last.
    var renewalRate = RenewalRate.realTime
    /// Whether the app may offer free subscriptions (behaviour 122).
    var isNewsstandApp = false
    /// Which signed offers it takes.
    var offers = OfferRules()
    /// What every purchase fails with (behaviour 207).
    var purchaseFailure: StoreFailure?
    /// Where every restore breaks off, nil for nowhere.
    var restoreBreak: RestoreBreak?
}
