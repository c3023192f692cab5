import Foundation

extension SandboxRules {
    /// The time between the end of a period and the renewal, in seconds; 0 without a quirk that delays renewals.
    var renewalDelay: TimeInterval {
        let quirks = quirks
        let delays = [quirks[.expiresForAMoment], quirks[.looksCanceledForAMoment]]
        return delays.compactMap { $0?.seconds }.max() ?? 0
    }

    /// Returns the moment by which subscriptions that are due are renewed now; nil if the first one has to wait.
    func renewalMoment(firstDue due: Date, now: Date) -> Date? {
        let delay = renewalDelay
        // The sum is what the alarm was set to; the difference may be smaller than the due date by rounding.
        return due + delay <= now ? max(due, now - delay) : nil
    }

    /// Whether a renewal that could not be charged begins a period nevertheless.
    var renewsUnpaid: Bool { hasQuirks && quirks[.renewsInBillingRetry] != nil }
}

extension SandboxState {
    /// Begins an unpaid period before a renewal failure that is the last event, unless a grace period follows it.
    func addUnpaidPeriod(_ rate: RenewalRate, _ events: inout [LedgerRecord]) {
        guard let failure = events.last, case .billing(.renewalFailed(let index, let trouble)) = failure.event,
            // Of the payments of a commitment, none is left out.
            trouble.graceEnd == nil, subscriptions[index].nextPlan != .monthly,
            let period = catalog.period(of: subscriptions[index].nextProduct)
        else { return }
        let last = subscriptions[index].term
        let (term, _) = nextTerm(after: last.cycle, of: index, last, subscriptions[index].nextProduct, period, rate)
        let event = StoreEvent.renewed(subscription: index, transaction: nextTransaction, term, charge: 0)
        events.insert(LedgerRecord(date: failure.date, event: event), at: events.count - 1)
    }

    /// Cuts an unpaid period short that would outlast the end of its subscription.
    func cutUnpaidPeriod(
        of index: SubscriptionIndex,
        before end: LedgerRecord,
        _ rate: RenewalRate,
        _ events: inout [LedgerRecord]
    ) {
        guard case .ended = end.event, subscriptions.trouble(of: index) != nil,
            subscriptions[index].term.end > end.date
        else { return }
        let term = subscriptions[index].term.cut(to: end.date, rate)
        events.append(LedgerRecord(date: end.date, event: .billing(.cutShort(subscription: index, term))))
    }
}
