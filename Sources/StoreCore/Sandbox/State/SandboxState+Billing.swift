import Foundation

extension SandboxState {
    /// Takes in a change around the payment for renewals.
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
        case .leftOut(let subscription, let term): subscriptions.leaveOut(subscription, term)
        case .cutShort(let subscription, let term): cut(subscription, to: term)
        case .priceIncrease(let subscription, let increase): subscriptions.setIncrease(increase, of: subscription)
        }
    }

    /// What was bought says the same of its end as the subscription does, and so does what the family has of it.
    private mutating func cut(_ subscription: Int, to term: SubscriptionTerm) {
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

    /// Where the purchases lie that belong to the newest period of a subscription, in its account's history and in those
    /// of the members of its family.
    func purchasesOfNewestPeriod(of subscription: Int) -> [(account: Int, index: Int)] {
        let (account, term) = (subscriptions[subscription].account, subscriptions[subscription].term)
        let own = purchases(of: term, by: account).map { (account: account, index: $0) }
        return families.shares(of: term, from: account).reduce(into: own) { found, share in
            guard let term = share.term else { return }
            let member = share.key.member
            found += purchases(of: term, by: member).map { (account: member, index: $0) }
        }
    }

    /// Where in an account's history the purchases lie that belong to the newest period of a subscription.
    func purchases(of term: SubscriptionTerm, by account: Int) -> [Int] {
        var found: [Int] = []
        for index in (0..<accounts[account].history.count).reversed() {
            guard let known = accounts[account].history[index].term, known.original == term.original else { continue }
            // Older ones are of periods before.
            guard known == term else { break }
            // What was paid back and bought again at one moment says the same, and is another period.
            if !accounts[account].history[index].isCancelled { found.append(index) }
        }
        return found
    }
}
