import StoreCore

// Operations of the store's operator and its users.
extension Simulation {
    func decide(_ index: Int, _ decision: Model.Decision) {
        let undecided = store.undecided
        guard !undecided.isEmpty else { return }
        let request = undecided[index % undecided.count]
        guard let tag = request.applicationUsername.flatMap({ Int($0) }) else { return }
        own {
            $0.decide(tag: tag, decision)
        } isKept: { store in
            !store.undecided.contains { $0.transaction == request.transaction }
        } act: { [self] in
            try store.decide(
                request.transaction,
                decision.authorization
            )
        }
    }

    func signIn(_ account: Int?, on device: Int) {
        guard witness.model.devices[device].account != account else { return }
        let name = Self.deviceNames[device]
        let accountName = account.map { Self.accountNames[$0] }
        own { model in
            model.devices[device].account = account
            if let account { model.devices[device].guests.insert(account) }
        } isKept: { store in
            store.device(named: name)?.account?.name == accountName
        } act: { [self] in
            guard let handle = store.device(named: name) else {
                return diary.broke("the store has lost device \(device)")
            }
            if let account {
                if let account = self.handle(ofAccount: account) { try handle.signIn(to: account) }
            } else {
                try handle.signOut()
            }
        }
    }

    func setAsksToBuy(_ isOn: Bool, of account: Int) {
        let name = Self.accountNames[account]
        own {
            $0.accounts[account].asksToBuy = isOn
        } isKept: { store in
            store.account(named: name)?.asksToBuy == isOn
        } act: { [self] in
            try store.account(named: name)?.setAsksToBuy(isOn)
        }
    }

    func setInterruptsPurchases(_ isOn: Bool, of account: Int) {
        let name = Self.accountNames[account]
        own {
            $0.accounts[account].isInterrupted = isOn
        } isKept: { store in
            store.account(named: name)?.interruptsPurchases == isOn
        } act: { [self] in
            try store.account(named: name)?.setInterruptsPurchases(isOn)
        }
    }

    func resolveIssue(_ index: Int) {
        let issues = store.issues
        guard !issues.isEmpty, issues.count == witness.model.issues.count else { return }
        let issue = issues[index % issues.count]
        let failed = witness.model.issues[index % issues.count]
        let act = { [self] in try store.resolveIssue(issue.transaction) }
        if witness.model.refusal(ofInterrupted: failed) != nil {
            return expectRefusal("sells \(issue.productIdentifier)", act: act)
        }
        own {
            $0.resolve(failed)
        } isKept: { store in
            !store.issues.contains(issue)
        } act: {
            try act()
        }
    }

    func buy(_ product: Step.Product, _ quantity: Int, by account: Int) {
        let name = Self.accountNames[account]
        let act = { [self] in
            _ = try store.account(named: name)?.buy(product.rawValue, quantity: quantity)
        }
        if witness.model.refusal(of: product, quantity) != nil {
            return expectRefusal("sells \(quantity) of \(product)", act: act)
        }
        own({ $0.buy(product, quantity, by: account) }, act: act)
    }

    func promote(_ product: Step.Product, on device: Int, isTaken: Bool) {
        diary.takesPromotions[device] = isTaken
        let act = { [self] in
            _ = try store.device(named: Self.deviceNames[device])?.promote(product.rawValue)
        }
        if !witness.model.promoted(on: device).contains(product) {
            return expectRefusal("promotes \(product)", act: act)
        }
        own({ $0.devices[device].promotions[product, default: 0] += 1 }, act: act)
    }

    func setStorefront(_ country: Step.Country, continues: Bool) {
        diary.continues = continues
        let running = gates.indices.filter { gates[$0].isConnected }
        own {
            $0.move(to: country, running: running)
        } isKept: { store in
            store.storefront?.countryCode == country.rawValue
        } act: { [self] in
            try store.setStorefront(country.rawValue)
        }
    }

    func refund(_ index: Int) {
        let known = witness.model.known
        guard !known.isEmpty else { return }
        let entry = known[index % known.count]
        guard let identifier = witness.model.entries[entry].identifier else { return }
        let act = { [self] in try store.refund(identifier) }
        guard witness.model.isRefundable(entry) else {
            return expectRefusal("refunds transaction \(identifier)", act: act)
        }
        own({ $0.refund(entry) }, act: act)
    }

    func failPurchases(_ isOn: Bool) {
        witness.model.purchaseFailure = isOn ? .invalidSignature : nil
        store.purchaseFailure = isOn ? .storeKit(.invalidSignature, "every purchase fails") : nil
    }

    func setReachable(_ isReachable: Bool, _ device: Int) {
        witness.isReachable[device] = isReachable
        if !isReachable { gates[device].isCutOff() }
        store.device(named: Self.deviceNames[device])?.isReachable = isReachable
    }

    /// Returns an account by the model's number; a store that has lost it breaks a rule.
    func handle(ofAccount index: Int) -> SandboxAccount? {
        let account = store.account(named: Self.accountNames[index])
        if account == nil { diary.broke("the store has lost account \(index)") }
        return account
    }

    /// Performs an operator's request that the store has to refuse.
    func expectRefusal(_ deed: String, _ code: StoreFailure.Code? = nil, act: () throws -> Void) {
        do {
            try act()
            diary.broke("the store \(deed)")
        } catch {
            guard let code, !lifeline.store.isDead, (error as? StoreFailure)?.code != code.rawValue else { return }
            diary.broke("the store refuses with \(error) where the code is \(code.rawValue)")
        }
    }

    /// Performs a change by the operator; whether a store that crashes during it has kept it shows later.
    ///
    /// - Parameters:
    ///   - apply: does the same to the model.
    ///   - isKept: returns whether a store has it; unless given, it has if anything was written.
    ///   - act: makes the change.
    func own(
        _ apply: (inout Model) -> Void,
        isKept: ((SandboxStore) -> Bool)? = nil,
        act: () throws -> Void
    ) {
        witness.begin(isKept: isKept)
        apply(&witness.model)
        witness.model.share(at: witness.model.now)
        do { try act() } catch {
            if !lifeline.store.isDead { diary.broke("the store refuses its owner: \(error)") }
        }
        witness.end()
    }
}

extension Model.Decision {
    fileprivate var authorization: Authorization {
        switch self {
        case .approve: .approve
        case .cancel: .cancel
        case .decline: .decline()
        }
    }
}
