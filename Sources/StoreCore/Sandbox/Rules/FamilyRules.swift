import Foundation

// The rules of family sharing (behaviors 176 to 179).
extension SandboxState {
    /// Adds the events of the shares that family members have gained or lost.
    ///
    /// `events` are the events of the surrounding change, which the state has applied already. Members receive a
    /// purchased transaction for each period of a shared subscription, and for a non-consumable that was bought in this
    /// change. A non-consumable that was bought earlier reaches them only through a restore.
    func shareWithFamilies(_ events: inout [LedgerRecord]) {
        guard let now = events.last?.date else { return }
        let touched = Set(events.flatMap { families(touchedBy: $0.event) })
        if touched.isEmpty { return }
        let bought = Set(events.compactMap(\.event.acquisition))
        let wanted = touched.sorted().flatMap { itemsToShare(in: families.all[$0]) }
        let isWanted = Set(wanted)
        let purchasers = Set(touched.flatMap { families.all[$0].members } + events.flatMap(\.event.leavers))
        for share in families.shares(from: purchasers) where !isWanted.contains(share.key) && !isSuspended(share) {
            let hadAccess = hadAccess(share, until: now)
            let change = FamilyChange.unshared(
                share.key,
                transactions: hadAccess ? share.transactions.suffix(1) : [],
                revoked: hadAccess ? [catalog[share.product].identifier] : []
            )
            events.append(LedgerRecord(date: now, event: .operator(.family(change))))
        }
        var next = nextTransaction
        for key in wanted {
            guard let sharing = sharing(key, as: next, at: now, bought) else { continue }
            events.append(LedgerRecord(date: now, event: .operator(.family(.shared(sharing)))))
            next = next.advanced(by: 1)
        }
    }

    /// Returns the families in which an event may have changed the shares.
    private func families(touchedBy event: StoreEvent) -> [FamilyID] {
        switch event.effect {
        // These may change the shareable products, or the purchases of any account.
        case .changesCatalog, .deletes, .deletesAll: Array(families.all.indices)
        case .changesMembers(let family): [family]
        case .changesSharing(let account): family(of: account)
        case .grants(let purchase):
            catalog.kind(of: purchase.product) == .consumable ? [] : family(of: purchase.account)
        case .renews(let subscription, _, _, _), .ends(let subscription):
            family(of: subscriptions[subscription].account)
        case .refunds(let refund): family(of: refund.account)
        case .reversesRefund(let reversal): family(of: reversal.account)
        case .grantsNothing, .restores, .shares, .unshares, .finishes, .changesEnd, .changesDetails, .setsToken,
            .nothing:
            []
        }
    }

    private func family(of account: AccountID) -> [FamilyID] { families.family(of: account).map { [$0] } ?? [] }

    /// Returns the items that each member of a family receives from each other member, in a deterministic order.
    private func itemsToShare(in family: Families.Family) -> [FamilyChange.Key] {
        var keys: [FamilyChange.Key] = []
        for purchaser in family.members where families.isSharing(purchaser) {
            let owned = accounts[purchaser].owned.sorted().filter {
                catalog.kind(of: $0) == .nonConsumable && catalog[$0].isFamilyShareable
            }
            let running = subscriptions.all(of: purchaser).lazy.filter { self.subscriptions.isEntitled($0) }
                .map { self.subscriptions[$0] }.filter { self.catalog[$0.term.product].isFamilyShareable }
            let items: [FamilyChange.Item] =
                owned.map { .product($0) } + running.map { .subscription(original: $0.term.original) }
            for member in family.members where member != purchaser {
                keys += items.map { FamilyChange.Key(purchaser: purchaser, member: member, item: $0) }
            }
        }
        return keys
    }

    /// Returns the sharing of an item with a member; nil if there is nothing new to share.
    ///
    /// Each new period of a subscription is shared again.
    private func sharing(
        _ key: FamilyChange.Key,
        as number: TransactionNumber,
        at now: Date,
        _ bought: Set<StoreEvent.Acquisition>
    ) -> FamilyChange.Sharing? {
        let share = families.share(key)
        switch key.item {
        case .product(let product):
            guard share == nil else { return nil }
            let isNew = bought.contains(StoreEvent.Acquisition(account: key.purchaser, product: product))
            return .init(key: key, transaction: number, product: product, term: nil, isSilent: !isNew)
        case .subscription(let original):
            guard let index = subscriptions.index(ofOriginal: original) else { return nil }
            let term = subscriptions[index].term
            // Start and end identify a period: after one that was cut short, another may begin at the same moment.
            if let known = share?.term, known.isSamePeriod(as: term) { return nil }
            let first = share?.term
            let own = SubscriptionTerm(
                product: term.product,
                start: term.start,
                cycle: term.cycle,
                offer: nil,
                original: first?.original ?? number,
                // For a member without an earlier share, the subscription's original date is now.
                originalDate: first?.originalDate ?? now,
                commitment: term.commitment
            )
            return .init(key: key, transaction: number, product: term.product, term: own, isSilent: false)
        }
    }

    /// Whether a share is retained without access, because its subscription has lapsed but may be resumed.
    private func isSuspended(_ share: Families.Share) -> Bool {
        guard case .subscription(let original) = share.key.item,
            let index = subscriptions.index(ofOriginal: original)
        else { return false }
        let family = families.family(of: share.key.purchaser)
        return !subscriptions.isEntitled(index) && subscriptions[index].end != .revoked
            && family != nil && family == families.family(of: share.key.member)
            && families.isSharing(share.key.purchaser)
    }

    /// Whether a share that ends now has given access until now.
    private func hadAccess(_ share: Families.Share, until now: Date) -> Bool {
        share.term.map { (share.graceEnd ?? $0.end) > now } ?? true
    }

    /// Returns the entitlements that an account has through family sharing.
    func sharedEntitlements(of account: AccountID) -> [SandboxEntitlement] {
        families.shares(with: account).compactMap { share in
            var graceEnd: Date?
            if case .subscription(let original) = share.key.item {
                let index = subscriptions.index(ofOriginal: original)
                guard let index, subscriptions.isEntitled(index) else { return nil }
                graceEnd = subscriptions.trouble(of: index)?.graceEnd
            }
            return SandboxEntitlement(
                productIdentifier: catalog[share.product].identifier,
                expirationDate: graceEnd ?? share.term?.end,
                transaction: share.first.original?.identifier ?? "",
                startDate: share.term?.start ?? share.first.original?.date ?? .distantPast,
                isInGracePeriod: graceEnd != nil,
                sharedBy: accounts[share.key.purchaser].name
            )
        }
    }
}

extension StoreEvent {
    /// A purchase by an account.
    struct Acquisition: Hashable {
        let account: AccountID
        let product: ProductIndex
    }

    /// The accounts that leave a family with this event.
    fileprivate var leavers: [AccountID] {
        if case .operator(.family(.left(_, let accounts))) = self { accounts } else { [] }
    }

    /// The purchase that the event granted, nil for none.
    fileprivate var acquisition: Acquisition? {
        guard case .grants(let purchase) = effect else { return nil }
        return Acquisition(account: purchase.account, product: purchase.product)
    }
}
