import Foundation

extension SandboxStore {
    /// What every purchase fails with from now on, nil for none.
    ///
    /// Orders fail whatever they are for, before anybody is asked or anything is charged; what waits for a decision fails
    /// when it is approved. A store that is opened on the ledger again begins without.
    public var purchaseFailure: StoreFailure? {
        get { core.shell.withLock { $0.settings.rules.purchaseFailure } }
        set { core.shell.withLock { $0.settings.rules.purchaseFailure = newValue } }
    }
}

extension SandboxRules {
    /// What a decision comes to.
    func answer(for decision: Authorisation) -> Authorisation {
        guard let purchaseFailure, decision == .approve else { return decision }
        return .decline(purchaseFailure)
    }
}
