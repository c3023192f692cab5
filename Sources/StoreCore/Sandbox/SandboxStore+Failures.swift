import Foundation

extension SandboxStore {
    /// The failure of every purchase from now on, nil for none.
    ///
    /// Every order fails, before any authorization or charge; a purchase that waits for a decision fails when it is
    /// approved. A store that is reopened on the ledger begins without a failure.
    public var purchaseFailure: StoreFailure? {
        get { core.shell.withLock { $0.settings.rules.purchaseFailure } }
        set { core.shell.withLock { $0.settings.rules.purchaseFailure = newValue } }
    }

    /// The quirks that the store has; none unless set.
    ///
    /// They hold for what is decided from now on. A store that is reopened on the ledger has none.
    public var quirks: Set<StoreQuirk> {
        get { core.shell.withLock { $0.settings.rules.quirks } }
        set { core.shell.withLock { $0.settings.rules.quirks = newValue } }
    }

    /// Makes every restore from now on fail partway, as when the store gets into trouble.
    ///
    /// Transactions that were restored by then have been delivered. A store that is reopened on the ledger begins
    /// without this.
    ///
    /// - Parameters:
    ///   - failure: the failure that ends a restore; nil lets restores succeed again.
    ///   - count: how many transactions it restores before, fewer if there are not so many. A number below 0 stops the
    ///     process.
    public func failRestores(with failure: StoreFailure?, after count: Int = 0) {
        guard count >= 0 else { fatalError("a restore cannot break off after \(count) transactions") }
        core.shell.withLock { shell in
            shell.settings.rules.restoreBreak = failure.map { RestoreBreak(failure: $0, count: count) }
        }
    }
}

extension SandboxRules {
    /// Returns the decision, or the store's purchase failure in place of an approval.
    func answer(for decision: Authorization) -> Authorization {
        guard let purchaseFailure, decision == .approve else { return decision }
        return .decline(purchaseFailure)
    }
}
