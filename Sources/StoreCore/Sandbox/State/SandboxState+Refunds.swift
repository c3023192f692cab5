import Foundation

extension SandboxState {
    /// Applies a refund.
    mutating func apply(_ refund: Refund, _ date: Date) {
        cancel(refund.transactions, of: refund.account, date)
        revocations.keep(refund)
        server.decide(refundOf: refund.transactions)
        switch catalog.kind(of: refund.product) {
        case .nonConsumable, .freeSubscription: accounts[refund.account].owned.remove(refund.product)
        case .autoRenewable:
            if let index = ended(with: refund) { subscriptions.end(index, .revoked) }
        case .consumable, .nonRenewing: break
        }
        notify(refund.account, refund.revoked)
    }

    /// Returns the subscription that ended with a refund, nil for none.
    ///
    /// Without a record that was lost, the number may be invalid, or refer to another subscription.
    private func ended(with refund: Refund) -> SubscriptionIndex? {
        guard let index = refund.ended else { return endedAsBefore(refund) }
        guard isDamaged else { return index }
        guard subscriptions.indices.contains(index), subscriptions[index].account == refund.account,
            subscriptions[index].group == catalog.group(of: refund.product)
        else { return nil }
        return index
    }

    /// Returns the subscription that ended with a refund recorded by an older version of the store.
    private func endedAsBefore(_ refund: Refund) -> SubscriptionIndex? {
        guard !refund.revoked.isEmpty, let group = catalog.group(of: refund.product) else { return nil }
        return subscriptions.index(of: group, account: refund.account)
    }

    /// Revokes transactions of an account.
    mutating func cancel(_ transactions: [TransactionNumber], of account: AccountID, _ date: Date) {
        purchasesChange()
        for transaction in transactions { revocations.cancel(transaction.identifier, date) }
        accounts[account].history.setCancelled(true, transactions)
    }
}
