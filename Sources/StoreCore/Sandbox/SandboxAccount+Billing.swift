import Foundation

extension SandboxAccount {
    /// Whether payment for the account's renewals fails.
    public var billingFails: Bool { core.look { shell, _ in shell.state.billing.failingAccounts.contains(number) } }

    /// Makes payment fail for every renewal of the account that falls due from now on, or succeed again.
    ///
    /// A renewal that fails is not charged: billing retry begins, in which the subscription gives no access. A grace
    /// period, if the store grants one (``SandboxStore/setGrantsGracePeriod(_:)``), comes first and gives access. The
    /// store's ``RenewalRate`` sets the length of both. At the end of billing retry the subscription ends with
    /// ``SubscriptionEnd/billingError``. A failed renewal stays failed until ``resolveBillingIssue(inGroup:)``, even
    /// after this is turned off. Orders are paid for as usual. The ledger keeps the setting.
    ///
    /// - Throws: the ledger's errors.
    public func setBillingFails(_ isOn: Bool) throws {
        try core.change { state, events, now in
            guard state.billing.failingAccounts.contains(number) != isOn else { return }
            events.append(LedgerRecord(date: now, event: .billing(.fails(account: number, isOn))))
        }
    }

    /// Pays for a failed renewal, as if the user had entered another card, whatever happens to later ones.
    ///
    /// It brings a purchased transaction, as any renewal does. In a grace period the billing date stays: the next
    /// period begins where the last one ended. Periods of a few days that are over by now are left out, and an offer
    /// that applied to them is used up. In billing retry the next period begins now. Nothing happens if no renewal has
    /// failed or billing retry is over. A subscription whose product is no longer on sale ends.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)`` where the account never was; and the ledger's errors.
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

    /// Expires a subscription now: turns its renewal off, and ends the paid period at this moment.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)``, and the ledger's errors.
    public func expireSubscription(inGroup group: String) throws {
        try changeRunning(group) { state, index, now, rate in state.expire(index, at: now, rate) }
    }

    /// Ends a subscription's period now and renews it, by the rules that hold for every renewal.
    ///
    /// Its renewal is turned on, and a pending price consent request is withdrawn. The next period is charged and comes
    /// as a purchased transaction; if the account's billing fails, billing retry or a grace period begins instead. A
    /// subscription that is in either already stays in it, and no period begins.
    ///
    /// - Parameter group: the group's identifier.
    /// - Throws: ``SandboxError/notSubscribed(group:)``, and the ledger's errors.
    public func forceRenewal(inGroup group: String) throws {
        try core.use { shell, now in
            let rate = shell.settings.rules.renewalRate
            try shell.refresh()
            try shell.change(now: now) { shell in
                var due: SubscriptionIndex?
                try shell.step { state, events in
                    let index = try state.running(group, of: number)
                    if state.subscriptions.trouble(of: index) == nil { due = index }
                    for event in state.makeDue(index, at: now, rate) {
                        events.append(LedgerRecord(date: now, event: event))
                    }
                }
                guard let due else { return }
                shell.step { state, events in state.renew(due, rate, &events) }
            }
        }
    }

    /// Applies a decision to a subscription that has not ended.
    func changeRunning(
        _ group: String,
        _ decide: (SandboxState, SubscriptionIndex, Date, RenewalRate) throws -> [StoreEvent]
    ) throws {
        let rate = core.shell.withLock { $0.settings.rules.renewalRate }
        try core.change { state, events, now in
            let index = try state.running(group, of: number)
            for event in try decide(state, index, now, rate) { events.append(LedgerRecord(date: now, event: event)) }
        }
    }
}
