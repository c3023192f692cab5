import Foundation

extension SandboxStore {
    /// Makes a transaction, and all that renew or restore it, as if they had never been.
    ///
    /// They leave the queues, the receipts, the ``transactions``, what the account was charged and what it is entitled to;
    /// the purchase can be made afresh. With the transaction that a subscription began with the whole subscription goes,
    /// with its running period alone it ends as revoked; with a purchase that only changed how it renews, that change. An
    /// introductory offer is open again, and a code serves once more, where nothing else of the account's was under it.
    /// Apps are sent no revoke message, but for those of family members who had it shared with them. What itself came from
    /// the family comes anew. The clock, and whatever is set up, stay as they are; so do the nonces of signed offers.
    ///
    /// - Parameter transaction: the store's name for it.
    /// - Throws: ``SandboxError/unknownTransaction(_:)``, and what the ledger throws.
    public func deleteTransaction(_ transaction: String) throws {
        try core.changeByHistory { state, history, events, now in
            let numbers = history.transactionAndFollowers(of: transaction).compactMap { SandboxState.number(of: $0) }
            guard !numbers.isEmpty else { throw SandboxError.unknownTransaction(transaction) }
            let all = Set(numbers)
            let deletion = Deletion(
                transactions: numbers,
                withdrawn: state.withdrawn(all.contains),
                ended: state.subscriptionsWithNothingLeft(without: all, in: history)
            )
            events.append(LedgerRecord(date: now, event: .owner(.deleted(deletion))))
        }
    }

    /// Makes all transactions of all accounts as if they had never been.
    ///
    /// They leave the queues, and receipts have nothing in them. Products, accounts, families, devices and the clock stay
    /// as they are, and the next transaction gets the next number. Apps are sent no revoke message, nor what they had not
    /// heard of yet.
    ///
    /// - Throws: what the ledger throws.
    public func clearTransactions() throws {
        try core.change { state, events, now in
            events.append(LedgerRecord(date: now, event: .owner(.cleared(withdrawn: state.withdrawn { _ in true }))))
        }
    }
}
