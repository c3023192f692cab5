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

/// The quirks of what an app reads from the history.
final class HistoryQuirks: Sendable {
    private let concealed: ConcealedHistory
    private let looksCanceled: Bool
    /// Whether unpaid periods are listed during billing retry.
    let listsUnpaidPeriods: Bool

    init(_ concealed: ConcealedHistory?, _ rules: SandboxRules) {
        self.concealed = concealed ?? ConcealedHistory()
        looksCanceled = rules.quirks[.looksCanceledForAMoment] != nil
        listsUnpaidPeriods = rules.renewsUnpaid
    }

    /// Returns whether a transaction is not listed yet.
    func conceals(_ transaction: TransactionNumber, at now: Date) -> Bool { concealed.conceals(transaction, at: now) }

    /// Returns whether a running subscription's status says that it renews.
    func willRenew(_ index: SubscriptionIndex, _ subscriptions: borrowing Subscriptions, at now: Date) -> Bool {
        let end = subscriptions[index].term.end
        if isBetweenPeriods(index, subscriptions, at: now) { return false }
        return concealed.autoRenewal(of: index, until: end, at: now) ?? subscriptions[index].willRenew
    }

    /// Returns whether a subscription looks as if it had ended, although its renewal is about to arrive.
    private func isBetweenPeriods(_ index: SubscriptionIndex, _ subscriptions: borrowing Subscriptions, at now: Date)
        -> Bool
    {
        looksCanceled && subscriptions[index].term.end <= now && subscriptions.trouble(of: index) == nil
    }
}

extension SandboxDriverState {
    /// Changes the store's quirks.
    mutating func setQuirks(_ quirks: Set<StoreQuirk>, now: Date) {
        settings.rules.quirks = quirks
        if quirks.isEmpty { concealed = nil }
        bringUpToDate(now)
        // Statuses may change although nothing has happened.
        if !historyRings.isEmpty { ringHistory() }
    }

    /// The next date at which a store with quirks renews a subscription, or shows a change that it has concealed.
    ///
    /// If a quirk delays renewals, the end of a period is such a date, too: the status is `expired` from then on.
    var nextMomentWithQuirks: Date? {
        let due = state.subscriptions.nextDue.map { due in
            concealed?.isReported(due) == true ? due + settings.rules.renewalDelay : due
        }
        return [due, concealed?.nextListing].compactMap(\.self).min()
    }

    /// Conceals the effects of the last change, as far as the store's quirks do.
    // Kept apart from the code that runs for each purchase.
    @inline(never)
    mutating func concealFresh() {
        var concealed = concealed ?? ConcealedHistory()
        for record in fresh { concealed.take(record, state, settings.rules) }
        self.concealed = concealed
    }

    /// Notifies the history's listeners of what the store shows from now on.
    @inline(never)
    mutating func revealConcealed(now: Date) {
        var concealed = concealed ?? ConcealedHistory()
        let due = settings.rules.renewalDelay == 0 ? nil : state.subscriptions.nextDue.flatMap { $0 <= now ? $0 : nil }
        if concealed.reveal(end: due, at: now), !historyRings.isEmpty { ringHistory() }
        self.concealed = concealed
    }
}

/// The quirks of a sandbox store, as its operator sets them.
struct SandboxQuirks: QuirkService {
    let driver: SandboxDriver

    func quirk(_ kind: StoreQuirk.Kind) -> StoreQuirk? {
        driver.state.withLock { driverState in
            driverState.settings.rules.hasQuirks ? driverState.settings.rules.quirks[kind] : nil
        }
    }
}
