import Foundation

// What Store Kit 2 reads.
extension Model {
    /// Returns the decided transactions that a device's apps have not finished, without failed ones.
    func unfinished(on device: Int) -> [Int] {
        live.filter { index in
            let entry = entries[index]
            return (entry.stage == .purchased || entry.stage == .restored) && entry.answer == nil
                && isVisible(entry, on: device)
        }
    }

    /// Returns the products that an account may use, by the ends of what entitles it to each.
    ///
    /// An account that has bought what its family shares is entitled twice. A non-renewing subscription has no end, since
    /// the app decides how long it lasts.
    func entitlements(of account: Int) -> [String: [Date?]] {
        var found: [String: [Date?]] = [:]
        if accounts[account].ownsGame { found["game"] = [nil] }
        for entry in entries
        where entry.account == account && entry.product == .season && entry.stage == .purchased && entry.charge != nil
            && !entry.isRefunded && !entry.isDeleted
        { found["season"] = [nil] }
        for group in Group.allCases {
            guard let subscription = accounts[account].subscriptions[group], subscription.isEntitled else { continue }
            found[subscription.product.rawValue, default: []].append(subscription.end)
        }
        let shares = shares.filter { $0.member == account && $0.isInUse }
        // Of a game that several share, the newest.
        if shares.contains(where: { !$0.isSubscription }) { found["game", default: []].append(nil) }
        for share in shares where share.isSubscription {
            found[share.product.rawValue, default: []].append(share.entries.last.flatMap { entries[$0].end })
        }
        return found
    }

    /// Returns all that an account bought, renewed or has from its family: of consumables only what is not finished and
    /// what was refunded.
    func bought(by account: Int) -> [Int] {
        entries.indices.filter { index in
            let entry = entries[index]
            guard entry.account == account, entry.stage == .purchased, entry.answer == nil, !entry.isDeleted else {
                return false
            }
            switch entry.product {
            case .sword, .gift, .shield, .generic: return entry.isLive || entry.isRefunded
            case .game, .season, .basic, .gold, .silver, .journal, .films, .songs, .bundle, .pass:
                return entry.charge != nil || entry.origin == .shared
            case .ghost: return false
            }
        }
    }
}
