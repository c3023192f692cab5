import StoreCore

// Generic products, which are sold by signed requests.
extension Model {
    /// Charges an account for an item.
    mutating func pay(_ cents: Int, by account: Int) {
        var entry = requested(.generic, by: account)
        entry.request = cents
        sell(add(entry))
    }

    /// Begins a period of an account's generic subscription now, of these items.
    ///
    /// The next period has the same items unless others are given.
    mutating func begin(_ items: [String: Int], next: [String: Int]? = nil, by account: Int) {
        let index = add(requested(.pass, by: account))
        var subscription =
            accounts[account].subscriptions[.requests] ?? SubscriptionModel(first: index, periodLength: periodLength)
        let charge = subscription.begin(with: items, next: next ?? items, as: index, at: now, for: prices)
        accounts[account].subscriptions[.requests] = subscription
        if subscription.first != index { entries[index].beginning = subscription.first }
        (entries[index].charge, entries[index].period, entries[index].end) = (
            charge, subscription.period, subscription.end
        )
        accounts[account].history.append(index)
        accounts[account].charged += charge
        putReceipt(for: account)
    }

    /// Refunds the newest period of an account's generic subscription, with which that ends.
    mutating func revokeRequested(by account: Int) {
        guard let subscription = accounts[account].subscriptions[.requests] else { return }
        let newest = accounts[account].history.last {
            entries[$0].product == .pass && entries[$0].period == subscription.period
        }
        if let newest { refund(newest) }
    }

    private func requested(_ product: Product, by account: Int) -> Entry {
        Entry(
            origin: .elsewhere,
            tag: nil,
            device: nil,
            account: account,
            product: product,
            quantity: 1,
            stage: .purchased,
            date: now
        )
    }
}
