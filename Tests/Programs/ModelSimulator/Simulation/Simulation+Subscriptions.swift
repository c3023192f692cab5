import StoreCore

// Operations on subscriptions.
extension Simulation {
    func setAutoRenew(_ isOn: Bool, of account: Int) {
        changeSubscription(of: account) {
            $0.accounts[account].subscription?.setWillRenew(isOn)
        } action: {
            try $0.setAutoRenew(isOn, inGroup: "club")
        }
    }

    func grantGracePeriod(_ isOn: Bool) {
        operate {
            $0.grantsGrace = isOn
        } isKept: { store in
            store.grantsGracePeriod == isOn
        } action: { [self] in
            try store.setGrantsGracePeriod(isOn)
        }
    }

    func limitRenewals(to limit: Int?) {
        operate {
            $0.renewalLimit = limit
        } isKept: { store in
            store.renewalLimit == limit
        } action: { [self] in
            try store.setRenewalLimit(limit)
        }
    }

    func raisePrice(of product: SimulatedOperation.Product, to cents: Int) {
        let price = "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
        let action = { [self] in try store.raisePrice(of: product.rawValue, to: price) }
        if product == .ghost { return expectRefusal("sells what there is not", action: action) }
        operate({ $0.raisePrice(of: product, to: cents) }, action: action)
    }

    func resolveBilling(of account: Int) {
        guard modelDriver.model.accounts[account].subscription?.failedRenewal != nil else { return }
        changeSubscription(of: account) { model in
            model.renew(account, at: model.now) { [now = model.now] in $0.recover(at: now, $1) }
        } action: {
            try $0.resolveBillingIssue(inGroup: "club")
        }
    }

    func askForConsent(_ account: Int) {
        changeSubscription(of: account) {
            $0.accounts[account].subscription?.askForConsent()
        } action: {
            try $0.requestPriceIncreaseConsent(inGroup: "club")
        }
    }

    func answerConsent(_ agrees: Bool, of account: Int) {
        guard modelDriver.model.accounts[account].subscription?.awaitsConsent == true else { return }
        changeSubscription(of: account) {
            $0.accounts[account].subscription?.answer(agrees)
        } action: {
            try $0.answerPriceConsent(agrees ? .agree : .decline, inGroup: "club")
        }
    }

    func expire(_ account: Int) {
        changeSubscription(of: account) {
            $0.cutPeriod(of: account)
            $0.accounts[account].subscription?.expire(at: $0.now)
        } action: {
            try $0.expireSubscription(inGroup: "club")
        }
    }

    func forceRenewal(of account: Int) {
        changeSubscription(of: account) { model in
            model.cutPeriod(of: account)
            model.renew(account, at: model.now) { [now = model.now] in $0.forceRenewal(at: now, $1) }
        } action: {
            try $0.forceRenewal(inGroup: "club")
        }
    }

    /// Changes a subscription; the store refuses this for one that is over.
    private func changeSubscription(
        of account: Int,
        _ apply: (inout Model) -> Void,
        action: (SandboxAccount) throws -> Void
    ) {
        guard let handle = self.handle(ofAccount: account) else { return }
        guard modelDriver.model.accounts[account].subscription?.isRunning == true else {
            return expectRefusal("changes the subscription of account \(account), which has none") {
                try action(handle)
            }
        }
        operate(apply) { try action(handle) }
    }
}
