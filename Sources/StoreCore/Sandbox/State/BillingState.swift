import Foundation

/// The state of renewal payments that is common to all subscriptions.
struct BillingState: StatePart, Equatable {
    /// The accounts to which renewals cannot be charged.
    var failingAccounts: Set<AccountID> = []
    /// Whether a grace period, in which access continues, follows a failed renewal.
    var grantsGracePeriod = false
    /// The maximum number of renewals of a subscription, nil for no limit.
    var renewalLimit: Int?

    /// Whether a setting may prevent a renewal.
    var mayFail: Bool { !failingAccounts.isEmpty || renewalLimit != nil }
}

extension SandboxState {
    /// Applies a change to the payment for renewals.
    mutating func apply(_ change: BillingChange) {
        switch change {
        case .fails(let account, let isOn):
            if isOn { billing.failingAccounts.insert(account) } else { billing.failingAccounts.remove(account) }
        case .gracePeriod(let isOn): billing.grantsGracePeriod = isOn
        case .renewalLimit(let limit): billing.renewalLimit = limit
        case .renewalFailed(let subscription, let trouble):
            subscriptions.setTrouble(trouble, of: subscription)
            setGraceEndForFamily(trouble.graceEnd, of: subscription)
        case .graceEnded(let subscription):
            guard var trouble = subscriptions.trouble(of: subscription) else { return }
            trouble.graceEnd = nil
            subscriptions.setTrouble(trouble, of: subscription)
            setGraceEndForFamily(nil, of: subscription)
        case .leftOut(let subscription, let term):
            subscriptions.leaveOut(subscription, term)
            if server.hasAdvancedCommerce { renewContent(of: subscription, as: nil, isPaid: false) }
        case .cutShort(let subscription, let term): cut(subscription, to: term)
        case .priceIncrease(let subscription, let increase): subscriptions.setIncrease(increase, of: subscription)
        }
    }

    /// Moves the end of a subscription's period, also in its purchases and in the family's shares.
    mutating func cut(_ subscription: SubscriptionIndex, to term: SubscriptionTerm) {
        purchasesChange()
        let account = subscriptions[subscription].account
        let last = subscriptions[subscription].term
        let purchases = purchases(of: last, by: account)
        for share in families.shares(of: last, from: account) {
            guard let known = share.term else { continue }
            let own = known.cut(as: term)
            for index in self.purchases(of: known, by: share.key.member) {
                accounts[share.key.member].history[index].term = own
            }
            families.cut(share.key, to: own)
        }
        subscriptions.cut(subscription, to: term)
        for index in purchases { accounts[account].history[index].term = term }
    }

    /// Returns the purchases of a subscription's newest period in the histories of its account and of family members.
    func purchasesOfNewestPeriod(of subscription: SubscriptionIndex) -> [(account: AccountID, index: PurchaseIndex)] {
        let (account, term) = (subscriptions[subscription].account, subscriptions[subscription].term)
        let own = purchases(of: term, by: account).map { (account: account, index: $0) }
        return families.shares(of: term, from: account).reduce(into: own) { found, share in
            guard let term = share.term else { return }
            let member = share.key.member
            found += purchases(of: term, by: member).map { (account: member, index: $0) }
        }
    }

    /// Returns the indices, in an account's history, of the purchases of a subscription's newest period.
    func purchases(of term: SubscriptionTerm, by account: AccountID) -> [PurchaseIndex] {
        var found: [PurchaseIndex] = []
        for index in accounts[account].history.chain(of: term.original).reversed() {
            // Older purchases belong to earlier periods.
            guard accounts[account].history[index].term == term else { break }
            // A purchase that was refunded, and made again at the same moment, has an equal term but another period.
            if !accounts[account].history[index].isCancelled { found.append(index) }
            // So has one by a request that replaced another at the same moment: only repetitions cost nothing.
            if accounts[account].history[index].isCharged { break }
        }
        return found
    }
}
