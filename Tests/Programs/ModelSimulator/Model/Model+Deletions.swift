import StoreCore

// Deletions.
extension Model {
    /// Deletes a transaction, with all that restores it or continues what began with it.
    ///
    /// No app of its user hears that access has ended. Family shares are granted anew.
    mutating func delete(_ index: Int) {
        let deleted = withFollowers(index)
        for index in deleted { forget(index) }
        for account in accounts.indices {
            let own = accounts[account].history.filter { entries[$0].origin != .shared }
            if !own.contains(where: { entries[$0].product == .game }) { accounts[account].ownsGame = false }
            for group in Group.allCases {
                guard let subscription = accounts[account].subscriptions[group] else { continue }
                let isPaid = own.contains {
                    entries[$0].group == group && entries[$0].period == subscription.period
                }
                if deleted.contains(subscription.first) {
                    accounts[account].subscriptions[group] = nil
                } else if subscription.isRunning, !isPaid {
                    accounts[account].subscriptions[group]?.revoke()
                }
                accounts[account].subscriptions[group]?.forget(deleted)
            }
        }
        shares.removeAll { !deleted.isDisjoint(with: $0.entries) }
    }

    /// Deletes all transactions.
    ///
    /// Earlier ends of access that have not been heard need not be delivered.
    ///
    /// - Parameter heard: returns the number of times that the app on a device has heard that a user's access
    ///   to a product has ended.
    mutating func deleteAll(heard: (_ device: Int, _ account: Int, Product) -> Int) {
        for index in entries.indices where !entries[index].isDeleted { forget(index) }
        shares = []
        for account in accounts.indices {
            accounts[account].subscriptions = [:]
            accounts[account].ownsGame = false
        }
        for device in devices.indices {
            for (account, products) in devices[device].revocations {
                for (product, count) in products where count > heard(device, account, product) {
                    devices[device].revocations[account]?[product] = heard(device, account, product)
                }
            }
        }
    }

    /// Returns the entries deleted with a transaction, itself among them.
    func withFollowers(_ index: Int) -> Set<Int> {
        var found: Set<Int> = [index]
        var count = 0
        while found.count > count {
            count = found.count
            for (other, entry) in entries.enumerated() where !entry.isDeleted {
                let before = [entry.original, entry.beginning, entry.bundle].compactMap { $0 }
                if before.contains(where: found.contains) { found.insert(other) }
            }
        }
        return found
    }

    private mutating func forget(_ index: Int) {
        let entry = entries[index]
        entries[index].isDeleted = true
        entries[index].isLive = false
        deleted += 1
        live.removeAll { $0 == index }
        issues.removeAll { $0 == index }
        questions.entries.remove(index)
        guard let account = entry.account else { return }
        accounts[account].charged -= entry.charge ?? 0
        accounts[account].refunded -= entry.refund
        accounts[account].history.removeAll { $0 == index }
        // The code can be redeemed again; one that extended a running subscription is redeemed as the existing entry.
        for redemption in [entry] + entries.filter({ $0.answer == index }) where redemption.origin == .elsewhere {
            if let offer = redemption.offer { accounts[account].redeemed.remove(offer) }
        }
    }
}
