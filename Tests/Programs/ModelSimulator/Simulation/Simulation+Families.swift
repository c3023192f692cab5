import StoreCore

// Families.
extension Simulation {
    func foundFamily(_ organizer: Int) {
        guard let account = handle(ofAccount: organizer) else { return }
        let name = "family \(modelDriver.model.families.count)"
        let action = { [self] in _ = try store.addFamily(name, organizer: account) }
        guard modelDriver.model.family(of: organizer) == nil else {
            return expectRefusal("has account \(organizer) in two families", action: action)
        }
        operate({ $0.families.append([organizer]) }, action: action)
    }

    func joinFamily(_ account: Int) {
        guard let family = modelDriver.model.openFamily, let handle = self.handle(ofAccount: account),
            let found = handleOfFamily(family)
        else { return }
        let action = { try found.add(handle) }
        guard modelDriver.model.family(of: account) == nil, !modelDriver.model.families[family].isEmpty else {
            return expectRefusal("has account \(account) join family \(family)", action: action)
        }
        operate({ $0.families[family].append(account) }, action: action)
    }

    func leaveFamily(_ account: Int) {
        let own = modelDriver.model.family(of: account)
        guard let family = own ?? modelDriver.model.openFamily,
            let handle = self.handle(ofAccount: account), let found = handleOfFamily(family)
        else { return }
        let action = { try found.remove(handle) }
        if own == nil { return expectRefusal("has account \(account) leave family \(family)", action: action) }
        self.operate({ $0.leave(family, account) }, action: action)
    }

    /// Returns a family by the model's number; a store that has lost it breaks a rule.
    private func handleOfFamily(_ index: Int) -> SandboxFamily? {
        let families = store.families
        if families.indices.contains(index) { return families[index] }
        eventLog.broke("the store has \(families.count) families, and should have number \(index)")
        return nil
    }
}
