import StoreCore

// Operations on subscriptions.
extension Simulation {
    func setAutoRenew(_ isOn: Bool, of account: Int) {
        changeClub(of: account) {
            $0.accounts[account].club?.setWillRenew(isOn)
        } act: {
            try $0.setAutoRenew(isOn, inGroup: "club")
        }
    }

    func failBilling(_ isOn: Bool, of account: Int) {
        let name = Self.accountNames[account]
        own {
            $0.accounts[account].billingFails = isOn
        } isKept: { store in
            store.account(named: name)?.billingFails == isOn
        } act: { [self] in
            try store.account(named: name)?.setBillingFails(isOn)
        }
    }

    func grantGracePeriod(_ isOn: Bool) {
        own {
            $0.grantsGrace = isOn
        } isKept: { store in
            store.grantsGracePeriod == isOn
        } act: { [self] in
            try store.setGrantsGracePeriod(isOn)
        }
    }

    func limitRenewals(to limit: Int?) {
        own {
            $0.renewalLimit = limit
        } isKept: { store in
            store.renewalLimit == limit
        } act: { [self] in
            try store.setRenewalLimit(limit)
        }
    }

    func raisePrice(of product: Step.Product, to cents: Int) {
        let price = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
        let act = { [self] in try store.raisePrice(of: product.rawValue, to: price) }
        if product == .ghost { return expectRefusal("sells what there is not", act: act) }
        own({ $0.raisePrice(of: product, to: cents) }, act: act)
    }

    func resolveBilling(of account: Int) {
        guard witness.model.accounts[account].club?.trouble != nil else { return }
        changeClub(of: account) { model in
            model.renew(account, at: model.now) { [now = model.now] in $0.recover(at: now, $1) }
        } act: {
            try $0.resolveBillingIssue(inGroup: "club")
        }
    }

    func askForConsent(_ account: Int) {
        changeClub(of: account) {
            $0.accounts[account].club?.askForConsent()
        } act: {
            try $0.requestPriceIncreaseConsent(inGroup: "club")
        }
    }

    func answerConsent(_ agrees: Bool, of account: Int) {
        guard witness.model.accounts[account].club?.awaitsConsent == true else { return }
        changeClub(of: account) {
            $0.accounts[account].club?.answer(agrees)
        } act: {
            try $0.answerPriceConsent(agrees ? .agree : .decline, inGroup: "club")
        }
    }

    func expire(_ account: Int) {
        changeClub(of: account) {
            $0.cutPeriod(of: account)
            $0.accounts[account].club?.expire(at: $0.now)
        } act: {
            try $0.expireSubscription(inGroup: "club")
        }
    }

    func forceRenewal(of account: Int) {
        changeClub(of: account) { model in
            model.cutPeriod(of: account)
            model.renew(account, at: model.now) { [now = model.now] in $0.forceRenewal(at: now, $1) }
        } act: {
            try $0.forceRenewal(inGroup: "club")
        }
    }

    /// Changes a subscription; the store refuses this for one that is over.
    private func changeClub(
        of account: Int,
        _ apply: (inout Model) -> Void,
        act: (SandboxAccount) throws -> Void
    ) {
        guard let handle = self.handle(ofAccount: account) else { return }
        guard witness.model.accounts[account].club?.isRunning == true else {
            return expectRefusal("changes the subscription of account \(account), which has none") { try act(handle) }
        }
        own(apply) { try act(handle) }
    }
}
