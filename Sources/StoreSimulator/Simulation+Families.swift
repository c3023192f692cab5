import StoreCore

// Families.
extension Simulation {
    func foundFamily(_ organiser: Int) {
        guard let account = handle(ofAccount: organiser) else { return }
        let name = "family \(witness.model.families.count)"
        let act = { [self] in _ = try store.addFamily(name, organiser: account) }
        guard witness.model.family(of: organiser) == nil else {
            return expectRefusal("has account \(organiser) in two families", act: act)
        }
        own({ $0.families.append([organiser]) }, act: act)
    }

    func joinFamily(_ account: Int) {
        guard let family = witness.model.openFamily, let handle = self.handle(ofAccount: account),
            let found = handleOfFamily(family)
        else { return }
        let act = { try found.add(handle) }
        guard witness.model.family(of: account) == nil, !witness.model.families[family].isEmpty else {
            return expectRefusal("has account \(account) join family \(family)", act: act)
        }
        own({ $0.families[family].append(account) }, act: act)
    }

    func leaveFamily(_ account: Int) {
        let own = witness.model.family(of: account)
        guard let family = own ?? witness.model.openFamily,
            let handle = self.handle(ofAccount: account), let found = handleOfFamily(family)
        else { return }
        let act = { try found.remove(handle) }
        if own == nil { return expectRefusal("has account \(account) leave family \(family)", act: act) }
        self.own({ $0.leave(family, account) }, act: act)
    }

    func setSharesPurchases(_ isOn: Bool, of account: Int) {
        let name = Self.accountNames[account]
        own {
            $0.accounts[account].sharesPurchases = isOn
        } isKept: { store in
            store.account(named: name)?.sharesPurchases == isOn
        } act: { [self] in
            try store.account(named: name)?.setSharesPurchases(isOn)
        }
    }

    /// Returns a family by the model's number; a store that has lost it breaks a rule.
    private func handleOfFamily(_ index: Int) -> SandboxFamily? {
        let families = store.families
        if families.indices.contains(index) { return families[index] }
        diary.broke("the store has \(families.count) families, and should have number \(index)")
        return nil
    }
}
