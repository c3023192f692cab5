import Foundation

// The rules of auto-renewable subscriptions (behavior 120; levels and offers as in the semantics of Store Kit 2, §2).
extension SandboxState {
    /// Returns the price of buying a subscription now, and the effect on the account's subscription in the group.
    ///
    /// * No subscription, or an ended one: a period begins at once. An ended one keeps its original transaction.
    /// * The same product: nothing is charged, the period continues, and the subscription will renew (A3).
    /// * A higher level: the new product replaces the old one at once, without a refund.
    /// * A lower level: the period continues, and renews as the new product (A2).
    /// * The same level: the new product replaces the old one at once if their periods are equally long, else at the
    ///   renewal.
    ///
    /// If the period continues, the purchase has the transaction of that period.
    ///
    /// An offer begins with the new period, or at the renewal if the running period continues. It replaces the
    /// introductory offer; a stackable offer follows the introductory offer instead. A current subscriber of the group
    /// gets no introductory offer (A1).
    func subscribe(
        _ account: AccountID,
        to product: ProductIndex,
        _ transaction: TransactionNumber,
        ordered: Date,
        under offer: SubscriptionOffer? = nil,
        isStackable: Bool = false,
        isIntroductoryAllowed: Bool = true,
        at now: Date,
        _ rate: RenewalRate
    ) -> Sale {
        guard let wanted = catalog.subscription(of: product) else { return Sale(charge: 0) }
        let index = subscriptions.index(of: wanted.groupIdentifier, account: account)
        let known = index.map { subscriptions[$0] }
        // A subscription in billing retry without a grace period counts as ended, so any product replaces it.
        let isChange = index.map(subscriptions.isEntitled) ?? false
        let offer = isChange && offer?.kind == .introductory ? nil : offer
        if isChange, let known, !replaces(known.term.product, wanted, product) {
            return Sale(charge: 0, subscription: .renewsAs(product: product, known.term, offer: offer))
        }
        let isEligible = isIntroductoryAllowed && !isChange && known?.hasUsedIntroductoryOffer != true
        let introductory = isEligible ? catalog.introductoryOffer(of: product) : nil
        let isFollowed = isStackable && introductory != nil
        let (term, charge) = self.term(
            of: product,
            wanted.period,
            offer: isFollowed ? introductory : offer ?? introductory,
            original: known.map { ($0.term.original, $0.term.originalDate) } ?? (transaction, ordered),
            after: BillingCycle(from: now, at: rate),
            rate
        )
        return Sale(charge: charge, subscription: .begins(term, then: isFollowed ? offer : nil))
    }

    /// Returns the newest transaction that began a period of a subscription and is still valid; else the original.
    func newestPeriod(of original: TransactionNumber, by account: AccountID) -> TransactionNumber {
        let history = accounts[account].history
        let newest = history.chain(of: original).last { history[$0].isOwn && !history[$0].continuesPeriod }
        return newest.flatMap { TransactionNumber(history[$0].identifier) } ?? original
    }

    /// Whether a product replaces a running one at once.
    private func replaces(_ running: ProductIndex, _ wanted: SandboxProduct.Subscription, _ product: ProductIndex)
        -> Bool
    {
        guard running != product, let old = catalog.subscription(of: running) else { return false }
        if wanted.level == old.level { return wanted.period.isAsLong(as: old.period) }
        return wanted.level < old.level
    }

    /// Adds the next event of a subscription whose period is over, such as its renewal or its end.
    ///
    /// With `renewsUnpaid`, a failed renewal is preceded by an unpaid period; see ``SandboxRules/renewsUnpaid``.
    func renew(
        _ index: SubscriptionIndex,
        _ rate: RenewalRate,
        renewsUnpaid: Bool,
        _ events: inout [LedgerRecord]
    ) {
        addRenewal(of: index, rate, &events)
        if renewsUnpaid { addUnpaidPeriod(rate, &events) }
    }

    @inline(__always)
    private func addRenewal(of index: SubscriptionIndex, _ rate: RenewalRate, _ events: inout [LedgerRecord]) {
        if billing.mayFail || subscriptions.hasExceptions, let record = eventInsteadOfRenewal(of: index, rate) {
            cutUnpaidPeriod(of: index, before: record, rate, &events)
            return events.append(record)
        }
        // The properties are read separately: a copy of the whole subscription would cost more than the renewal.
        let last = subscriptions[index].term
        let moment = last.end
        let product = subscriptions[index].renewsAs
        guard subscriptions[index].willRenew else {
            return events.append(LedgerRecord(date: moment, event: .ended(subscription: index, .autoRenewDisabled)))
        }
        guard let period = catalog.period(of: product), catalog.isOnSale(product, at: moment) else {
            return events.append(LedgerRecord(date: moment, event: .ended(subscription: index, .productUnavailable)))
        }
        let (term, charge) = nextTerm(after: last.cycle, of: index, last, product, period, rate)
        let event = StoreEvent.renewed(subscription: index, transaction: nextTransaction, term, charge: charge)
        events.append(LedgerRecord(date: moment, event: event))
    }

    /// Returns the period that follows `last`, and its price; the period begins at the end of `cycle`.
    func nextTerm(
        after cycle: BillingCycle,
        of index: SubscriptionIndex,
        _ last: SubscriptionTerm,
        _ product: ProductIndex,
        _ period: StoreProduct.Period,
        _ rate: RenewalRate
    ) -> (SubscriptionTerm, charge: Decimal) {
        guard let offer = last.offer, last.offerGoesOn(as: product) else {
            // Without the introductory offer, which applies to neither a renewal nor a change of products.
            let (next, charge) = term(
                of: product,
                period,
                offer: subscriptions.waitingOffer(of: index),
                original: (last.original, last.originalDate),
                after: cycle,
                rate
            )
            let kept = next.offer == nil && !catalog.hasLocalPrice(product) ? keptPrice(of: index) : nil
            return (next, kept ?? charge)
        }
        let term = SubscriptionTerm(
            product: product,
            start: cycle.end,
            cycle: cycle.adding(offer.terms.period, at: rate),
            offer: offer.next,
            original: last.original,
            originalDate: last.originalDate
        )
        return (term, offer.terms.price)
    }

    /// Returns the first period under an offer, or one at the full price.
    private func term(
        of product: ProductIndex,
        _ usual: StoreProduct.Period,
        offer named: SubscriptionOffer?,
        original: (transaction: TransactionNumber, date: Date),
        after cycle: BillingCycle,
        _ rate: RenewalRate
    ) -> (SubscriptionTerm, charge: Decimal) {
        let offer = named?.terms
        // Only pay as you go is charged period by period; every other offer is one long period.
        let isByPeriod = offer?.paymentMode == .payAsYouGo
        let term = SubscriptionTerm(
            product: product,
            start: cycle.end,
            cycle: cycle.adding(offer?.period ?? usual, times: isByPeriod ? 1 : offer?.periodCount ?? 1, at: rate),
            offer: named.map { .init(offer: $0, remaining: isByPeriod ? $0.terms.periodCount - 1 : 0) },
            original: original.transaction,
            originalDate: original.date
        )
        return (term, offer?.price ?? catalog.price(of: product))
    }
}

// The limit on one advance of the clock, since each renewal on the way is created and reported separately.
extension SandboxState {
    /// The maximum number of renewals of a subscription in one advance of the clock: daily for 27 years.
    static var maximumRenewalsInOneMove: Int { 10_000 }

    /// Returns the reason why the clock cannot be advanced to a moment at once, nil if it can.
    ///
    /// At a fast rate, an ordinary interval contains more renewals than intended: a year has a million periods of
    /// thirty seconds.
    func objection(toMovingTo moment: Date, from now: Date, _ rate: RenewalRate) -> String? {
        let maximum = Double(Self.maximumRenewalsInOneMove)
        // Most advances are too short for any product, so the subscriptions need not be examined.
        guard moment.timeIntervalSince(now) > maximum * rate.shortestPeriod,
            billing.renewalLimit.map({ Double($0) > maximum }) ?? true
        else { return nil }
        for index in subscriptions.indices {
            guard let period = periodThatGoesOn(index, rate) else { continue }
            let start = subscriptions[index].term.end
            let length = rate.end(of: period, from: start).timeIntervalSince(start)
            // The first renewal is at the end of the running period.
            let renewals = (moment.timeIntervalSince(start) / length).rounded(.down) + 1
            let remaining = billing.renewalLimit.map { Double($0) - Double(subscriptions[index].renewals) } ?? .infinity
            let count = min(renewals, remaining)
            guard count > maximum else { continue }
            let product = catalog[subscriptions[index].renewsAs].identifier
            return """
                the clock cannot be moved by \(moment.timeIntervalSince(now)) seconds at once: "\(product)" would be \
                renewed \(Int(count)) times, every \(length) seconds at the store's renewal rate, and \
                \(Self.maximumRenewalsInOneMove) times are the most; move it by as many periods as are meant, or set a \
                renewal limit
                """
        }
        return nil
    }

    /// Returns the length of the period that follows the running one of a subscription, nil if it does not renew.
    private func periodThatGoesOn(_ index: SubscriptionIndex, _ rate: RenewalRate) -> StoreProduct.Period? {
        let subscription = subscriptions[index]
        guard subscription.isRunning, subscription.willRenew,
            catalog.isOnSale(subscription.renewsAs, at: subscription.term.end),
            !(billing.mayFail || subscriptions.hasExceptions) || eventInsteadOfRenewal(of: index, rate) == nil
        else { return nil }
        return catalog.period(of: subscription.renewsAs)
    }
}

extension RenewalRate {
    /// The shortest time that a product's period may last, in seconds.
    fileprivate var shortestPeriod: TimeInterval {
        switch self {
        case .realTime: 86_400
        case .day(let day): day.rawValue
        case .month: end(of: .init(1, .day), from: Date(timeIntervalSince1970: 0)).timeIntervalSince1970
        case .everyPeriod(let length): length.rawValue
        }
    }
}
