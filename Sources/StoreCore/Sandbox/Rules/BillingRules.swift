import Foundation

// The rules of renewals that cannot be charged, and of consent to higher prices (behaviors 199, 200 and 210 to 216).
extension SandboxState {
    /// Returns the event in place of a due renewal, such as a failed charge; nil if payment does not prevent the
    /// renewal.
    func eventInsteadOfRenewal(of index: SubscriptionIndex, _ rate: RenewalRate) -> LedgerRecord? {
        let subscription = subscriptions[index]
        if let trouble = subscriptions.trouble(of: index) {
            let isGraceOver = trouble.graceEnd != nil
            let event: StoreEvent =
                isGraceOver
                ? .billing(.graceEnded(subscription: index)) : .ended(subscription: index, .billingError)
            return LedgerRecord(date: trouble.nextMoment, event: event)
        }
        let product = subscription.nextProduct
        let moment = subscription.term.end
        guard subscription.continues, let terms = catalog.subscription(of: product),
            catalog.isOnSale(product, at: moment)
        else { return nil }
        if !subscription.isCommitted, subscriptions.increase(of: index)?.consent == .pending {
            return LedgerRecord(date: moment, event: .ended(subscription: index, .didNotConsentToPriceIncrease))
        }
        if let limit = billing.renewalLimit, subscription.renewals >= limit {
            return LedgerRecord(date: moment, event: .ended(subscription: index, .renewalLimitReached))
        }
        guard billing.failingAccounts.contains(subscription.account) else { return nil }
        // Monthly payments have no grace period. They are retried for 90 days instead of 60, for which no public source
        // is at hand (DifferencesInDetail).
        let isMonthly = subscription.nextPlan == .monthly
        let retryEnd = moment + rate.billingRetryPeriod * (isMonthly ? 1.5 : 1)
        let hasGrace = billing.grantsGracePeriod && !isMonthly
        let period = server.hasAdvancedCommerce ? server.advancedCommerce[index]?.next.length : nil
        let graceEnd = hasGrace ? min(retryEnd, moment + rate.gracePeriod(for: period ?? terms.period)) : nil
        let trouble = BillingTrouble(graceEnd: graceEnd, retryEnd: retryEnd)
        return LedgerRecord(date: moment, event: .billing(.renewalFailed(subscription: index, trouble)))
    }

    /// Returns the former price that a subscriber keeps paying after an increase; nil for the product's own price.
    ///
    /// Callers ignore this price in a country for which the product has a separate price.
    func keptPrice(of index: SubscriptionIndex) -> Decimal? { subscriptions.increase(of: index)?.keptPrice }

    /// Returns the next event to apply so that a failed renewal is paid for now; nil if no renewal has failed.
    ///
    /// * In the grace period, the billing date does not move: the paid period is the one that contains the present.
    ///   Each earlier period that passed unpaid is skipped by an event of its own, `leftOut`: apply it and call again,
    ///   until the event is the renewal.
    /// * After the grace period, the paid period begins now.
    /// * If the product is no longer on sale, the event ends the subscription.
    func recovery(of index: SubscriptionIndex, at now: Date, _ rate: RenewalRate) -> StoreEvent? {
        guard let trouble = subscriptions.trouble(of: index) else { return nil }
        let product = subscriptions[index].nextProduct
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

    /// Returns an account's running subscription in a group.
    func running(_ group: String, of account: AccountID) throws -> SubscriptionIndex {
        guard let index = subscriptions.index(of: group, account: account), subscriptions[index].isRunning else {
            throw noSubscription(inGroup: group)
        }
        return index
    }

    /// Returns the error for a group in which no subscription runs, or for the identifier of a product in its place.
    func noSubscription(inGroup group: String) -> SandboxError {
        let own = catalog.index(of: group).flatMap { catalog[$0].subscription?.groupIdentifier }
        let isGroup = catalog.allProducts.contains { $0.subscription?.groupIdentifier == group }
        guard let own, !isGroup else { return SandboxError(.notSubscribed(group: group)) }
        return SandboxError(.notGroup(product: group, group: own))
    }

    /// Returns the events that turn a subscription's auto-renewal on or off.
    ///
    /// A subscription whose last renewal failed ends at once when auto-renewal is turned off, unless the payment is one
    /// of a commitment, which remains due.
    func setAutoRenew(_ isOn: Bool, of index: SubscriptionIndex, at now: Date, _ rate: RenewalRate) -> [StoreEvent] {
        if catalog.hasBundles, let events = setAutoRenewInBundle(isOn, of: index, at: now, rate) { return events }
        guard subscriptions[index].willRenew != isOn else { return [] }
        if !isOn, !subscriptions[index].isCommitted, subscriptions.trouble(of: index) != nil {
            return expire(index, at: now, rate)
        }
        return [.autoRenewal(subscription: index, isOn)]
    }

    /// Returns the events that expire a subscription: its period ends now, and does not renew.
    func expire(_ index: SubscriptionIndex, at now: Date, _ rate: RenewalRate) -> [StoreEvent] {
        var events: [StoreEvent] = []
        let subscription = subscriptions[index]
        if subscription.willRenew { events.append(.autoRenewal(subscription: index, false)) }
        // If the last renewal failed, the period is over already, unless an unpaid one has begun.
        if subscriptions.trouble(of: index) == nil || subscription.term.end > now {
            events.append(.billing(.cutShort(subscription: index, subscription.term.cut(to: now, rate))))
        }
        events.append(.ended(subscription: index, .autoRenewDisabled))
        return events
    }

    /// Returns the events that make a subscription's renewal due now.
    ///
    /// Auto-renewal is turned on, a pending price consent request is withdrawn, and the period ends now. After a failed
    /// renewal, the period is over already.
    func makeDue(_ index: SubscriptionIndex, at now: Date, _ rate: RenewalRate) -> [StoreEvent] {
        var events: [StoreEvent] = []
        let subscription = subscriptions[index]
        if !subscription.continues { events.append(.autoRenewal(subscription: index, true)) }
        if subscriptions.increase(of: index)?.consent == .pending { events.append(withdrawal(of: index)) }
        if subscriptions.trouble(of: index) == nil {
            events.append(.billing(.cutShort(subscription: index, subscription.term.cut(to: now, rate))))
        }
        return events
    }

    // MARK: Prices

    /// Returns the withdrawal of a price consent request; the user keeps paying the former price.
    func withdrawal(of index: SubscriptionIndex) -> StoreEvent {
        let increase = keptPrice(of: index).map { PriceIncrease(keptPrice: $0) }
        return .billing(.priceIncrease(subscription: index, increase))
    }

    /// Returns the events that ask subscribers to consent to a product's higher price, or that withdraw such requests.
    func questions(about price: Decimal, of product: ProductIndex) -> [StoreEvent] {
        // In a country for which the product has a separate price, the new price does not apply; that of a generic
        // product applies nowhere.
        if catalog.hasLocalPrice(product) || catalog.isAdvancedCommerce(product) { return [] }
        let old = catalog.price(of: product)
        return subscriptions.indices.compactMap { index in
            // The prices of monthly payments are those of the billing plan.
            guard subscriptions[index].isRunning, subscriptions[index].renewsAs == product,
                subscriptions[index].renewalPlan == nil, subscriptions.bundle(of: index) == nil
            else { return nil }
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

    /// Returns the events of a user's answer to a price increase.
    func answer(_ answer: PriceConsentAnswer, _ index: SubscriptionIndex, at now: Date, _ rate: RenewalRate)
        -> [StoreEvent]
    {
        switch answer {
        case .agree: [.billing(.priceIncrease(subscription: index, PriceIncrease(consent: .agreed)))]
        case .decline: [withdrawal(of: index)] + setAutoRenew(false, of: index, at: now, rate)
        }
    }

    /// Returns an account's subscriptions with a pending price consent request.
    func pendingConsents(of account: AccountID) -> [SubscriptionIndex] {
        guard subscriptions.hasExceptions else { return [] }
        return subscriptions.all(of: account).filter { subscriptions.increase(of: $0)?.consent == .pending }
    }
}
