import Foundation

extension SandboxState {
    /// Applies what an app's server has asked for, or what it is told.
    mutating func apply(_ change: ServerChange, _ date: Date) {
        switch change {
        case .extended(let subscription, let term, _):
            cut(subscription, to: term)
            server.extended(subscription, at: date)
        case .extendedAll(let outcome): server.extendedAll(outcome, at: date)
        case .tokenSet(let original, _, let token):
            server.set(token, original: original, end: nextTransaction)
            if let index = subscriptions.index(ofOriginal: original) {
                subscriptions.setApplicationUsername(token.uuidString.lowercased(), of: index)
            }
        case .refundRequested(let transaction, _): server.request(refundOf: transaction)
        case .refundDeclined(let transaction): server.decline(refundOf: transaction)
        case .refundReversed(let reversal): apply(reversal)
        case .notificationsBegun: server.beginNotifications()
        case .finished(let finish): self.finish(finish.transaction)
        case .notExtended, .consumptionReported, .consentRescinded, .testRequested, .attempted: break
        }
    }

    private mutating func apply(_ reversal: RefundReversal) {
        purchasesChange()
        server.forgetRefundRequests(for: reversal.transactions)
        let (account, transactions) = (reversal.account, reversal.transactions)
        for transaction in transactions { revocations.restore(transaction.identifier) }
        revocations.forgetRefunds(of: transactions)
        accounts[account].history.setCancelled(false, transactions)
        let history = accounts[account].history
        let isOwned = transactions.contains { history.index(of: $0).map { history[$0].isOwn } ?? false }
        var givesAccess = true
        switch catalog.kind(of: reversal.product) {
        case .nonConsumable, .freeSubscription:
            givesAccess = isOwned
            if isOwned { accounts[account].owned.insert(reversal.product) }
        case .autoRenewable:
            givesAccess = reversal.resumed != nil
            if let index = reversal.resumed, subscriptions[index].end == .revoked { subscriptions.resume(index) }
        case .consumable, .nonRenewing: break
        }
        if givesAccess { revocations.withdrawNotices(to: account, about: catalog[reversal.product].identifier) }
    }

    /// Adds the updates that a change, already applied, means for a queue on a device.
    func addUpdates(from change: ServerChange, for device: DeviceID, to updates: inout [StoreUpdate]) {
        if case .finished(let finish) = change { addWithdrawals([finish], for: device, to: &updates) }
    }

    /// Whether all that a change refers to exists.
    func admits(_ change: ServerChange) -> Bool {
        switch change {
        case .extended(let subscription, let term, _):
            subscriptions.index(ofOriginal: term.original) == subscription && catalog.has(term.product)
        case .notExtended(let subscription, _): subscriptions.indices.contains(subscription)
        case .extendedAll(let outcome): catalog.has(outcome.product)
        case .tokenSet(_, let account, _), .consentRescinded(let account): accounts.indices.contains(account)
        case .refundReversed(let reversal):
            accounts.indices.contains(reversal.account) && catalog.has(reversal.product)
                && reversal.resumed.map { index in
                    subscriptions.indices.contains(index) && subscriptions[index].account == reversal.account
                } ?? true
        case .consumptionReported, .refundRequested, .refundDeclined, .notificationsBegun, .testRequested, .attempted,
            .finished:
            true
        }
    }
}
