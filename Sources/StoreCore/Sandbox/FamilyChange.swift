import Foundation

/// What changed in a family, and what came of it.
enum FamilyChange: Hashable, Codable, Sendable {
    /// A family began, with the account that organises it.
    case founded(name: String, organiser: Int)
    /// An account joined.
    case joined(family: Int, account: Int)
    /// Accounts left.
    case left(family: Int, accounts: [Int])
    /// An account shares what it buys from now on, or nothing any more.
    case sharing(account: Int, Bool)
    /// A member got what another one bought.
    case shared(Sharing)
    /// A member does not have it any more.
    case unshared(FamilyBook.Key, transactions: [Int], revoked: [String])

    /// What a member gets: a transaction of its own.
    struct Sharing: Hashable, Codable, Sendable {
        let key: FamilyBook.Key
        let transaction: Int
        /// The product's number in the catalogue.
        let product: Int
        /// The period, of an auto-renewable subscription, under the member's own first transaction.
        let term: SubscriptionTerm?
        /// Only a restore brings it.
        let isSilent: Bool
    }
}

extension SandboxState {
    /// Takes in what changed in a family.
    mutating func apply(_ change: FamilyChange, _ date: Date) {
        switch change {
        case .founded(let name, let organiser): families.found(name, organiser)
        case .joined(let family, let account): families.join(family, account)
        case .left(let family, let accounts): accounts.forEach { families.leave(family, $0) }
        case .sharing(let account, let isOn): families.setSharing(isOn, account)
        case .shared(let sharing): share(sharing, date)
        case .unshared(let key, let transactions, let revoked):
            cancel(Set(transactions.map { String($0) }), of: key.member, date)
            families.end(key)
            notify(key.member, revoked)
        }
    }

    private mutating func share(_ sharing: FamilyChange.Sharing, _ date: Date) {
        let member = sharing.key.member
        let payment = catalogue.payment(for: sharing.product, applicationUsername: nil)
        let identifier = String(sharing.transaction)
        let itself = StoreTransaction.Original(identifier: identifier, date: date, payment: payment)
        let details = StoreTransaction.Details(failure: nil, original: itself, receipt: nil)
        var purchase = Purchase(source: .details(details), product: sharing.product, term: sharing.term)
        purchase.isShared = true
        purchase.isFinished = sharing.isSilent
        let history = remember(purchase, member)
        let first = families.keep(sharing, details, graceEnd: graceEnd(of: sharing.key.item))
        guard !sharing.isSilent else { return nextTransaction = sharing.transaction + 1 }
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
            Row(
                transaction: transaction,
                account: Int32(member),
                device: -1,
                product: Int32(sharing.product),
                history: history
            ),
            sharing.transaction
        )
    }

    /// Until when what is shared gives access although its period is over.
    private func graceEnd(of item: FamilyBook.Item) -> Date? {
        guard case .subscription(let original) = item, let index = subscriptions.index(ofOriginal: original) else {
            return nil
        }
        return subscriptions.trouble(of: index)?.graceEnd
    }

    /// The family has a subscription until a moment although its period is over, or does not any more.
    mutating func setGraceEndForFamily(_ moment: Date?, of subscription: Int) {
        let (account, term) = (subscriptions[subscription].account, subscriptions[subscription].term)
        families.setGraceEnd(moment, of: term, from: account)
    }

    /// Adds what a change in a family means to a queue on a device.
    func addUpdates(from change: FamilyChange, for device: Int, to updates: inout [StoreUpdate]) {
        switch change {
        case .founded, .joined, .left, .sharing: break
        case .shared(let sharing):
            if !sharing.isSilent { addTransaction(sharing.transaction, for: device, to: &updates) }
        case .unshared(let key, _, let revoked):
            addRevocation(of: revoked, from: key.member, for: device, to: &updates)
        }
    }
}
