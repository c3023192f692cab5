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

    /// Has every restore from now on break off, as when the store gets into trouble on the way.
    ///
    /// What was brought back by then has been delivered. A store that is opened on the ledger again begins without.
    ///
    /// - Parameters:
    ///   - failure: what a restore ends with; nil lets restores succeed again.
    ///   - count: how many transactions it brings back before, fewer if there are not so many. A number below 0 stops the
    ///     process.
    public func failRestores(with failure: StoreFailure?, after count: Int = 0) {
        guard count >= 0 else { fatalError("a restore cannot break off after \(count) transactions") }
        core.shell.withLock { shell in
            shell.settings.rules.restoreBreak = failure.map { RestoreBreak(failure: $0, count: count) }
        }
    }
}

extension SandboxRules {
    /// What a decision comes to.
    func answer(for decision: Authorization) -> Authorization {
        guard let purchaseFailure, decision == .approve else { return decision }
        return .decline(purchaseFailure)
    }
}
