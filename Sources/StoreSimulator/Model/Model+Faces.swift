import Foundation

// What Store Kit 2 reads.
extension Model {
    /// Returns the decided transactions that a device's apps have not finished, without failed ones.
    func unfinished(on device: Int) -> [Int] {
        live.filter { index in
            let entry = entries[index]
            return (entry.stage == .purchased || entry.stage == .restored) && isVisible(entry, on: device)
        }
    }

    /// Returns the products that an account may use, by the possible ends of what it last bought of each.
    ///
    /// An account that has a subscription of its own and shares the same one has two ends. A non-renewing subscription
    /// has none, since the app decides how long it lasts.
    func entitlements(of account: Int) -> [String: Set<Date?>] {
        var found: [String: Set<Date?>] = [:]
        if accounts[account].ownsGame { found["game"] = [nil] }
        for entry in entries
        where entry.account == account && entry.product == .season && entry.stage == .purchased && entry.charge != nil
            && !entry.isRefunded && !entry.isDeleted
        {
            found["season"] = [nil]
        }
        if let subscription = accounts[account].subscription, subscription.isEntitled {
            found[subscription.product.rawValue] = [subscription.end]
        }
        for share in shares where share.member == account && share.isInUse {
            guard share.isSubscription else {
                found["game"] = [nil]
                continue
            }
            found[share.product.rawValue, default: []].insert(share.entries.last.flatMap { entries[$0].end })
        }
        return found
    }

    /// Returns all that an account bought, renewed or has from its family: of consumables only what is not finished and
    /// what was refunded.
    func bought(by account: Int) -> [Int] {
        entries.indices.filter { index in
            let entry = entries[index]
            guard entry.account == account, entry.stage == .purchased, !entry.isDeleted else { return false }
            switch entry.product {
            case .sword, .gift, .shield: return entry.isLive || entry.isRefunded
            // A choice of what to renew as is no purchase yet.
            case .game, .season, .basic, .gold, .silver: return entry.charge != nil || entry.origin == .shared
            case .ghost: return false
            }
        }
    }
}
