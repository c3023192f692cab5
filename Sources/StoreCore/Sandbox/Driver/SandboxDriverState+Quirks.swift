import Foundation

extension SandboxDriverState {
    /// Changes the store's quirks, and returns what earlier ones have held back.
    mutating func setQuirks(_ quirks: Set<StoreQuirk>, now: Date) -> HeldByQuirks {
        guard quirks != settings.rules.quirks else { return HeldByQuirks() }
        settings.rules.quirks = quirks
        if quirks.isEmpty { concealed = nil } else { conceal(by: quirks) }
        bringUpToDate(now)
        // Statuses may change although nothing has happened, and notifications may be held back no longer.
        if !historyRings.isEmpty { ringHistory() }
        var held = HeldByQuirks()
        if !settings.rules.holdsOrders { swap(&held.questions, &heldQuestions) }
        if quirks[.productsHang] == nil { swap(&held.lookUps, &hangingLookUps) }
        return held
    }

    private mutating func conceal(by quirks: Set<StoreQuirk>) {
        if concealed == nil { concealed = ConcealedHistory(state) } else { concealed?.keep(quirks) }
    }

    /// The next date at which a store with quirks renews a subscription, or shows a change that it has concealed.
    ///
    /// If a quirk delays renewals, the end of a period is such a date, too: the status is `expired` from then on.
    var nextMomentWithQuirks: Date? {
        let delay = settings.rules.renewalDelay
        let end = delay > 0 ? concealed?.nextEnd(state.subscriptions) : nil
        let due = state.subscriptions.nextDue.map { $0 + delay }
        return [due, end, concealed?.nextListing, state.operatorState.external?.nextNotice].compactMap(\.self).min()
    }

    /// Conceals the effects of the last change, as far as the store's quirks do.
    // Kept apart from the code that runs for each purchase.
    @inline(never)
    mutating func concealFresh() {
        let quirks = settings.rules.quirks
        for record in fresh { concealed?.take(record, state, quirks, renewalsDate: renewalsDate) }
    }

    /// Notifies the history's listeners of what the store shows from now on.
    @inline(never)
    mutating func revealConcealed(now: Date) {
        let end = settings.rules.renewalDelay > 0 ? concealed?.nextEnd(state.subscriptions) : nil
        if concealed?.reveal(end: end, at: now) == true, !historyRings.isEmpty { ringHistory() }
    }
}

/// What quirks of a store have held back, and do no longer.
struct HeldByQuirks {
    var questions: [TransactionNumber] = []
    var lookUps: [HangingLookUp] = []
}
