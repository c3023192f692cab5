import Foundation

// Events that fall due.
extension Model {
    /// Advances the time: events that fell due have happened, the earliest first.
    mutating func advance(to moment: Date) {
        giveUpWaiting(at: moment)
        while let account = nextDue(by: moment), let date = accounts[account].subscription?.nextMoment {
            renew(account, at: date) { $0.fallDue($1) }
        }
        now = moment
    }

    /// Changes an account's subscription, from which a period may come.
    mutating func renew(_ account: Int, at date: Date, _ change: (inout SubscriptionModel, RenewalTerms) -> Int?) {
        guard var subscription = accounts[account].subscription else { return }
        let terms = RenewalTerms(
            prices: prices,
            fails: accounts[account].billingFails,
            grantsGrace: grantsGrace,
            limit: renewalLimit,
            isHeard: accounts[account].isHeard
        )
        let price = change(&subscription, terms)
        accounts[account].subscription = subscription
        defer { share(at: date) }
        guard let price else { return }
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
        let index = add(entry)
        accounts[account].history.append(index)
        accounts[account].subscription?.note(index, subscription.product)
    }

    private func nextDue(by moment: Date) -> Int? {
        var first: Int?
        var date = moment
        for (index, account) in accounts.enumerated() {
            guard let subscription = account.subscription, subscription.isRunning, subscription.nextMoment <= date
            else { continue }
            if first != nil, subscription.nextMoment == date { continue }
            (first, date) = (index, subscription.nextMoment)
        }
        return first
    }
}
