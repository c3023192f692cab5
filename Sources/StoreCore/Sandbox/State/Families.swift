import Foundation

/// The families of a store's accounts, and the purchases that their members share.
struct Families: StatePart, Equatable {
    struct Family: Hashable, Codable, Sendable {
        let name: String
        /// The members, the organizer first.
        ///
        /// Empty once the organizer has left.
        var members: [AccountID]
    }

    typealias Key = FamilyChange.Key

    /// A member's share in another member's purchase.
    struct Share: Equatable, Codable, Sendable {
        let key: Key
        /// The product; for a subscription, that of the newest period.
        var product: ProductIndex
        /// The details of the member's first transaction.
        let first: StoreTransaction.Details
        /// The member's newest period.
        var term: SubscriptionTerm?
        /// The end of the grace period, which follows the term; nil if there is none.
        var graceEnd: Date?
        /// All transactions that the member received; never empty.
        var transactions: [TransactionNumber]

        /// The number of the share's first transaction.
        var number: TransactionNumber { transactions[0] }
    }

    private(set) var all = Table<FamilyID, Family>()
    /// The family of each account.
    private var ofAccount: [AccountID: FamilyID] = [:]
    private var notSharing: Set<AccountID> = []
    /// The current shares of each purchaser.
    private var shares: [AccountID: [Key: Share]] = [:]
    /// Each member's ended shares: the last one of each item that is no longer shared.
    private var ended: [AccountID: [Key: Share]] = [:]

    var isEmpty: Bool { all.isEmpty }

    func family(of account: AccountID) -> FamilyID? { ofAccount.isEmpty ? nil : ofAccount[account] }

    func family(named name: String) -> FamilyID? { all.firstIndex { $0.name == name } }

    func isSharing(_ account: AccountID) -> Bool { !notSharing.contains(account) }

    func share(_ key: Key) -> Share? { shares[key.purchaser]?[key] }

    /// Returns the shares of some purchasers, in the order in which they began.
    func shares(from purchasers: Set<AccountID>) -> [Share] {
        purchasers.flatMap { shares[$0].map { Array($0.values) } ?? [] }.sorted { $0.number < $1.number }
    }

    /// Returns the other members' shares in a period of a purchaser's subscription.
    func shares(of term: SubscriptionTerm, from purchaser: AccountID) -> [Share] {
        if isEmpty { return [] }
        return shares(from: [purchaser]).filter { share in
            share.key.item == .subscription(original: term.original)
                && share.term.map { $0.isSamePeriod(as: term) } ?? false
        }
    }

    /// Returns the shares that a member currently has from other members.
    func shares(with member: AccountID) -> [Share] {
        guard let family = family(of: member) else { return [] }
        return shares(from: Set(all[family].members)).filter { $0.key.member == member }
    }

    /// Returns the shares that a member no longer has, in the order in which they began.
    func endedShares(with member: AccountID) -> [Share] {
        (ended[member] ?? [:]).values.sorted { $0.number < $1.number }
    }
}

// MARK: - Changes

extension Families {
    mutating func found(_ name: String, _ organizer: AccountID) {
        ofAccount[organizer] = all.endIndex
        all.append(Family(name: name, members: [organizer]))
    }

    mutating func join(_ family: FamilyID, _ account: AccountID) {
        ofAccount[account] = family
        all[family].members.append(account)
    }

    mutating func leave(_ family: FamilyID, _ account: AccountID) {
        ofAccount[account] = nil
        all[family].members.removeAll { $0 == account }
    }

    mutating func setSharing(_ isOn: Bool, _ account: AccountID) {
        if isOn { notSharing.remove(account) } else { notSharing.insert(account) }
    }

    /// Adds a transaction to a member's share.
    ///
    /// Returns the details of the share's first transaction, to which a renewal refers; nil if the new one is the
    /// first.
    mutating func add(
        _ sharing: FamilyChange.Sharing,
        _ details: StoreTransaction.Details,
        graceEnd: Date?
    ) -> StoreTransaction.Details? {
        guard var share = share(sharing.key) else {
            ended[sharing.key.member]?[sharing.key] = nil
            shares[sharing.key.purchaser, default: [:]][sharing.key] = Share(
                key: sharing.key,
                product: sharing.product,
                first: details,
                term: sharing.term,
                graceEnd: graceEnd,
                transactions: [sharing.transaction]
            )
            return nil
        }
        share.product = sharing.product
        share.term = sharing.term
        share.graceEnd = graceEnd
        share.transactions.append(sharing.transaction)
        shares[sharing.key.purchaser]?[sharing.key] = share
        return share.first
    }

    /// Moves the end of a member's newest period.
    mutating func cut(_ key: Key, to term: SubscriptionTerm) { shares[key.purchaser]?[key]?.term = term }

    /// Sets or removes the end of grace for the other members' shares in a period of a purchaser's subscription.
    mutating func setGraceEnd(_ moment: Date?, of term: SubscriptionTerm, from purchaser: AccountID) {
        for share in shares(of: term, from: purchaser) { shares[purchaser]?[share.key]?.graceEnd = moment }
    }

    mutating func end(_ key: Key) {
        guard let share = shares[key.purchaser]?.removeValue(forKey: key) else { return }
        ended[key.member, default: [:]][key] = share
    }

    /// Removes shares whose transactions were deleted, so that the shares can be granted anew.
    mutating func forget(_ identifiers: Set<String>) {
        for purchaser in shares.keys {
            shares[purchaser] = shares[purchaser]?.filter { _, share in
                !share.transactions.contains { identifiers.contains($0.identifier) }
            }
        }
        for member in ended.keys {
            ended[member] = ended[member]?.filter { _, share in
                !share.transactions.contains { identifiers.contains($0.identifier) }
            }
        }
    }

    mutating func forgetShares() { (shares, ended) = ([:], [:]) }
}

extension SandboxState {
    /// Applies a change in a family.
    mutating func apply(_ change: FamilyChange, _ date: Date) {
        switch change {
        case .founded(let name, let organizer): families.found(name, organizer)
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
        let history = remember(purchase, sharing.transaction, member)
        let first = families.add(sharing, details, graceEnd: graceEnd(of: sharing.key.item))
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

    /// Returns the end of a shared item's grace period, in which access continues after the paid period; nil for none.
    private func graceEnd(of item: FamilyChange.Item) -> Date? {
        guard case .subscription(let original) = item, let index = subscriptions.index(ofOriginal: original) else {
            return nil
        }
        return subscriptions.trouble(of: index)?.graceEnd
    }

    /// Sets or removes the end of grace for the family's shares in a subscription whose period is over, and in those
    /// that a bundle includes.
    mutating func setGraceEndForFamily(_ moment: Date?, of subscription: SubscriptionIndex) {
        if families.isEmpty { return }
        for index in [subscription] + subscriptions.members(of: subscription) {
            families.setGraceEnd(moment, of: subscriptions[index].term, from: subscriptions[index].account)
        }
    }

    /// Adds the updates that a queue on a device receives after a change in a family.
    func addUpdates(from change: FamilyChange, for device: DeviceID, to updates: inout [StoreUpdate]) {
        switch change {
        case .founded, .joined, .left, .sharing: break
        case .shared(let sharing):
            if !sharing.isSilent { addTransaction(sharing.transaction, for: device, to: &updates) }
        case .unshared(let key, _, let revoked): addRevocation(of: revoked, from: key.member, for: device, to: &updates)
        }
    }
}
