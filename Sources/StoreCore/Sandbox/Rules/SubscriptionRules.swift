import Foundation

// The rules of auto-renewable subscriptions (behaviour 120; levels and offers as in the semantics of Store Kit 2, §2).
extension SandboxState {
    /// What buying a subscription costs an account now, and what it does to the one that it has in the group.
    ///
    /// * None, or one that is over: it begins at once. It counts as the same subscription, however long the gap.
    /// * The same product: nothing is charged, the period goes on, and it will renew (behaviour 106).
    /// * A higher level: the new one takes the old one's place at once, and nothing is paid back.
    /// * A lower level: the period goes on, and renews as the new one.
    /// * The same level: at once if the periods are equally long, else at the renewal.
    ///
    /// An offer begins with the new period: at the renewal where the running one goes on. It takes the place of the
    /// introductory one, or follows it if it may be stacked.
    func subscribe(
        _ account: Int,
        to product: Int,
        _ transaction: Int,
        ordered: Date,
        under offer: SubscriptionOffer? = nil,
        isStackable: Bool = false,
        at now: Date,
        _ rate: RenewalRate
    ) -> Sale {
        guard let wanted = catalog.subscription(of: product) else { return Sale(charge: 0) }
        let index = subscriptions.index(of: wanted.groupIdentifier, account: account)
        let known = index.map { subscriptions[$0] }
        // What is not paid for gives way to whatever is.
        if let index, let known, subscriptions.isEntitled(index), !replaces(known.term.product, wanted, product) {
            return Sale(charge: 0, subscription: .renewsAs(product: product, known.term, offer: offer))
        }
        let introductory =
            known?.hasUsedIntroductoryOffer == true ? nil : catalog.introductoryOffer(of: product)
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

    /// Whether a product takes the place of a running one at once.
    private func replaces(_ running: Int, _ wanted: SandboxProduct.Subscription, _ product: Int) -> Bool {
        guard running != product, let old = catalog.subscription(of: running) else { return false }
        if wanted.level == old.level { return wanted.period.isAsLong(as: old.period) }
        return wanted.level < old.level
    }

    /// What becomes of a subscription whose period is over: it renews, or ends.
    func renew(
        _ index: Int,
        _ rate: RenewalRate,
        _ events: inout [LedgerRecord]
    ) {
        if billing.mayFail || subscriptions.hasExceptions, let record = exception(of: index, rate) {
            return events.append(record)
        }
        // Part by part: a copy of all of it would cost more than the renewal.
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

    /// The period after the last one, where that ended as a cycle does.
    func nextTerm(
        after cycle: BillingCycle,
        of index: Int,
        _ last: SubscriptionTerm,
        _ product: Int,
        _ period: StoreProduct.Period,
        _ rate: RenewalRate
    ) -> (SubscriptionTerm, charge: Decimal) {
        guard let offer = last.offer, last.offerGoesOn(as: product) else {
            // A change that was bought earlier begins: the offer is for who buys a product, not for who keeps one.
            let isOffered = product != last.product && !subscriptions[index].hasUsedIntroductoryOffer
            let (next, charge) = term(
                of: product,
                period,
                offer: subscriptions.waitingOffer(of: index)
                    ?? (isOffered ? catalog.introductoryOffer(of: product) : nil),
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

    /// The first period under an offer, or one at the full price.
    private func term(
        of product: Int,
        _ usual: StoreProduct.Period,
        offer named: SubscriptionOffer?,
        original: (transaction: Int, date: Date),
        after cycle: BillingCycle,
        _ rate: RenewalRate
    ) -> (SubscriptionTerm, charge: Decimal) {
        let offer = named?.terms
        // Only pay as you go is paid for period by period; every other offer is one long one.
        let isByPeriod = offer?.paymentMode == .payAsYouGo
        let term = SubscriptionTerm(
            product: product,
            start: cycle.end,
            cycle: cycle.adding(
                offer?.period ?? usual,
                times: isByPeriod ? 1 : offer?.periodCount ?? 1,
                at: rate
            ),
            offer: named.map { .init(offer: $0, remaining: isByPeriod ? $0.terms.periodCount - 1 : 0) },
            original: original.transaction,
            originalDate: original.date
        )
        return (term, offer?.price ?? catalog.price(of: product))
    }
}
