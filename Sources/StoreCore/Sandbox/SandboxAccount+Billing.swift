import Foundation

extension SandboxAccount {
    /// Whether the account's renewals cannot be paid for.
    public var billingFails: Bool { core.look { shell, _ in shell.state.billing.failingAccounts.contains(number) } }

    /// Lets no renewal of the account's be paid for that falls due from now on, or lets all be paid for again.
    ///
    /// A renewal that fails is not charged: billing retry begins, in which the subscription gives no access; where the
    /// store grants a grace period (``SandboxStore/setGrantsGracePeriod(_:)``) that comes first, in which it does. How
    /// long both last is the store's ``RenewalRate``'s. When billing retry is over the subscription ends with
    /// ``SubscriptionEnd/billingError``. What has failed stays so until ``resolveBillingIssue(inGroup:)``, also when this
    /// is switched off. What is ordered is paid for as ever. The ledger keeps the wish.
    ///
    /// - Throws: what the ledger throws.
    public func setBillingFails(_ isOn: Bool) throws {
        try core.change { state, events, now in
            guard state.billing.failingAccounts.contains(number) != isOn else { return }
            events.append(LedgerRecord(date: now, event: .billing(.fails(account: number, isOn))))
        }
    }

    /// Pays for a renewal that failed, as if the user had entered another card, whatever becomes of later ones.
    ///
    /// A purchased transaction comes, as of any renewal. In a grace period the billing date stays: the next period begins
    /// where the last one ended; periods of a few days that are over by now are left out, and an offer that they were
    /// under has been had. In billing retry the next period begins now. Nothing happens where no renewal has failed, or
    /// billing retry is over. A subscription whose product is not on sale any more ends.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)`` where the account never was; and what the ledger throws.
    public func resolveBillingIssue(inGroup group: String) throws {
        try core.use { shell, now in
            let rate = shell.settings.rules.renewalRate
            try shell.refresh()
            try shell.change(now: now) { shell in
                var isBehind = true
                while isBehind {
                    isBehind = false
                    try shell.step { state, events in
                        guard let index = state.subscriptions.index(of: group, account: number) else {
                            throw SandboxError.notSubscribed(group: group)
                        }
                        guard let event = state.recovery(of: index, at: now, rate) else { return }
                        if case .billing(.leftOut) = event { isBehind = true }
                        events.append(LedgerRecord(date: now, event: event))
                    }
                }
            }
        }
    }

    /// Ends a subscription now: its renewal is turned off, and the period that is paid for ends at this moment.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)``, and what the ledger throws.
    public func expireSubscription(inGroup group: String) throws {
        try changeRunning(group) { state, index, now, rate in state.expire(index, at: now, rate) }
    }

    /// Ends a subscription's period now and renews it, by the rules that hold for every renewal.
    ///
    /// Its renewal is turned on, and a question about a higher price is withdrawn. The next period is charged and comes as
    /// a purchased transaction; where the account's billing fails, billing retry or grace begins instead. A subscription
    /// that is in either already stays in it, and no period begins.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)``, and what the ledger throws.
    public func forceRenewal(inGroup group: String) throws {
        try core.use { shell, now in
            let rate = shell.settings.rules.renewalRate
            try shell.refresh()
            try shell.change(now: now) { shell in
                var due: Int?
                try shell.step { state, events in
                    let index = try state.running(group, of: number)
                    if state.subscriptions.trouble(of: index) == nil { due = index }
                    for event in state.makeDue(index, at: now, rate) {
                        events.append(LedgerRecord(date: now, event: event))
                    }
                }
                guard let due else { return }
                try shell.step { state, events in state.renew(due, rate, &events) }
            }
        }
    }

    /// Decides about a subscription that has not ended.
    func changeRunning(
        _ group: String,
        _ decide: (SandboxState, Int, Date, RenewalRate) throws -> [StoreEvent]
    ) throws {
        let rate = core.shell.withLock { $0.settings.rules.renewalRate }
        try core.change { state, events, now in
            let index = try state.running(group, of: number)
            for event in try decide(state, index, now, rate) { events.append(LedgerRecord(date: now, event: event)) }
        }
    }
}
