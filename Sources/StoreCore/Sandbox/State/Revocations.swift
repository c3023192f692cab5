import Foundation

/// Revoked and refunded purchases, by transaction, and the notices of ended access that devices have yet to receive.
struct Revocations: StatePart, Equatable {
    /// A notice of ended access, which a device's app receives once.
    private struct Revocation: Hashable, Codable, Sendable {
        let account: AccountID
        /// The number of records in the ledger at the revocation.
        let position: Int
        let productIdentifiers: [String]
    }

    /// The cancellation date of each revoked or refunded transaction.
    private var cancellations: [String: Date] = [:]
    /// For each device, the notices that its app has not received, oldest first.
    private var notices: [DeviceID: [Revocation]] = [:]
    /// The refunds that were not reversed, by the first of their transactions.
    private var refunds: [TransactionNumber: Refund] = [:]
    /// For each transaction in a refund, the refund's first transaction: its key in ``refunds``.
    private var refundHeads: [TransactionNumber: TransactionNumber] = [:]
    /// The number of records in the ledger when all transactions were last deleted.
    private var cleared = 0

    /// Returns the cancellation date of a transaction; nil while it is valid.
    func cancellation(of transaction: String) -> Date? { cancellations.isEmpty ? nil : cancellations[transaction] }

    /// Returns the cancellation date of a transaction, by its number.
    func cancellation(of transaction: TransactionNumber) -> Date? {
        cancellations.isEmpty ? nil : cancellations[transaction.identifier]
    }

    /// Returns the cancellation date of a transaction, or of the one that it restores.
    func cancellation(of transaction: StoreTransaction) -> Date? {
        if cancellations.isEmpty { return nil }
        let isRestored = transaction.state == .restored
        return (isRestored ? transaction.original?.identifier : transaction.identifier).flatMap { cancellations[$0] }
    }

    /// Returns the refund of a transaction; nil if there is none, or if it was reversed.
    func refund(of transaction: TransactionNumber) -> Refund? { refundHeads[transaction].flatMap { refunds[$0] } }

    mutating func store(_ refund: Refund) {
        guard let first = refund.transactions.first else { return }
        refunds[first] = refund
        for transaction in refund.transactions { refundHeads[transaction] = first }
    }

    mutating func forgetRefunds(of transactions: [TransactionNumber]) {
        if refundHeads.isEmpty { return }
        for transaction in transactions { refundHeads[transaction] = nil }
    }

    mutating func cancel(_ transaction: String, _ date: Date) { cancellations[transaction] = date }

    /// Removes the cancellation date of a transaction whose refund was reversed.
    mutating func restore(_ transaction: String) { cancellations[transaction] = nil }

    /// Adds a notice for a device's app that an account's access to some products has ended.
    mutating func notify(_ account: AccountID, on device: DeviceID, _ productIdentifiers: [String], at position: Int) {
        let notice = Revocation(account: account, position: position, productIdentifiers: productIdentifiers)
        notices[device, default: []].append(notice)
    }

    /// Removes the pending notices to an account's apps about a product, since access to it has returned.
    mutating func withdrawNotices(to account: AccountID, about productIdentifier: String) {
        for device in Array(notices.keys) {
            notices[device] = notices[device]?.compactMap { notice in
                guard notice.account == account else { return notice }
                let remaining = notice.productIdentifiers.filter { $0 != productIdentifier }
                if remaining.isEmpty { return nil }
                return Revocation(account: account, position: notice.position, productIdentifiers: remaining)
            }
            if notices[device]?.isEmpty == true { notices[device] = nil }
        }
    }

    /// Removes the notices of an account, up to a position, that a device's app has received.
    mutating func removeNotices(of account: AccountID, on device: DeviceID, through position: Int) {
        if notices.isEmpty { return }
        notices[device]?.removeAll { $0.account == account && $0.position <= position }
        if notices[device]?.isEmpty == true { notices[device] = nil }
    }

    /// Whether a device's app has yet to receive a notice that was added at or before a position.
    func isAwaited(on device: DeviceID, through position: Int) -> Bool {
        if notices.isEmpty { return false }
        return notices[device]?.contains { $0.position <= position } ?? false
    }

    /// Returns the notices that a device's app has yet to receive when an account is signed in there.
    func awaited(by account: AccountID, on device: DeviceID) -> [[String]] {
        notices[device]?.filter { $0.account == account }.map(\.productIdentifiers) ?? []
    }

    /// Removes all data about transactions, since all of them are deleted.
    mutating func clear(at position: Int) {
        cancellations = [:]
        (refunds, refundHeads) = ([:], [:])
        notices = [:]
        cleared = position
    }

    /// Whether a record's notice of ended access is obsolete, because all transactions were deleted since.
    func isForgotten(at position: Int) -> Bool { position <= cleared }
}

extension SandboxState {
    /// Adds a notice of ended access for every device on which the account was ever signed in, once each.
    mutating func notify(_ account: AccountID, _ productIdentifiers: [String]) {
        if productIdentifiers.isEmpty { return }
        for device in devices.indices where devices[device].accounts.contains(account) {
            revocations.notify(account, on: device, productIdentifiers, at: position)
        }
    }

    /// Returns the updates about ended access that a device's app has yet to receive.
    func revocations(on device: DeviceID) -> [StoreUpdate] {
        guard let account = devices[device].account else { return [] }
        return revocations.awaited(by: account, on: device).map { .revoked(productIdentifiers: $0) }
    }

    /// Adds the updates that a queue on a device receives when an account's access has ended.
    func addRevocation(
        of productIdentifiers: [String],
        from account: AccountID,
        for device: DeviceID,
        to updates: inout [StoreUpdate]
    ) {
        guard devices[device].account == account, !productIdentifiers.isEmpty else { return }
        updates.append(.revoked(productIdentifiers: productIdentifiers))
    }
}

extension SandboxState {
    /// Applies a refund.
    mutating func apply(_ refund: Refund, _ date: Date) {
        cancel(refund.transactions, of: refund.account, date)
        revocations.store(refund)
        server.decide(refundOf: refund.transactions)
        if let index = ended(with: refund) { subscriptions.end(index, .revoked) }
        if areForGood(refund.transactions, of: refund.account) {
            accounts[refund.account].owned.remove(refund.product)
        }
        notify(refund.account, refund.revoked)
    }

    /// Returns the subscription that ended with a refund, nil for none.
    ///
    /// If a record was lost, the refund's subscription number is checked, since it may now refer to another
    /// subscription.
    private func ended(with refund: Refund) -> SubscriptionIndex? {
        guard let index = refund.ended else { return endedAsBefore(refund) }
        guard isDamaged else { return index }
        guard subscriptions.indices.contains(index), subscriptions[index].account == refund.account,
            subscriptions[index].group == catalog.group(of: refund.product)
        else { return nil }
        return index
    }

    /// Returns the subscription that a refund ended, if the refund was recorded by an older version of the store.
    private func endedAsBefore(_ refund: Refund) -> SubscriptionIndex? {
        guard !refund.revoked.isEmpty, arePeriods(refund.transactions, of: refund.account),
            let group = catalog.group(of: refund.product)
        else { return nil }
        return subscriptions.index(of: group, account: refund.account)
    }

    /// Revokes transactions of an account.
    mutating func cancel(_ transactions: [TransactionNumber], of account: AccountID, _ date: Date) {
        purchasesChange()
        for transaction in transactions { revocations.cancel(transaction.identifier, date) }
        accounts[account].history.setCancelled(true, transactions)
    }
}
