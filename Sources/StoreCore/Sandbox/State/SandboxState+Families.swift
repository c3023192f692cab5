import Foundation

extension SandboxState {
    /// Applies a change in a family.
    mutating func apply(_ change: FamilyChange, _ date: Date) {
        switch change {
        case .founded(let name, let organiser): families.found(name, organiser)
        case .joined(let family, let account): families.join(family, account)
        case .left(let family, let accounts): accounts.forEach { families.leave(family, $0) }
        case .sharing(let account, let isOn): families.setSharing(isOn, account)
        case .shared(let sharing): share(sharing, date)
        case .unshared(let key, let transactions, let revoked):
            cancel(transactions, of: key.member, date)
            families.end(key)
            notify(key.member, revoked)
        }
    }

    private mutating func share(_ sharing: FamilyChange.Sharing, _ date: Date) {
        let member = sharing.key.member
        let payment = catalog.payment(for: sharing.product, applicationUsername: nil)
        let identifier = sharing.transaction.identifier
        let itself = StoreTransaction.Original(identifier: identifier, date: date, payment: payment)
        let details = StoreTransaction.Details(failure: nil, original: itself, receipt: nil)
        var purchase = Purchase(source: .details(details), product: sharing.product, term: sharing.term)
        purchase.isShared = true
        purchase.isFinished = sharing.isSilent
        let history = remember(purchase, member)
        let first = families.keep(sharing, details, graceEnd: graceEnd(of: sharing.key.item))
        guard !sharing.isSilent else { return nextTransaction = sharing.transaction.advanced(by: 1) }
        for device in devices.indices where devices[device].account == member { devices[device].hasReceipt = true }
        let transaction = StoreTransaction(
            identifier: identifier,
            order: nil,
            payment: payment,
            state: .purchased,
            date: date,
            details: first
        )
        insert(
            Row(transaction: transaction, account: member, device: nil, product: sharing.product, history: history),
            sharing.transaction
        )
    }

    /// Returns the end of grace for a shared item, the access after its period is over.
    private func graceEnd(of item: FamilyChange.Item) -> Date? {
        guard case .subscription(let original) = item, let index = subscriptions.index(ofOriginal: original) else {
            return nil
        }
        return subscriptions.trouble(of: index)?.graceEnd
    }

    /// Sets or removes the end of grace for the family's shares in a subscription whose period is over.
    mutating func setGraceEndForFamily(_ moment: Date?, of subscription: SubscriptionIndex) {
        let (account, term) = (subscriptions[subscription].account, subscriptions[subscription].term)
        families.setGraceEnd(moment, of: term, from: account)
    }

    /// Adds the updates that a change in a family means for a queue on a device.
    func addUpdates(from change: FamilyChange, for device: DeviceID, to updates: inout [StoreUpdate]) {
        switch change {
        case .founded, .joined, .left, .sharing: break
        case .shared(let sharing):
            if !sharing.isSilent { addTransaction(sharing.transaction, for: device, to: &updates) }
        case .unshared(let key, _, let revoked):
            addRevocation(of: revoked, from: key.member, for: device, to: &updates)
        }
    }
}
