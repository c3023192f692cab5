import Foundation

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
