import Foundation
import StoreCore

// Operations of the store's operator and its users.
extension Simulation {
    func decide(_ index: Int, _ decision: Model.Decision) {
        let undecided = store.undecidedRequests
        guard !undecided.isEmpty else { return }
        let request = undecided[index % undecided.count]
        guard let tag = PaymentTag.number(in: request.applicationUsername) else { return }
        operate {
            $0.decide(tag: tag, decision)
        } isKept: { store in
            !store.undecidedRequests.contains { $0.transaction == request.transaction }
        } action: { [self] in
            try store.decide(request.transaction, as: decision.authorization)
        }
    }

    func signIn(_ account: Int?, on device: Int) {
        guard modelDriver.model.devices[device].account != account else { return }
        apps[device].tasks.userChanges()
        let name = Model.deviceNames[device]
        let accountName = account.map { Model.accountNames[$0] }
        operate { model in
            model.devices[device].account = account
            if let account { model.devices[device].guests.insert(account) }
        } isKept: { store in
            store.device(named: name)?.account?.name == accountName
        } action: { [self] in
            guard let handle = store.device(named: name) else {
                return eventLog.broke("the store has lost device \(device)")
            }
            if let account {
                if let account = self.handle(ofAccount: account) { try handle.signIn(to: account) }
            } else {
                try handle.signOut()
            }
        }
        newUsers.updateValue(account, forKey: device)
        // Of a store that crashed meanwhile only the successor knows who is signed in.
        if !crashInjector.store.hasCrashed { forgetRevokedBeforeSigningIn() }
    }

    /// Turns a setting of an account, which the model and the store each have under a key path, on or off.
    func set(
        _ setting: WritableKeyPath<Model.Account, Bool>,
        _ stored: KeyPath<SandboxAccount, Bool>,
        _ isOn: Bool,
        of account: Int,
        action: (SandboxAccount, Bool) throws -> Void
    ) {
        let name = Model.accountNames[account]
        operate {
            $0.accounts[account][keyPath: setting] = isOn
        } isKept: { store in
            store.account(named: name)?[keyPath: stored] == isOn
        } action: { [self] in
            if let account = store.account(named: name) { try action(account, isOn) }
        }
    }

    func resolveIssue(_ index: Int) {
        let issues = store.interruptedPurchases
        guard !issues.isEmpty, issues.count == modelDriver.model.issues.count else { return }
        let issue = issues[index % issues.count]
        let failed = modelDriver.model.issues[index % issues.count]
        let action = { [self] in try store.resolveInterruption(of: issue.transaction) }
        if modelDriver.model.refusal(ofInterrupted: failed) != nil {
            return expectRefusal("sells \(issue.productIdentifier)", action: action)
        }
        operate {
            $0.resolve(failed)
        } isKept: { store in
            !store.interruptedPurchases.contains(issue)
        } action: {
            try action()
        }
    }

    func buy(_ product: SimulatedOperation.Product, _ quantity: Int, by account: Int) {
        let name = Model.accountNames[account]
        let action = { [self] in _ = try store.account(named: name)?.buy(product.rawValue, quantity: quantity) }
        if modelDriver.model.refusal(of: product, quantity) != nil {
            return expectRefusal("sells \(quantity) of \(product)", action: action)
        }
        operate({ $0.buy(product, quantity, by: account) }, action: action)
    }

    func promote(_ product: SimulatedOperation.Product, on device: Int, isTaken: Bool) {
        eventLog.takesPromotions[device] = isTaken
        let action = { [self] in
            _ = try store.device(named: Model.deviceNames[device])?.promote(product.rawValue)
        }
        if !modelDriver.model.promoted(on: device).contains(product) {
            return expectRefusal("promotes \(product)", action: action)
        }
        operate({ $0.devices[device].promotions[product, default: 0] += 1 }, action: action)
    }

    func setStorefront(_ country: SimulatedOperation.Country, continues: Bool) {
        eventLog.continues = continues
        let running = endpoints.indices.filter { endpoints[$0].isConnected }
        operate {
            $0.move(to: country, running: running)
        } isKept: { store in
            store.storefront?.countryCode == country.rawValue
        } action: { [self] in
            try store.setStorefront(country.rawValue)
        }
    }

    func refund(_ index: Int, percentage: Int) {
        let known = modelDriver.model.known
        guard !known.isEmpty else { return }
        let entry = known[index % known.count]
        guard let identifier = modelDriver.model.entries[entry].identifier else { return }
        let action = { [self] in try store.refund(identifier, percentage: Decimal(percentage)) }
        guard modelDriver.model.isRefundable(entry) else {
            return expectRefusal("refunds transaction \(identifier)", action: action)
        }
        operate({ $0.refund(entry, percentage: percentage * 1_000) }, action: action)
    }

    func failPurchases(_ isOn: Bool) {
        modelDriver.model.purchaseFailure = isOn ? .invalidSignature : nil
        store.purchaseFailure = isOn ? .storeKit(.invalidSignature, "every purchase fails") : nil
    }

    func setReachable(_ isReachable: Bool, _ device: Int) {
        modelDriver.isReachable[device] = isReachable
        if !isReachable { endpoints[device].isCutOff() }
        store.device(named: Model.deviceNames[device])?.isReachable = isReachable
    }

    /// Returns an account by the model's number; a store that has lost it breaks a rule.
    func handle(ofAccount index: Int) -> SandboxAccount? {
        let account = store.account(named: Model.accountNames[index])
        if account == nil { eventLog.broke("the store has lost account \(index)") }
        return account
    }

    /// Performs an operator's request that the store has to refuse.
    func expectRefusal(_ deed: String, _ code: StoreFailure.Code? = nil, action: () throws -> Void) {
        do {
            try action()
            eventLog.broke("the store \(deed)")
        } catch {
            guard let code, !crashInjector.store.hasCrashed, (error as? StoreFailure)?.code != code.rawValue else {
                return
            }
            eventLog.broke("the store refuses with \(error) where the code is \(code.rawValue)")
        }
    }

    /// Performs a change by the operator; whether a store that crashes during it has kept it shows later.
    ///
    /// - Parameters:
    ///   - apply: does the same to the model.
    ///   - isKept: returns whether a store has it; unless given, it has if anything was written.
    ///   - action: makes the change.
    func operate(_ apply: (inout Model) -> Void, isKept: ((SandboxStore) -> Bool)? = nil, action: () throws -> Void) {
        modelDriver.begin(isKept: isKept)
        apply(&modelDriver.model)
        modelDriver.model.share(at: modelDriver.model.now)
        do { try action() } catch {
            if !crashInjector.store.hasCrashed { eventLog.broke("the store refuses its operator: \(error)") }
        }
        modelDriver.end()
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
