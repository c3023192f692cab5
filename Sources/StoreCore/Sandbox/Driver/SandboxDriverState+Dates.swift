import Foundation

// Purchases that a test dates in the past.
extension SandboxDriverState {
    /// Decides an order with a date, within a change, and renews until now what it begins.
    mutating func decide(_ command: StoreCommand, dated date: Date, from device: DeviceID, now: Date) {
        guard case .purchase(let payment) = command.action else { return }
        let (isAuthorized, rules) = (settings.authorizer.body == nil, settings.rules)
        step { state, events in
            state.decide(
                command,
                payment,
                dated: date,
                from: device,
                isAuthorized: isAuthorized,
                rules: rules,
                now: now,
                &events
            )
        }
        shareWithFamilies()
        while renewNext(by: now, rules.renewalRate) { shareWithFamilies() }
    }

    /// Buys without a queue's order, with all renewals until now if it is dated in the past.
    ///
    /// - Throws: the reason why it is not sold.
    mutating func buy(
        _ payment: StorePayment,
        by account: AccountID,
        _ rules: SandboxRules,
        now: Date
    ) throws -> TransactionNumber {
        var number: TransactionNumber = 0
        let date = payment.purchaseDate ?? now
        try step { state, events in
            let purchase = try state.purchase(payment, by: account, rules, now: now)
            number = purchase.held ?? purchase.transaction
            events.append(LedgerRecord(date: date, event: .operator(.bought(purchase))))
            if purchase.subscription != nil {
                state.addEndOfRenewal(of: payment, purchase.product, account, date, &events)
            }
        }
        guard payment.purchaseDate != nil else { return number }
        shareWithFamilies()
        while renewNext(by: now, rules.renewalRate) { shareWithFamilies() }
        return number
    }

    /// Renews or ends the subscription that is due first; returns false if none is due.
    private mutating func renewNext(by now: Date, _ rate: RenewalRate) -> Bool {
        var isDue = false
        step { state, events in
            guard let due = state.subscriptions.due(by: now) else { return }
            isDue = true
            state.renew(due.subscription, rate, &events)
        }
        return isDue
    }
}

extension StoreCommand {
    /// The date that a test gives a purchase, nil for the time of the order.
    var purchaseDate: Date? {
        if case .purchase(let payment) = action, payment.hasSpecialTerms { payment.purchaseDate } else { nil }
    }
}
