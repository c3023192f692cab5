import Foundation
import StoreCore

// What devices' receipts say.
extension Model {
    /// What a receipt says of a purchase.
    struct ReceiptLine: Hashable {
        let product: String
        let quantity: Int
        let date: Date
        let end: Date?
        let cancellation: Date?
        let isFree: Bool
        /// A promotional one; of codes a receipt says nothing.
        let offer: String?
    }

    /// Whether anything that an app does brings a receipt to a device; what nobody ordered there does while it is told.
    func hasReceipt(on device: Int) -> Bool {
        if devices[device].hasReceipt { return true }
        guard let account = devices[device].account else { return false }
        return live.contains { entries[$0].device == nil && entries[$0].account == account }
    }

    /// Something came to all devices where an account is signed in.
    mutating func putReceipt(for account: Int) {
        for device in devices.indices where devices[device].account == account { devices[device].hasReceipt = true }
    }

    /// What a device's receipt lists: all that the account has, of consumables what it has not finished there.
    func receiptEntries(on device: Int) -> [Int] {
        guard let account = devices[device].account else { return [] }
        return entries.indices.filter { index in
            let entry = entries[index]
            guard entry.account == account, entry.stage == .purchased, !entry.isDeleted else { return false }
            switch entry.product {
            case .sword, .gift, .shield: return isVisible(entry, on: device)
            // Whoever only chose what to renew as has bought nothing yet.
            case .game, .season, .basic, .gold, .silver: return entry.charge != nil || entry.origin == .shared
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

    /// The newest period of an account's subscription is over now, unless it is anyway; whoever shares it hears the same.
    mutating func cutPeriod(of account: Int) {
        guard let club = accounts[account].club, club.trouble == nil else { return }
        for index in accounts[account].history where entries[index].period == club.period { entries[index].end = now }
        for share in shares where share.owner == account && share.isClub && share.period == club.period {
            if let last = share.entries.last { entries[last].end = now }
        }
    }
}
