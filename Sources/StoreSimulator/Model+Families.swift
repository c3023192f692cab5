import Foundation
import StoreCore

// Family sharing.
extension Model {
    /// An item that a member may use because another one bought it.
    struct Share {
        let owner: Int
        let member: Int
        /// Whether it is the subscription, and not the game.
        let isClub: Bool
        /// The product; of a subscription, that of the newest period.
        var product: Product
        /// The owner's period that the member got last, and when it began.
        var period: Int?
        var start: Date?
        /// The member's transactions, the first one first.
        var entries: [Int]
        /// Whether it gave access when the last change was over.
        var isInUse = true
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
            guard share.isInUse, let last = share.entries.last else { continue }
            entries[last].cancellation = date
            accounts[share.member].history.removeAll { $0 == last }
            revoke(share.product, share.member)
        }
        for family in families {
            for owner in family where accounts[owner].sharesPurchases {
                for member in family where member != owner {
                    if accounts[owner].ownsGame { shareGame(of: owner, with: member, at: date) }
                    shareClub(of: owner, with: member, at: date)
                }
            }
        }
        for account in accounts.indices { accounts[account].hasNewGame = false }
    }

    /// Whether a share is kept: one that is over or unpaid gives no access, and may yet go on; a refunded one is gone.
    private func isKept(_ share: Share) -> Bool {
        let owner = accounts[share.owner]
        guard owner.sharesPurchases, let family = family(of: share.owner), family == self.family(of: share.member)
        else { return false }
        guard share.isClub else { return owner.ownsGame }
        guard let club = owner.club, !club.isRevoked else { return false }
        return !club.isEntitled || Self.isShareable(club.product)
    }

    /// Shares the game.
    ///
    /// If it was bought before it was shared, it comes with a restore only.
    private mutating func shareGame(of owner: Int, with member: Int, at date: Date) {
        guard !shares.contains(where: { $0.owner == owner && $0.member == member && !$0.isClub }) else { return }
        let entry = give(.game, to: member, at: date, original: nil, isSilent: !accounts[owner].hasNewGame)
        shares.append(Share(owner: owner, member: member, isClub: false, product: .game, entries: [entry]))
    }

    /// Shares the subscription.
    ///
    /// Every period comes as a transaction of the member's own.
    private mutating func shareClub(of owner: Int, with member: Int, at date: Date) {
        guard let club = accounts[owner].club else { return }
        let known = shares.firstIndex { $0.owner == owner && $0.member == member && $0.isClub }
        guard club.isEntitled, Self.isShareable(club.product) else {
            if let known { shares[known].isInUse = false }
            return
        }
        if let known, has(shares[known], club) {
            shares[known].period = club.period
            return shares[known].isInUse = true
        }
        let first = known.map { shares[$0].entries[0] }
        let entry = give(club.product, to: member, at: date, original: first, isSilent: false)
        entries[entry].end = club.end
        guard let known else {
            let share = Share(
                owner: owner,
                member: member,
                isClub: true,
                product: club.product,
                period: club.period,
                start: club.start,
                entries: [entry]
            )
            return shares.append(share)
        }
        shares[known].product = club.product
        shares[known].period = club.period
        shares[known].start = club.start
        shares[known].entries.append(entry)
        shares[known].isInUse = true
    }

    /// Whether a member has the period: a change of product and back at once leaves the same period.
    private func has(_ share: Share, _ club: SubscriptionModel) -> Bool {
        share.period == club.period
            || share.product == club.product && share.start == club.start
                && share.entries.last.flatMap { entries[$0].end } == club.end
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
        let owner: Int?
    }

    func uses(of account: Int) -> Set<Use> {
        var uses: Set<Use> = []
        if accounts[account].ownsGame { uses.insert(Use(product: "game", end: nil, owner: nil)) }
        if let club = accounts[account].club, club.isEntitled {
            uses.insert(Use(product: club.product.rawValue, end: club.nextMoment, owner: nil))
        }
        for share in shares where share.member == account && share.isInUse {
            let end = share.isClub ? accounts[share.owner].club?.nextMoment : nil
            uses.insert(Use(product: share.product.rawValue, end: end, owner: share.owner))
        }
        return uses
    }
}
