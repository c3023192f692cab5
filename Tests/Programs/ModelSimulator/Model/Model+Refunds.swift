import Foundation
import StoreCore

// Refunds.
extension Model {
    /// The transactions that any app has heard of, the latest first.
    var known: [Int] { entries.indices.reversed().filter { entries[$0].identifier != nil } }

    /// Whether a transaction can be refunded.
    func isRefundable(_ index: Int) -> Bool {
        entries[index].charge != nil && entries[index].bundle == nil && !entries[index].isRefunded
            && !entries[index].isDeleted
    }

    /// Refunds a transaction: access that came of it ends at once.
    ///
    /// The percentage is in thousandths.
    mutating func refund(_ index: Int, percentage: Int = 100_000) {
        let refunded = entries[index]
        guard let account = refunded.account else { return }
        switch refunded.product {
        case .sword, .gift, .shield, .season, .generic, .ghost: payBack([index], percentage, account)
        case .game:
            let own = accounts[account].history.filter { entries[$0].product == .game && entries[$0].origin != .shared }
            payBack(own, percentage, account)
            accounts[account].ownsGame = false
            revoke(.game, account)
        case .basic, .gold, .silver, .journal, .films, .songs, .bundle, .pass:
            let refundedEntries = accounts[account].history.filter { isSamePeriod(entries[$0], refunded) }
            payBack(refundedEntries, percentage, account)
            defer { refundMembers(of: refundedEntries, percentage, account) }
            guard let group = refunded.group, let subscription = accounts[account].subscriptions[group],
                subscription.isRunning, subscription.period == refunded.period
            else { return }
            accounts[account].subscriptions[group]?.revoke()
            if subscription.isEntitled { revoke(refunded.product, account) }
        }
    }

    /// Pays back a part of what an account paid for a period that something else replaces; access goes on.
    mutating func payBack(_ subscription: SubscriptionModel, at date: Date, _ account: Int) {
        let paid = accounts[account].history.filter {
            entries[$0].group == subscription.product.group && entries[$0].period == subscription.period
        }
        payBack(paid, subscription.remainingShare(at: date), account, at: date)
    }

    private func isSamePeriod(_ entry: Entry, _ refunded: Entry) -> Bool {
        if entry.group != refunded.group { return false }
        if entry.period == refunded.period { return true }
        // Two that cost nothing and were over in the moment in which they began cannot be told apart.
        guard case .offer(let offer, _)? = entry.deal, offer.terms?.price == 0, entry.end == entry.date else {
            return false
        }
        return entry.product == refunded.product && entry.deal == refunded.deal && entry.date == refunded.date
            && entry.end == refunded.end
    }

    /// Refunds entries: they no longer count, and no restore brings them.
    ///
    /// The percentage is in thousandths; the sum is rounded.
    mutating func payBack(_ indices: [Int], _ percentage: Int, _ account: Int, at date: Date? = nil) {
        for index in indices {
            entries[index].cancellation = date ?? now
            let refund = ((entries[index].charge ?? 0) * 10 * percentage + 50_000) / 100_000
            // Refunds of items are a part of it.
            accounts[account].refunded += refund - entries[index].refund
            entries[index].refund = refund
        }
        accounts[account].history.removeAll { indices.contains($0) }
    }

    /// Revokes a product: every device that the account was ever signed in on has to hear of it.
    mutating func revoke(_ product: Product, _ account: Int) {
        for device in devices.indices where devices[device].guests.contains(account) {
            devices[device].revocations[account, default: [:]][product, default: 0] += 1
        }
    }

    /// Returns the revocations that the app of a device's current user has to have heard of, and how often.
    func revocations(on device: Int) -> [Product: Int] {
        devices[device].account.flatMap { devices[device].revocations[$0] } ?? [:]
    }

    func isRevoked(_ identifier: String, on device: Int) -> Bool {
        Product(rawValue: identifier).map { revocations(on: device)[$0, default: 0] > 0 } ?? false
    }
}
