import StoreCore

// Generic products, which are sold by signed requests.
extension Model {
    /// Charges an account for an item.
    mutating func pay(_ cents: Int, by account: Int) {
        var entry = requested(.generic, by: account)
        entry.items = SoldItem.items([.base: PeriodContent.Item(sku: Group.requests.sku, cents: cents)])
        sell(add(entry))
    }

    /// Begins a period of a generic subscription now.
    ///
    /// - Parameters:
    ///   - content: the content.
    ///   - next: the content of the next period; what follows from that of this one unless it is given.
    ///   - account: the account.
    ///   - slot: the subscription, which may be one that has not renewed since it was migrated.
    mutating func begin(_ content: PeriodContent, next: PeriodContent? = nil, by account: Int, in slot: Group) {
        var entry = requested(.pass, by: account)
        (entry.slot, entry.items) = (slot, SoldItem.items(content.items))
        let index = add(entry)
        let known = generic(slot, of: account)
        var subscription =
            known.flatMap { accounts[account].subscriptions[$0] }
            ?? SubscriptionModel(first: index, periodLength: periodLength)
        let charge = subscription.begin(
            with: content,
            next: next ?? content.next,
            as: index,
            at: now,
            for: prices
        )
        accounts[account].subscriptions[known ?? slot] = subscription
        _ = moveMigrated(of: account, from: known ?? slot)
        if subscription.first != index { entries[index].beginning = subscription.first }
        (entries[index].charge, entries[index].period) = (charge, subscription.period)
        (entries[index].start, entries[index].end) = (subscription.start, subscription.end)
        accounts[account].history.append(index)
        accounts[account].charged += charge
        putReceipt(for: account)
    }

    // MARK: Several subscriptions

    /// Returns the group in which a generic subscription is: another one until it renews as the generic product.
    func generic(_ slot: Group, of account: Int) -> Group? {
        let subscriptions = accounts[account].subscriptions
        if subscriptions[slot] != nil { return slot }
        return slot == .migrated ? Group.allCases.first { subscriptions[$0]?.isMigrating == true } : nil
    }

    /// Returns an account's generic subscriptions in the order in which they began.
    func generic(of account: Int) -> [Group] {
        let subscriptions = accounts[account].subscriptions
        return Group.generic.filter { subscriptions[$0] != nil }.sorted {
            (subscriptions[$0]?.place ?? 0) < (subscriptions[$1]?.place ?? 0)
        }
    }

    /// Returns the subscription that a store's group stands for: of several the newest that runs, or else the newest.
    func meant(by group: Group, of account: Int) -> Group {
        guard Group.generic.contains(group) else { return group }
        let all = generic(of: account)
        return all.last { accounts[account].subscriptions[$0]?.isRunning == true } ?? all.last ?? .requests
    }

    /// Whether another running subscription of an account has one of the SKUs.
    func holds(_ skus: [String], _ account: Int, except group: Group?) -> Bool {
        accounts[account].subscriptions.contains { other, subscription in
            let held = Array(subscription.content.items.values) + Array(subscription.nextContent.items.values)
            return other != group && subscription.isRunning && held.contains { skus.contains($0.sku) }
        }
    }

    // MARK: Migration

    /// Has a subscription go on as a generic one from its renewal on.
    mutating func migrate(_ group: Group, of account: Int) {
        guard let newest = newest(in: group, of: account) else { return }
        let paid = entries[newest].charge ?? 0
        accounts[account].subscriptions[group]?.migrate(to: Group.migrated.sku, paid: paid, prices)
        entries[newest].items = SoldItem.items(accounts[account].subscriptions[group]?.content.items ?? [:])
        entries[newest].start = accounts[account].subscriptions[group]?.start
    }

    /// Moves a subscription that was migrated, once it is a generic one.
    ///
    /// - Returns: the group in which the subscription is then.
    mutating func moveMigrated(of account: Int, from group: Group) -> Group {
        guard let subscription = accounts[account].subscriptions[group], subscription.product == .pass,
            !Group.generic.contains(group)
        else { return group }
        accounts[account].subscriptions[group] = nil
        accounts[account].subscriptions[.migrated] = subscription
        accounts[account].subscriptions[.migrated]?.home = group
        for index in entries.indices {
            let beginning = entries[index].beginning ?? entries[index].original ?? index
            if beginning == subscription.first, entries[index].account == account { entries[index].slot = .migrated }
        }
        return .migrated
    }

    /// Returns the subscription of an account that has left a group as a generic one.
    func migrated(from group: Group, of account: Int) -> SubscriptionModel? {
        accounts[account].subscriptions[.migrated].flatMap { $0.home == group ? $0 : nil }
    }

    /// Gives the first item of a subscription another SKU, now or at the renewal.
    mutating func rename(_ group: Group, of account: Int, to sku: String, isImmediate: Bool) {
        accounts[account].subscriptions[group]?.changeContent(isImmediate: isImmediate) { $0.items[.base]?.sku = sku }
        if isImmediate, let newest = newest(in: group, of: account) { entries[newest].items[.base]?.sku = sku }
    }

    // MARK: Refunds

    /// Returns the entry of the newest period of a subscription.
    func newest(in group: Group, of account: Int) -> Int? {
        accounts[account].history.last {
            entries[$0].group == group && entries[$0].period == accounts[account].subscriptions[group]?.period
                && entries[$0].charge != nil
        }
    }

    /// Refunds the newest period of an account's generic subscription, with which that ends.
    mutating func revokeRequested(_ group: Group, of account: Int) {
        guard let newest = newest(in: group, of: account) else { return }
        for item in SimulatedOperation.Item.allCases {
            if let amount = refundable(item, of: newest) { refund(item, of: newest, amount, revokes: true) }
        }
    }

    /// Returns what can be refunded of an item, in tenths of a cent; nil if the entry has no such item, or not any more.
    func refundable(_ item: SimulatedOperation.Item, of index: Int) -> Int? {
        guard let item = entries[index].items[item], !item.isRevoked, !entries[index].isRefunded,
            !entries[index].isDeleted
        else { return nil }
        return item.paid - item.refunded
    }

    /// Refunds an item, with the last revoked one the whole transaction.
    mutating func refund(_ item: SimulatedOperation.Item, of index: Int, _ amount: Int, revokes: Bool) {
        guard let account = entries[index].account else { return }
        entries[index].items[item]?.refunded += amount
        if revokes { entries[index].items[item]?.isRevoked = true }
        entries[index].refund += amount
        accounts[account].refunded += amount
        guard entries[index].items.values.allSatisfy(\.isRevoked) else { return }
        let charge = Double(entries[index].charge ?? 0) * 10
        let share = charge > 0 ? Double(entries[index].refund) / charge : 1
        refund(index, percentage: max(Int((share * 100_000).rounded()), 1))
    }

    /// Returns the share that remains of a subscription's newest period that is not refunded, nil for anything else.
    func remainingShare(of index: Int) -> Double? {
        let entry = entries[index]
        let newest = entry.account.flatMap { account in
            accounts[account].history.last { entries[$0].group == entry.group && entries[$0].charge != nil }
        }
        guard let start = entry.start, let end = entry.end, newest == index else { return nil }
        return Self.share(from: start, to: end, remainingAt: now)
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

extension Model.SoldItem {
    /// Returns items that were paid for.
    static func items(_ items: PeriodContent.Items) -> [SimulatedOperation.Item: Self] {
        items.mapValues { Self(sku: $0.sku, paid: $0.price * 10) }
    }
}

extension SimulatedOperation.Group {
    /// The SKU of the first item of a generic subscription; a request for one that has the SKU already is refused.
    var sku: String { self == .extras ? "extra" : "base" }
}
