import Foundation

extension SandboxStore {
    /// Pays a purchase back, as the store does when a user asks for it: always, and at once.
    ///
    /// What the account owned for good, and a subscription whose running period it is, ends now: the receipts say so from
    /// then on, and only then do the account's devices hear of it by
    /// ``SKPaymentTransactionObserver/paymentQueue(_:didRevokeEntitlementsForProductIdentifiers:)``, running apps at once,
    /// the others at their next launch. An earlier period of a subscription, a consumable and a non-renewing subscription
    /// only get their ``SandboxTransaction/cancellationDate``. The last period of a subscription in billing retry is of one
    /// that gives no access: it ends without a word, and nothing more is collected. A transaction that is not finished stays to be finished. A
    /// restore does not bring it back, and buying it again costs again.
    ///
    /// What repeated the purchase for nothing, because it was owned already, is cancelled with it, and either may be named.
    ///
    /// - Parameter transaction: the store's name for a purchase or a renewal.
    /// - Throws: ``SandboxError/notSold(_:)`` for what failed or waits, for what a restore or the family brought, for what
    ///   only changed how a subscription renews, and for what this store never called a transaction;
    ///   ``SandboxError/alreadyRefunded(_:)``; and what the ledger throws.
    public func refund(_ transaction: String) throws {
        try core.changeByHistory { state, history, events, now in
            events.append(try state.refund(transaction, in: history, now: now))
        }
    }
}

extension SandboxAccount {
    /// What was paid back to the account, the first purchase first; what had cost nothing is not among these.
    ///
    /// ``totalRefunded`` is the sum of their refunds. They stay among the ``charges``.
    ///
    /// - Throws: what keeps the ledger from being read.
    public var refunds: [SandboxTransaction] { get throws { try transactions.filter { $0.refund ?? 0 != 0 } } }

    /// What was paid back to the account since the store's ledger began; ``totalCharged`` does not become less by it.
    ///
    /// - Throws: what keeps the ledger from being read.
    public var totalRefunded: Decimal { get throws { try transactions.reduce(0) { $0 + ($1.refund ?? 0) } } }
}

extension SandboxDriver {
    /// Makes a change on behalf of the store's owner that depends on what the state forgets.
    ///
    /// It costs what the history costs.
    func changeByHistory(
        _ decide: (SandboxState, LedgerHistory, inout [LedgerRecord], Date) throws -> Void
    ) throws {
        try use { shell, now in
            try shell.refresh()
            try shell.change(now: now) { shell in
                var history = LedgerHistory()
                try shell.forEachRecord { history.take($0) }
                try shell.step { try decide($0, history, &$1, now) }
            }
        }
    }
}
