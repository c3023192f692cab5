import Foundation

// The rules of renewals that cannot be paid for, or not at a price that was agreed to (behaviours 199, 200 and 210 to 216).
extension SandboxState {
    /// What happens to a subscription instead of its renewal; nil where nothing is in its way.
    func exception(of index: Int, _ rate: RenewalRate) -> LedgerRecord? {
        let subscription = subscriptions[index]
        if let trouble = subscriptions.trouble(of: index) {
            let isGraceOver = trouble.graceEnd != nil
            let event: StoreEvent =
                isGraceOver
                ? .billing(.graceEnded(subscription: index)) : .ended(subscription: index, .billingError)
            return LedgerRecord(date: trouble.nextMoment, event: event)
        }
        let product = subscription.renewsAs
        let moment = subscription.term.end
        guard subscription.willRenew, let terms = catalog.subscription(of: product),
            catalog.isOnSale(product, at: moment)
        else { return nil }
        if subscriptions.increase(of: index)?.consent == .pending {
            return LedgerRecord(date: moment, event: .ended(subscription: index, .didNotConsentToPriceIncrease))
        }
        if let limit = billing.renewalLimit, subscription.renewals >= limit {
            return LedgerRecord(date: moment, event: .ended(subscription: index, .renewalLimitReached))
        }
        guard billing.failingAccounts.contains(subscription.account) else { return nil }
        let retryEnd = moment + rate.billingRetryPeriod
        let graceEnd = billing.grantsGracePeriod ? min(retryEnd, moment + rate.gracePeriod(for: terms.period)) : nil
        let trouble = BillingTrouble(graceEnd: graceEnd, retryEnd: retryEnd)
        return LedgerRecord(date: moment, event: .billing(.renewalFailed(subscription: index, trouble)))
    }

    /// What a subscription's user pays instead of its product's price, nil for that; in countries where the product has a
    /// price of its own it costs that.
    func keptPrice(of index: Int) -> Decimal? { subscriptions.increase(of: index)?.keptPrice }

    /// The payment that failed is collected now; nil where none has.
    ///
    /// In the grace period the billing date stays: what is paid for is the period that runs now if each begins where the
    /// one before ended, under the terms that it would have then. Grace may be longer than a period of a few days: one that
    /// is over is left out, and whoever asks again hears of the next. Later a period begins now.
    func recovery(of index: Int, at now: Date, _ rate: RenewalRate) -> StoreEvent? {
        guard let trouble = subscriptions.trouble(of: index) else { return nil }
        let product = subscriptions[index].renewsAs
        guard let period = catalog.period(of: product), catalog.isOnSale(product, at: now) else {
            return .ended(subscription: index, .productUnavailable)
        }
        let last = subscriptions[index].term
        let cycle = trouble.graceEnd == nil ? BillingCycle(from: now, at: rate) : last.cycle
        let (term, charge) = nextTerm(after: cycle, of: index, last, product, period, rate)
        guard term.end > now else { return .billing(.leftOut(subscription: index, term)) }
        return .renewed(subscription: index, transaction: nextTransaction, term, charge: charge)
    }

    // MARK: Commands

    /// The subscription that an account has in a group and that has not ended.
    func running(_ group: String, of account: Int) throws -> Int {
        guard let index = subscriptions.index(of: group, account: account), subscriptions[index].isRunning else {
            throw SandboxError.notSubscribed(group: group)
        }
        return index
    }

    /// A subscription's user turns its renewal on or off; off, what is not paid for is over.
    func setAutoRenew(_ isOn: Bool, of index: Int, at now: Date, _ rate: RenewalRate) -> [StoreEvent] {
        guard subscriptions[index].willRenew != isOn else { return [] }
        if !isOn, subscriptions.trouble(of: index) != nil { return expire(index, at: now, rate) }
        return [.autoRenewal(subscription: index, isOn)]
    }

    /// A subscription's period is over now, and there is no next one.
    func expire(_ index: Int, at now: Date, _ rate: RenewalRate) -> [StoreEvent] {
        var events: [StoreEvent] = []
        let subscription = subscriptions[index]
        if subscription.willRenew { events.append(.autoRenewal(subscription: index, false)) }
        // What could not be paid for is over anyway.
        if subscriptions.trouble(of: index) == nil {
            events.append(.billing(.cutShort(subscription: index, subscription.term.cut(to: now, rate))))
        }
        events.append(.ended(subscription: index, .autoRenewDisabled))
        return events
    }

    /// What makes a subscription due now, which is to renew then; in billing retry and grace it is not.
    func makeDue(_ index: Int, at now: Date, _ rate: RenewalRate) -> [StoreEvent] {
        var events: [StoreEvent] = []
        let subscription = subscriptions[index]
        if !subscription.willRenew { events.append(.autoRenewal(subscription: index, true)) }
        if subscriptions.increase(of: index)?.consent == .pending { events.append(withdrawal(of: index)) }
        if subscriptions.trouble(of: index) == nil {
            events.append(.billing(.cutShort(subscription: index, subscription.term.cut(to: now, rate))))
        }
        return events
    }

    // MARK: Prices

    /// A subscription's user is not asked about a price any more, and goes on paying what they did.
    func withdrawal(of index: Int) -> StoreEvent {
        let increase = keptPrice(of: index).map { PriceIncrease(keptPrice: $0) }
        return .billing(.priceIncrease(subscription: index, increase))
    }

    /// What subscribers are asked when the product that they renew as costs something else from now on.
    func questions(about price: Decimal, of product: Int) -> [StoreEvent] {
        // What they pay here has not changed.
        if catalog.hasLocalPrice(product) { return [] }
        let old = catalog.price(of: product)
        return subscriptions.indices.compactMap { index in
            guard subscriptions[index].isRunning, subscriptions[index].renewsAs == product else { return nil }
            let kept = keptPrice(of: index) ?? old
            guard price > kept else {
                return subscriptions.increase(of: index).map { _ in
                    .billing(.priceIncrease(subscription: index, nil))
                }
            }
            let increase = PriceIncrease(keptPrice: kept, consent: .pending)
            return .billing(.priceIncrease(subscription: index, increase))
        }
    }

    /// What comes of a user's answer.
    func answer(_ answer: PriceConsentAnswer, _ index: Int, at now: Date, _ rate: RenewalRate) -> [StoreEvent] {
        switch answer {
        case .agree: [.billing(.priceIncrease(subscription: index, PriceIncrease(consent: .agreed)))]
        case .decline: [withdrawal(of: index)] + setAutoRenew(false, of: index, at: now, rate)
        }
    }

    /// The subscriptions about whose price an account has been asked and has not answered.
    func pendingConsents(of account: Int) -> [Int] {
        guard subscriptions.hasExceptions else { return [] }
        return subscriptions.all(of: account).filter { subscriptions.increase(of: $0)?.consent == .pending }
    }
}
