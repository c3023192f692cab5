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

    /// A transaction that is listed from a date, by a quirk of a kind.
    private struct Listing {
        let date: Date
        let transaction: TransactionNumber
        let kind: StoreQuirk.Kind
    }

    /// The transactions that are not listed yet, the earliest first.
    private var listings: ArraySlice<Listing> = []
    /// The dates of ``listings``.
    private var dates: [TransactionNumber: Date] = [:]
    private var autoRenewals: [SubscriptionIndex: AutoRenewal] = [:]
    /// The orders that are deferred, and that an approval therefore announces.
    private var deferred: Set<TransactionNumber>
    /// The date until which the listeners of the history were notified of the ends of periods; nil for never.
    private var lastEnd: Date?

    /// Conceals nothing of a state's past.
    init(_ state: borrowing SandboxState) {
        var deferred: Set<TransactionNumber> = []
        for number in state.undecided where state.isDeferred(number) { deferred.insert(number) }
        self.deferred = deferred
    }

    /// The next date from which a transaction is listed.
    var nextListing: Date? { listings.first?.date }

    /// Returns the next end of a period of which the listeners of the history have to be notified.
    func nextEnd(_ subscriptions: borrowing Subscriptions) -> Date? {
        if let lastEnd { subscriptions.nextDue(after: lastEnd) } else { subscriptions.nextDue }
    }

    /// Returns whether a transaction is not listed yet.
    func conceals(_ transaction: TransactionNumber, at now: Date) -> Bool {
        dates[transaction].map { now < $0 } ?? false
    }

    /// Returns the auto-renewal to show for a subscription; nil for its own.
    func autoRenewal(of index: SubscriptionIndex, until end: Date, at now: Date) -> Bool? {
        guard let shown = autoRenewals[index], shown.end == end, now < end else { return nil }
        return shown.isOn
    }

    /// Forgets what is shown from now on, and the ends of periods; returns whether there was anything.
    mutating func reveal(end: Date?, at now: Date) -> Bool {
        let count = listings.count
        while let first = listings.first, first.date <= now {
            listings.removeFirst()
            if dates[first.transaction] == first.date { dates[first.transaction] = nil }
        }
        guard let end, end <= now else { return listings.count < count }
        lastEnd = now
        return true
    }

    /// Shows what no quirk conceals any more.
    mutating func keep(_ quirks: Set<StoreQuirk>) {
        if quirks[.concealsAutoRenew] == nil { autoRenewals = [:] }
        listings.removeAll { quirks[$0.kind] == nil }
        dates = Dictionary(listings.map { ($0.transaction, $0.date) }) { $1 }
    }

    /// Conceals the effect of an event that a state has applied, as far as a store's quirks do.
    ///
    /// `renewalsDate` is the date at which the store makes the renewals that are due; nil for other changes.
    mutating func take(
        _ record: LedgerRecord,
        _ state: borrowing SandboxState,
        _ quirks: Set<StoreQuirk>,
        renewalsDate: Date?
    ) {
        switch record.event {
        case .sold(let order): list(order.transaction, record.date, quirks[.listsLate])
        case .deferred(let number): deferred.insert(number)
        case .declined(let number, _), .operator(.interruptedLater(let number, _)): deferred.remove(number)
        case .held(let order, _): deferred.remove(order.transaction)
        case .approved(let order):
            let isUpdate = deferred.remove(order.transaction) != nil
            list(order.transaction, record.date, quirks[isUpdate ? .announcesBeforeListing : .listsLate])
        case .renewed(let index, let number, _, _):
            autoRenewals[index] = nil
            list(number, renewalsDate ?? record.date, quirks[.announcesBeforeListing])
        case .ended(let index, _): autoRenewals[index] = nil
        case .redeemed(let redemption):
            list(redemption.purchase.transaction, record.date, quirks[.announcesBeforeListing])
        case .operator(.bought(let purchase)), .operator(.resolved(_, let purchase)):
            list(purchase.transaction, record.date, quirks[.announcesBeforeListing])
        case .autoRenewal(let index, let isOn):
            guard quirks[.concealsAutoRenew] != nil else { return }
            let end = state.subscriptions[index].term.end
            if autoRenewals[index]?.end != end { autoRenewals[index] = AutoRenewal(isOn: !isOn, end: end) }
        default: break
        }
    }

    /// Lists a transaction late by a quirk's seconds; at once without the quirk.
    private mutating func list(_ transaction: TransactionNumber, _ date: Date, _ quirk: StoreQuirk?) {
        guard let quirk, let seconds = quirk.seconds, seconds > 0 else { return }
        let listing = Listing(date: date + seconds, transaction: transaction, kind: quirk.kind)
        // Nearly always at the end.
        let place = listings.lastIndex { $0.date <= listing.date }.map { $0 + 1 } ?? listings.startIndex
        listings.insert(listing, at: place)
        dates[transaction] = listing.date
    }
}

/// The quirks of what an app reads from the history.
final class HistoryQuirks: Sendable {
    private let concealed: ConcealedHistory?
    private let looksCanceled: Bool
    /// Whether unpaid periods are listed during billing retry.
    let listsUnpaidPeriods: Bool

    init(_ concealed: ConcealedHistory?, _ rules: SandboxRules) {
        self.concealed = concealed
        looksCanceled = rules.quirks[.looksCanceledForAMoment] != nil
        listsUnpaidPeriods = rules.renewsUnpaid
    }

    /// Returns whether a transaction is not listed yet.
    func conceals(_ transaction: TransactionNumber, at now: Date) -> Bool {
        concealed?.conceals(transaction, at: now) ?? false
    }

    /// Returns whether a running subscription's status says that it renews.
    func willRenew(_ index: SubscriptionIndex, _ subscriptions: borrowing Subscriptions, at now: Date) -> Bool {
        let end = subscriptions[index].term.end
        if isBetweenPeriods(index, subscriptions, at: now) { return false }
        if subscriptions[index].isCommitted { return true }
        return concealed?.autoRenewal(of: index, until: end, at: now) ?? subscriptions[index].willRenew
    }

    /// Returns whether a subscription looks as if it had ended, although its renewal is about to arrive.
    private func isBetweenPeriods(_ index: SubscriptionIndex, _ subscriptions: borrowing Subscriptions, at now: Date)
        -> Bool
    {
        looksCanceled && subscriptions[index].term.end <= now && subscriptions.trouble(of: index) == nil
    }
}
