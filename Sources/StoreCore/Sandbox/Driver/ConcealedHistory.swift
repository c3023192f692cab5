import Foundation

/// The changes that a store with quirks does not show to apps yet.
///
/// The ledger does not contain them: a store that is reopened shows everything.
struct ConcealedHistory: Sendable {
    /// The auto-renewal that a status shows until the end of its period.
    private struct AutoRenewal {
        let isOn: Bool
        let end: Date
    }

    /// The dates from which transactions are listed.
    private var listings: [TransactionNumber: Date] = [:]
    private var autoRenewals: [SubscriptionIndex: AutoRenewal] = [:]
    /// The orders that were deferred, and that an approval therefore announces.
    private var deferred: Set<TransactionNumber> = []
    /// The last due date at which the listeners of the history were notified that a period is over.
    private var lastEnd: Date?

    /// The next date from which a transaction is listed.
    var nextListing: Date? { listings.values.min() }

    /// Whether the listeners of the history were notified of the end of a period.
    func isReported(_ end: Date) -> Bool { lastEnd.map { $0 >= end } ?? false }

    /// Returns whether a transaction is not listed yet.
    func conceals(_ transaction: TransactionNumber, at now: Date) -> Bool {
        listings[transaction].map { now < $0 } ?? false
    }

    /// Returns the auto-renewal to show for a subscription; nil for its own.
    func autoRenewal(of index: SubscriptionIndex, until end: Date, at now: Date) -> Bool? {
        guard let shown = autoRenewals[index], shown.end == end, now < end else { return nil }
        return shown.isOn
    }

    /// Forgets what is shown from now on, and the end of a period that is over; returns whether there was anything.
    mutating func reveal(end: Date?, at now: Date) -> Bool {
        let count = listings.count
        listings = listings.filter { now < $0.value }
        guard let end, !isReported(end) else { return listings.count < count }
        lastEnd = end
        return true
    }

    /// Conceals the effect of an event that a state has applied, as far as a store's quirks do.
    mutating func take(_ record: LedgerRecord, _ state: borrowing SandboxState, _ rules: SandboxRules) {
        let quirks = rules.quirks
        let ownDelay = quirks[.listsLate]?.seconds
        let updateDelay = quirks[.announcesBeforeListing]?.seconds
        switch record.event {
        case .sold(let order): list(order.transaction, record.date, ownDelay)
        case .deferred(let number): deferred.insert(number)
        case .approved(let order):
            let isUpdate = deferred.remove(order.transaction) != nil
            list(order.transaction, record.date, isUpdate ? updateDelay : ownDelay)
        // A renewal has the date of the former period's end, and is made later by this delay.
        case .renewed(_, let number, _, _): list(number, record.date + rules.renewalDelay, updateDelay)
        case .redeemed(let redemption): list(redemption.purchase.transaction, record.date, updateDelay)
        case .operator(.bought(let purchase)), .operator(.resolved(_, let purchase)):
            list(purchase.transaction, record.date, updateDelay)
        case .autoRenewal(let index, let isOn):
            guard quirks[.concealsAutoRenew] != nil else { return }
            let end = state.subscriptions[index].term.end
            if autoRenewals[index]?.end != end { autoRenewals[index] = AutoRenewal(isOn: !isOn, end: end) }
        default: break
        }
    }

    private mutating func list(_ transaction: TransactionNumber, _ date: Date, _ delay: TimeInterval?) {
        if let delay, delay > 0 { listings[transaction] = date + delay }
    }
}
