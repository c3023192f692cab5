import Foundation

// Events that fall due.
extension Model {
    /// Advances the time: events that fell due have happened, the earliest first.
    mutating func advance(to moment: Date) {
        giveUpWaiting(at: moment)
        while let (account, group, date) = nextDue(by: moment) {
            renew(account, in: group, at: date) { $0.fallDue($1) }
        }
        now = moment
    }

    /// Changes an account's subscription, from which a period may come.
    mutating func renew(
        _ account: Int,
        in group: Group = .club,
        at date: Date,
        _ change: (inout SubscriptionModel, RenewalTerms) -> Int?
    ) {
        guard var subscription = accounts[account].subscriptions[group] else { return }
        let terms = RenewalTerms(
            prices: prices,
            fails: accounts[account].billingFails,
            grantsGrace: grantsGrace,
            limit: renewalLimit,
            isHeard: accounts[account].isHeard
        )
        let price = change(&subscription, terms)
        accounts[account].subscriptions[group] = subscription
        let group = moveMigrated(of: account, from: group)
        defer { share(at: date) }
        guard let price else {
            if group == .bundles { followBundle(of: account, at: date) }
            return
        }
        accounts[account].charged += price
        var entry = Entry(
            origin: .renewed,
            tag: nil,
            device: nil,
            account: account,
            product: subscription.product,
            quantity: 1,
            stage: .purchased,
            date: date
        )
        entry.original = subscription.first
        entry.charge = price
        entry.period = subscription.period
        entry.end = subscription.end
        entry.deal = subscription.deal
        entry.slot = group
        (entry.items, entry.start) = (SoldItem.items(subscription.content.items), subscription.start)
        let index = add(entry)
        accounts[account].history.append(index)
        accounts[account].subscriptions[group]?.note(index, subscription.product)
        if group == .bundles { beginMembers(of: account, with: index, at: date, isBought: false) }
    }

    /// Returns the share of a period that remains at a date, from 0 to 1.
    static func share(from start: Date, to end: Date, remainingAt date: Date) -> Double {
        end > start ? min(max(end.timeIntervalSince(date) / end.timeIntervalSince(start), 0), 1) : 1
    }

    private func nextDue(by moment: Date) -> (account: Int, Group, Date)? {
        var first: (account: Int, Group, date: Date)?
        for (index, account) in accounts.enumerated() where !account.subscriptions.isEmpty {
            for group in Group.allCases {
                guard let subscription = account.subscriptions[group], subscription.isRunning,
                    !subscription.isBundled, subscription.nextMoment <= moment,
                    first.map({ subscription.nextMoment < $0.date }) ?? true
                else { continue }
                first = (index, group, subscription.nextMoment)
            }
        }
        return first
    }
}
