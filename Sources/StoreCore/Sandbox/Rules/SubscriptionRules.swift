import Foundation

// The rules of auto-renewable subscriptions (behavior 120; levels and offers as in the semantics of Store Kit 2, §2).
extension SandboxState {
    /// Returns the price of buying a subscription now, and the effect on the account's subscription in the group.
    ///
    /// * No subscription, or an ended one: a period begins at once. An ended one keeps its original transaction.
    /// * The same product: nothing is charged, the period continues, and the subscription will renew (A3).
    /// * A higher level: the new product replaces the old one at once, without a refund.
    /// * A lower level: the period continues, and renews as the new product (A2).
    /// * The same level: the new product replaces the old one at once if their periods are equally long and both are
    ///   paid under the same plan, else at the renewal.
    /// * The same product under another billing plan: the period continues, and renews under that plan.
    ///
    /// Within a commitment to monthly payments, the renewal is that of the commitment. If the period continues, the
    /// purchase has the transaction of that period.
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
        plan: StoreProduct.BillingPlan? = nil,
        at now: Date,
        _ rate: RenewalRate
    ) -> Sale {
        guard let wanted = catalog.subscription(of: product) else { return Sale(charge: 0) }
        let index = subscriptions.index(of: wanted.groupIdentifier, account: account)
        let known = index.map { subscriptions[$0] }
        // A subscription in billing retry without a grace period counts as ended, so any product replaces it.
        let isChange = index.map(subscriptions.isEntitled) ?? false
        let offer = isChange && offer?.kind == .introductory ? nil : offer
        if isChange, let known, !replaces(known.term, wanted, product, plan) {
            return Sale(charge: 0, subscription: .renewsAs(product: product, known.term, offer: offer, plan: plan))
        }
        let isEligible =
            isIntroductoryAllowed && !isChange && !hasUsedIntroductoryOffer(account, in: wanted.groupIdentifier)
        let introductory = isEligible ? catalog.introductoryOffer(of: product, plan) : nil
        let isFollowed = isStackable && introductory != nil
        // By itself, a former member of a bundle is another subscription, unless it replaces the running one.
        let isLeaving = !isChange && known?.term.bundle?.period != nil
        let previous = known?.term.bundle?.period?.original ?? known?.term.bundle?.previousOriginal
        let (term, charge) = self.term(
            of: product,
            wanted.period,
            plan,
            offer: isFollowed ? introductory : offer ?? introductory,
            original: isLeaving
                ? (transaction, ordered)
                : known.map { ($0.term.original, $0.term.originalDate) } ?? (transaction, ordered),
            bundle: previous.map { BundleRelation(previousOriginal: $0) },
            after: BillingCycle(from: now, at: rate),
            rate
        )
        return Sale(charge: charge, subscription: .begins(term, then: isFollowed ? offer : nil))
    }

    /// Whether an account has used the introductory offer of a group, which serves once.
    func hasUsedIntroductoryOffer(_ account: AccountID, in group: String) -> Bool {
        if let known = subscriptions.index(of: group, account: account),
            subscriptions[known].hasUsedIntroductoryOffer
        {
            return true
        }
        guard let migrated = migratedSubscription(from: group, of: account) else { return false }
        return subscriptions[migrated].hasUsedIntroductoryOffer
    }

    /// Returns an account's subscription that began in a group, and has left it as a generic product; nil for none.
    func migratedSubscription(from group: String, of account: AccountID) -> SubscriptionIndex? {
        guard server.hasAdvancedCommerce else { return nil }
        return subscriptions.all(of: account).first { index in
            let product = subscriptions[index].original.original?.payment.productIdentifier
            return subscriptions[index].group != group
                && product.flatMap(catalog.index).flatMap(catalog.group) == group
        }
    }

    /// Returns the newest transaction that began a period of a subscription and is still valid; else the original.
    func newestPeriod(of original: TransactionNumber, by account: AccountID) -> TransactionNumber {
        let history = accounts[account].history
        let newest = history.chain(of: original).last { history[$0].isOwn && !history[$0].continuesPeriod }
        return newest.flatMap { TransactionNumber(history[$0].identifier) } ?? original
    }

    /// Whether a product under a billing plan replaces a running one at once.
    func replaces(
        _ running: SubscriptionTerm,
        _ wanted: SandboxProduct.Subscription,
        _ product: ProductIndex,
        _ plan: StoreProduct.BillingPlan?
    ) -> Bool {
        guard running.product != product, let old = catalog.subscription(of: running.product) else { return false }
        if wanted.level == old.level {
            return wanted.period.isAsLong(as: old.period) && plan == running.billingPlan
        }
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
        let product = subscriptions[index].nextProduct
        guard subscriptions[index].continues else {
            return events.append(LedgerRecord(date: moment, event: .ended(subscription: index, .autoRenewDisabled)))
        }
        guard let period = catalog.period(of: product), catalog.isOnSale(product, at: moment) else {
            return events.append(LedgerRecord(date: moment, event: .ended(subscription: index, .productUnavailable)))
        }
        let (term, charge) = nextTerm(after: last.cycle, of: index, last, product, period, rate)
        // Without a name, the event is moved and not copied.
        events.append(
            LedgerRecord(
                date: moment,
                event: .renewed(subscription: index, transaction: nextTransaction, term, charge: charge)
            )
        )
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
        if server.hasAdvancedCommerce, let content = server.advancedCommerce[index]?.next {
            return term(of: product, content, original: (last.original, last.originalDate), after: cycle, rate)
        }
        if let commitment = last.commitment, commitment.isOpen { return nextTerm(after: cycle, last, commitment, rate) }
        let plan = subscriptions[index].renewalPlan
        guard let offer = last.offer, last.offerGoesOn(as: product, plan) else {
            // Without the introductory offer, which applies to neither a renewal nor a change of products.
            let (next, charge) = term(
                of: product,
                period,
                plan,
                offer: subscriptions.waitingOffer(of: index),
                original: (last.original, last.originalDate),
                bundle: last.bundle,
                after: cycle,
                rate
            )
            let kept =
                next.offer == nil && next.commitment == nil && !catalog.hasLocalPrice(product)
                ? keptPrice(of: index) : nil
            return (next, kept ?? charge)
        }
        let next = cycle.adding(offer.terms.period, at: rate)
        let term = SubscriptionTerm(
            product: product,
            start: cycle.end,
            cycle: next,
            offer: offer.next,
            original: last.original,
            originalDate: last.originalDate,
            commitment: monthlyTerms(of: product, under: plan).map { Commitment($0, number: 1, cycle: next, rate) },
            bundle: last.bundle
        )
        return (term, offer.terms.price)
    }

    /// Returns the next period within a commitment, and its price.
    ///
    /// An offer that waits begins with the next commitment.
    private func nextTerm(
        after cycle: BillingCycle,
        _ last: SubscriptionTerm,
        _ commitment: Commitment,
        _ rate: RenewalRate
    ) -> (SubscriptionTerm, charge: Decimal) {
        let offer = last.offerGoesOn(as: last.product, .monthly) ? last.offer?.next : nil
        let next = cycle.adding(offer?.terms.period ?? Commitment.period, at: rate)
        let term = SubscriptionTerm(
            product: last.product,
            start: cycle.end,
            cycle: next,
            offer: offer,
            original: last.original,
            originalDate: last.originalDate,
            commitment: commitment.next(cycle: next, rate),
            bundle: last.bundle
        )
        return (term, offer?.terms.price ?? commitment.price)
    }

    /// Returns the first period after the running commitment of a subscription, and its price; nil without a
    /// commitment.
    func termAfterCommitment(of index: SubscriptionIndex, _ rate: RenewalRate) -> (SubscriptionTerm, charge: Decimal)? {
        let (last, product) = (subscriptions[index].term, subscriptions[index].renewsAs)
        guard let commitment = last.commitment, let period = catalog.period(of: product) else { return nil }
        guard commitment.isOpen else { return nextTerm(after: last.cycle, of: index, last, product, period, rate) }
        let end = BillingCycle(from: commitment.end, at: rate)
        let final = SubscriptionTerm(
            product: last.product,
            start: last.start,
            cycle: end,
            offer: nil,
            original: last.original,
            originalDate: last.originalDate,
            bundle: last.bundle
        )
        return nextTerm(after: end, of: index, final, product, period, rate)
    }

    /// Returns the terms of a product's monthly payments if a period is to be paid under that plan; else nil.
    private func monthlyTerms(of product: ProductIndex, under plan: StoreProduct.BillingPlan?)
        -> StoreProduct.BillingTerms?
    {
        plan == .monthly ? catalog.monthlyTerms(of: product) : nil
    }

    /// Returns the first period under an offer, or one at the full price.
    ///
    /// A commitment begins with its first monthly payment, and so after a trial or after months that are paid at once.
    private func term(
        of product: ProductIndex,
        _ usual: StoreProduct.Period,
        _ plan: StoreProduct.BillingPlan?,
        offer named: SubscriptionOffer?,
        original: (transaction: TransactionNumber, date: Date),
        bundle: BundleRelation?,
        after cycle: BillingCycle,
        _ rate: RenewalRate
    ) -> (SubscriptionTerm, charge: Decimal) {
        let offer = named?.terms
        // Only pay as you go is charged period by period; every other offer is one long period.
        let isByPeriod = offer?.paymentMode == .payAsYouGo
        let monthly = monthlyTerms(of: product, under: plan)
        let period = offer?.period ?? (monthly == nil ? usual : Commitment.period)
        let next = cycle.adding(period, times: isByPeriod ? 1 : offer?.periodCount ?? 1, at: rate)
        let term = SubscriptionTerm(
            product: product,
            start: cycle.end,
            cycle: next,
            offer: named.map { .init(offer: $0, remaining: isByPeriod ? $0.terms.periodCount - 1 : 0) },
            original: original.transaction,
            originalDate: original.date,
            commitment: monthly.map {
                Commitment($0, number: offer == nil || isByPeriod ? 1 : 0, cycle: next, rate)
            },
            bundle: bundle
        )
        return (term, offer?.price ?? monthly?.price ?? catalog.price(of: product))
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
            let product = catalog[subscriptions[index].nextProduct].identifier
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
        guard subscription.isRunning, subscription.continues, subscription.term.bundle?.period == nil,
            catalog.isOnSale(subscription.nextProduct, at: subscription.term.end),
            !(billing.mayFail || subscriptions.hasExceptions) || eventInsteadOfRenewal(of: index, rate) == nil
        else { return nil }
        if subscription.nextPlan == .monthly { return Commitment.period }
        return server.advancedCommerce[index]?.next.length ?? catalog.period(of: subscription.renewsAs)
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
