import Foundation
import StoreCore

// Content of devices' receipts.
extension Model {
    /// A line of a receipt about a purchase.
    struct ReceiptLine: Hashable {
        let product: String
        let quantity: Int
        let date: Date
        let end: Date?
        let cancellation: Date?
        let isFree: Bool
        /// A promotional offer; offer codes are not in receipts.
        let offer: String?
    }

    /// Whether an operation of an app brings a receipt to a device.
    ///
    /// An unordered transaction does so while it is
    /// delivered.
    func hasReceipt(on device: Int) -> Bool {
        if devices[device].hasReceipt { return true }
        guard let account = devices[device].account else { return false }
        return live.contains { entries[$0].device == nil && entries[$0].account == account }
    }

    /// Puts a receipt on all devices where an account is signed in, after something came to them.
    mutating func putReceipt(for account: Int) {
        for device in devices.indices where devices[device].account == account { devices[device].hasReceipt = true }
    }

    /// Returns the entries in a device's receipt: all of the account's, and the consumables not finished there.
    func receiptEntries(on device: Int) -> [Int] {
        guard let account = devices[device].account else { return [] }
        return entries.indices.filter { index in
            let entry = entries[index]
            guard entry.account == account, entry.stage == .purchased, entry.answer == nil, !entry.isDeleted else {
                return false
            }
            switch entry.product {
            case .sword, .gift, .shield, .generic: return isVisible(entry, on: device)
            case .game, .season, .basic, .gold, .silver, .journal, .films, .songs, .bundle, .pass:
                return entry.charge != nil || entry.origin == .shared
            case .ghost: return false
            }
        }
    }

    func receiptLine(_ index: Int) -> ReceiptLine {
        let entry = entries[index]
        var (isFree, offer) = (false, String?.none)
        switch entry.deal {
        case .trial?: isFree = true
        case .offer(let deal, _)?:
            isFree = deal.terms?.price == 0
            if deal.terms?.kind == .promotional { offer = deal.rawValue }
        case nil: break
        }
        return ReceiptLine(
            product: entry.product.rawValue,
            quantity: entry.quantity,
            date: entry.date,
            end: entry.end,
            cancellation: entry.cancellation,
            isFree: isFree,
            offer: offer
        )
    }

    /// Ends the newest period of an account's subscription now, unless it is over.
    ///
    /// The accounts that share it hear the same.
    mutating func cutPeriod(of account: Int, in group: Group) {
        guard let subscription = accounts[account].subscriptions[group], subscription.failedRenewal == nil else {
            return
        }
        for index in accounts[account].history
        where entries[index].group == group && entries[index].period == subscription.period {
            entries[index].end = now
        }
        if group == .bundles { cutMembers(of: account) }
        guard group == .club else { return }
        for (index, share) in shares.enumerated()
        where share.purchaser == account && share.isSubscription && share.period == subscription.period {
            shares[index].end = now
            if let last = share.entries.last { entries[last].end = now }
        }
    }
}
