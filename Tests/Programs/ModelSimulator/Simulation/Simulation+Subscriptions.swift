import StoreCore

// Operations on subscriptions.
extension Simulation {
    /// Makes a change to one of an account's subscriptions.
    func change(_ group: Model.Group, of account: Int, _ change: SimulatedOperation.Change) {
        let group = modelDriver.model.meant(by: group, of: account)
        let isBundled = modelDriver.model.accounts[account].subscriptions[group]?.isBundled == true
        if isBundled, change != .renews, change != .endsRenewal {
            return expectRefusal("changes a member of a bundle by itself") { [self] in
                try handle(ofAccount: account)?.expireSubscription(inGroup: group.name)
            }
        }
        switch change {
        case .renews: setAutoRenew(true, of: account, in: group)
        case .endsRenewal: setAutoRenew(false, of: account, in: group)
        case .renewsNow: forceRenewal(of: account, in: group)
        case .expires: expire(account, in: group)
        case .recovers: resolveBilling(of: account, in: group)
        }
    }

    /// Buys a year in monthly payments, without an app's order.
    func commit(_ account: Int) {
        operate {
            $0.buy(.journal, 1, by: account, isMonthly: true)
        } action: { [self] in
            var payment = StorePayment(productIdentifier: Model.Product.journal.rawValue)
            payment.billingPlan = .monthly
            _ = try handle(ofAccount: account)?.buy(payment)
        }
    }

    func setAutoRenew(_ isOn: Bool, of account: Int, in group: Model.Group = .club) {
        changeSubscription(of: account, in: group) {
            if $0.accounts[account].subscriptions[group]?.isBundled == true {
                $0.setWillLeave(isOn, group, of: account)
            } else {
                $0.accounts[account].subscriptions[group]?.setWillRenew(isOn)
            }
            if group == .bundles { $0.followBundle(of: account, at: $0.now) }
        } action: {
            try $0.setAutoRenew(isOn, inGroup: group.name)
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

    func resolveBilling(of account: Int, in group: Model.Group = .club) {
        guard modelDriver.model.accounts[account].subscriptions[group]?.failedRenewal != nil else { return }
        changeSubscription(of: account, in: group) { model in
            model.renew(account, in: group, at: model.now) { [now = model.now] in $0.recover(at: now, $1) }
        } action: {
            try $0.resolveBillingIssue(inGroup: group.name)
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

    func expire(_ account: Int, in group: Model.Group = .club) {
        changeSubscription(of: account, in: group) {
            $0.cutPeriod(of: account, in: group)
            $0.accounts[account].subscriptions[group]?.expire(at: $0.now)
            if group == .bundles { $0.followBundle(of: account, at: $0.now) }
        } action: {
            try $0.expireSubscription(inGroup: group.name)
        }
    }

    func forceRenewal(of account: Int, in group: Model.Group = .club) {
        changeSubscription(of: account, in: group) { model in
            model.cutPeriod(of: account, in: group)
            model.renew(account, in: group, at: model.now) { [now = model.now] in $0.forceRenewal(at: now, $1) }
        } action: {
            try $0.forceRenewal(inGroup: group.name)
        }
    }

    /// Changes a subscription; the store refuses this for one that is over.
    private func changeSubscription(
        of account: Int,
        in group: Model.Group = .club,
        _ apply: (inout Model) -> Void,
        action: (SandboxAccount) throws -> Void
    ) {
        guard let handle = self.handle(ofAccount: account) else { return }
        guard modelDriver.model.accounts[account].subscriptions[group]?.isRunning == true else {
            return expectRefusal("changes the subscription of account \(account), which has none") {
                try action(handle)
            }
        }
        operate(apply) { try action(handle) }
    }
}
