import Foundation
import StoreCore

// Family sharing.
extension Model {
    /// An item that a member may use because another one bought it.
    struct Share {
        let purchaser: Int
        let member: Int
        /// Whether it is the subscription, and not the game.
        let isSubscription: Bool
        /// The product; of a subscription, that of the newest period.
        var product: Product
        /// The purchaser's period that the member got last, and when it began.
        var period: Int?
        var start: Date?
        /// The member's transactions, the first one first.
        var entries: [Int]
        /// Whether it gave access when the last change was over.
        var isInUse = true
        /// The end of the access to a subscription; nothing is revoked where it goes on as what is not shared then.
        var end: Date?
    }

    static func isShareable(_ product: Product) -> Bool { [.game, .basic, .gold].contains(product) }

    /// The family that an account is in, nil for none.
    func family(of account: Int) -> Int? { families.firstIndex { $0.contains(account) } }

    /// The family that is joined: the newest that is not over, or else the newest.
    var openFamily: Int? { families.lastIndex { !$0.isEmpty } ?? families.indices.last }

    /// Removes an account from its family; with the organizer everybody leaves.
    mutating func leave(_ family: Int, _ account: Int) {
        if families[family].first == account {
            families[family] = []
        } else {
            families[family].removeAll { $0 == account }
        }
    }

    /// Shares after a change: members now have what the family shares, and no longer what it does not.
    mutating func share(at date: Date) {
        if families.isEmpty { return }
        for index in shares.indices.reversed() where !isKept(shares[index]) {
            let share = shares.remove(at: index)
            guard share.isInUse, share.end.map({ $0 > date }) ?? true, let last = share.entries.last else { continue }
            entries[last].cancellation = date
            accounts[share.member].history.removeAll { $0 == last }
            revoke(share.product, share.member)
        }
        for family in families {
            for purchaser in family where accounts[purchaser].sharesPurchases {
                for member in family where member != purchaser {
                    if accounts[purchaser].ownsGame { shareGame(of: purchaser, with: member, at: date) }
                    shareSubscription(of: purchaser, with: member, at: date)
                }
            }
        }
        for account in accounts.indices { accounts[account].hasNewGame = false }
    }

    /// Whether a share is kept: one that is over or unpaid gives no access, and may yet go on; a refunded one is gone.
    private func isKept(_ share: Share) -> Bool {
        let purchaser = accounts[share.purchaser]
        guard purchaser.sharesPurchases, let family = family(of: share.purchaser),
            family == self.family(of: share.member)
        else { return false }
        guard share.isSubscription else { return purchaser.ownsGame }
        guard let subscription = purchaser.subscription, !subscription.isRevoked else { return false }
        return !subscription.isEntitled || Self.isShareable(subscription.product)
    }

    /// Shares the game.
    ///
    /// If it was bought before it was shared, it comes with a restore only.
    private mutating func shareGame(of purchaser: Int, with member: Int, at date: Date) {
        guard !shares.contains(where: { $0.purchaser == purchaser && $0.member == member && !$0.isSubscription }) else {
            return
        }
        let entry = give(.game, to: member, at: date, original: nil, isSilent: !accounts[purchaser].hasNewGame)
        shares.append(
            Share(purchaser: purchaser, member: member, isSubscription: false, product: .game, entries: [entry])
        )
    }

    /// Shares the subscription.
    ///
    /// Every period comes as a transaction of the member's own.
    private mutating func shareSubscription(of purchaser: Int, with member: Int, at date: Date) {
        guard let subscription = accounts[purchaser].subscription else { return }
        let known = shares.firstIndex { $0.purchaser == purchaser && $0.member == member && $0.isSubscription }
        guard subscription.isEntitled, Self.isShareable(subscription.product) else {
            if let known { shares[known].isInUse = false }
            return
        }
        if let known, has(shares[known], subscription) {
            shares[known].period = subscription.period
            shares[known].end = subscription.nextMoment
            return shares[known].isInUse = true
        }
        let first = known.map { shares[$0].entries[0] }
        let entry = give(subscription.product, to: member, at: date, original: first, isSilent: false)
        entries[entry].end = subscription.end
        guard let known else {
            let share = Share(
                purchaser: purchaser,
                member: member,
                isSubscription: true,
                product: subscription.product,
                period: subscription.period,
                start: subscription.start,
                entries: [entry],
                end: subscription.nextMoment
            )
            return shares.append(share)
        }
        shares[known].product = subscription.product
        shares[known].period = subscription.period
        shares[known].start = subscription.start
        shares[known].end = subscription.nextMoment
        shares[known].entries.append(entry)
        shares[known].isInUse = true
    }

    /// Whether a member has the period: a change of product and back at once leaves the same period.
    private func has(_ share: Share, _ subscription: SubscriptionModel) -> Bool {
        share.period == subscription.period
            || share.product == subscription.product && share.start == subscription.start
                && share.entries.last.flatMap { entries[$0].end } == subscription.end
    }

    private mutating func give(
        _ product: Product,
        to member: Int,
        at date: Date,
        original: Int?,
        isSilent: Bool
    ) -> Int {
        var entry = Entry(
            origin: .shared,
            tag: nil,
            device: nil,
            account: member,
            product: product,
            quantity: 1,
            stage: .purchased,
            date: date
        )
        entry.original = original
        entry.isLive = !isSilent
        let index = add(entry)
        accounts[member].history.append(index)
        if !isSilent { putReceipt(for: member) }
        return index
    }
}

// Entitlements of accounts.
extension Model {
    struct Use: Hashable {
        let product: String
        /// The end of the paid time; nil for a permanent purchase.
        let end: Date?
        /// The account that shares it, nil for the user's own.
        let purchaser: Int?
    }

    func uses(of account: Int) -> [Use] {
        var uses: [Use] = []
        if accounts[account].ownsGame { uses.append(Use(product: "game", end: nil, purchaser: nil)) }
        for group in Group.allCases {
            guard let subscription = accounts[account].subscriptions[group], subscription.isEntitled else { continue }
            uses.append(Use(product: subscription.product.rawValue, end: subscription.nextMoment, purchaser: nil))
        }
        for share in shares where share.member == account && share.isInUse {
            let end = share.isSubscription ? accounts[share.purchaser].subscription?.nextMoment : nil
            uses.append(Use(product: share.product.rawValue, end: end, purchaser: share.purchaser))
        }
        return uses
    }
}
