import Foundation

extension SandboxStore {
    /// Deletes a transaction, and all that renew or restore it, as if they had never existed.
    ///
    /// They leave the queues, the receipts, the ``transactions``, the account's charges and its entitlements; the
    /// purchase can be made afresh. Deleting a subscription's first transaction deletes the whole subscription.
    /// Deleting its running period alone ends it as revoked. Deleting a purchase that only changed how it renews undoes
    /// that change. The account is eligible again for an introductory offer, and for a code, under which nothing else
    /// of it was. Apps are sent no revocation, except those of family members with whom the transaction was shared. A
    /// transaction that itself came from the family comes anew. The clock, all settings and the nonces of signed offers
    /// stay as they are.
    ///
    /// - Parameter transaction: the transaction's identifier.
    /// - Throws: ``SandboxError/unknownTransaction(_:)``, and the ledger's errors.
    public func deleteTransaction(_ transaction: String) throws {
        try core.changeByHistory { state, history, events, now in
            let numbers = history.transactionAndFollowers(of: transaction).compactMap { TransactionNumber($0) }
            guard !numbers.isEmpty else { throw SandboxError.unknownTransaction(transaction) }
            let all = Set(numbers)
            let deletion = Deletion(
                transactions: numbers,
                withdrawn: state.withdrawn(all.contains),
                ended: state.subscriptionsWithNothingLeft(without: all)
            )
            events.append(LedgerRecord(date: now, event: .operator(.deleted(deletion))))
        }
    }

    /// Deletes all transactions of all accounts, as if they had never existed.
    ///
    /// They leave the queues, and receipts become empty. Products, accounts, families, devices and the clock stay as
    /// they are, and the next transaction gets the next number. Apps are sent no revocation, nor anything of which they
    /// were not told yet.
    ///
    /// - Throws: the ledger's errors.
    public func clearTransactions() throws {
        try core.change { state, events, now in
            events.append(LedgerRecord(date: now, event: .operator(.cleared(withdrawn: state.withdrawn { _ in true }))))
        }
    }
}

extension SandboxDriver {
    /// Makes a change for the operator that depends on history that the state does not keep.
    ///
    /// Its cost grows with the history.
    fileprivate func changeByHistory(
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
