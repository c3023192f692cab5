import Foundation

// The rules of bundles: the subscriptions that a bundle includes follow its periods, each in its own group.
extension SandboxState {
    /// Adds the events by which the members of bundles follow the bundles.
    ///
    /// `events` are the events of the surrounding change, which the state has applied already. The function may be
    /// called several times for one change: members that have followed an event are left alone.
    ///
    /// * A period of a bundle begins: each member gets a transaction, which costs nothing.
    /// * The end of the period moves, is refunded, or the refund is reversed: the same for each member.
    /// * The bundle ends: so does each member. A member that was to leave the bundle begins a period by itself.
    func followBundles(_ rate: RenewalRate, _ events: inout [LedgerRecord]) {
        var followers = Followers(next: nextTransaction)
        for record in events {
            switch record.event.effect {
            case .grants(let purchase):
                guard case .begins(let term, _)? = purchase.subscription else { continue }
                begin(purchase.transaction, term, isBought: true, at: record.date, rate, &followers)
            case .renews(_, let number, let term, _):
                begin(number, term, isBought: false, at: record.date, rate, &followers)
            case .changesEnd(let bundle):
                // The bundle may have begun another period since.
                guard let term = record.event.changedTerm else { continue }
                for member in subscriptions.members(of: bundle)
                where subscriptions[member].term.start == term.start && subscriptions[member].term.end != term.end {
                    let cut = BillingChange.cutShort(subscription: member, subscriptions[member].term.cut(as: term))
                    followers.add(.billing(cut), record.date)
                }
            case .ends(let bundle):
                for member in subscriptions.members(of: bundle) {
                    end(member, with: bundle, at: record.date, rate, &followers)
                }
            case .refunds(let refund): self.refund(with: refund, at: record.date, &followers)
            case .reversesRefund(let reversal):
                for (number, _) in members(of: reversal.transactions, by: reversal.account) {
                    let reversed = try? reverseRefund(of: number.identifier, now: record.date)
                    if let reversed { followers.records.append(reversed) }
                }
            // A deletion has the members' transactions already.
            case .grantsNothing, .restores, .shares, .unshares, .deletes, .deletesAll, .finishes, .setsToken,
                .changesCatalog, .changesDetails, .changesMembers, .changesSharing, .nothing:
                break
            }
        }
        events += followers.records
    }

    /// The events of members, and the number of the next transaction.
    private struct Followers {
        var records: [LedgerRecord] = []
        var next: TransactionNumber

        mutating func add(_ event: StoreEvent, _ date: Date) {
            records.append(LedgerRecord(date: date, event: event))
        }

        mutating func number() -> TransactionNumber {
            defer { next = next.advanced(by: 1) }
            return next
        }
    }

    /// Begins the members' periods with a bundle's period, and ends the members that the bundle has no longer.
    private func begin(
        _ number: TransactionNumber,
        _ term: SubscriptionTerm,
        isBought: Bool,
        at date: Date,
        _ rate: RenewalRate,
        _ followers: inout Followers
    ) {
        guard let bundle = subscriptions.index(ofOriginal: term.original), subscriptions[bundle].isRunning,
            subscriptions[bundle].term == term,
            // Of two periods that began at one moment, the second counts.
            newestPeriod(of: term.original, by: subscriptions[bundle].account) == number
        else { return }
        // There are none if the bundle was registered again as another product.
        let products = catalog.members(of: term.product)
        let period = BundleRelation.Period(product: term.product, transaction: number, original: term.original)
        let groups = products.map { catalog.group(of: $0) }
        for member in subscriptions.members(of: bundle) where !groups.contains(subscriptions[member].group) {
            let last = subscriptions[member].term
            if last.end > date {
                followers.add(.billing(.cutShort(subscription: member, last.cut(to: date, rate))), date)
            }
            followers.add(.ended(subscription: member, .unbundled), date)
        }
        let account = subscriptions[bundle].account
        for product in products {
            guard let group = catalog.group(of: product) else { continue }
            let index = subscriptions.index(of: group, account: account)
            if let index, let last = subscriptions[index].term.bundle?.period, last.original == term.original,
                subscriptions[index].isRunning
            {
                // A purchase that was approved late has a lower number than the period before.
                guard last.transaction != number else { continue }
                let original = subscriptions[index].term
                let next = original.following(term, as: product, in: period)
                followers.add(.renewed(subscription: index, transaction: followers.number(), next, charge: 0), date)
                continue
            }
            var replaced: TransactionNumber?
            if let index, subscriptions[index].isRunning {
                // What the account has bought by itself since, or has in another bundle, stays as it is.
                guard isBought, subscriptions[index].term.bundle?.period == nil else { continue }
                replaced = subscriptions[index].term.original
                // Of a period that is over, whose renewal could not be charged, nothing is left to pay back.
                let isOver = subscriptions[index].term.end <= date
                let end: StoreEvent =
                    isOver
                    ? .ended(subscription: index, .billingError)
                    : .operator(.refunded(upgrade(of: index, to: product, at: date)))
                followers.add(end, date)
            }
            // A member of a bundle that had lapsed continues its own chain.
            let lapsed = index.map { subscriptions[$0].term }.flatMap { last in
                last.bundle?.period?.original == term.original ? last : nil
            }
            let transaction = followers.number()
            let first = SubscriptionTerm(
                product: product,
                start: term.start,
                cycle: term.cycle,
                offer: nil,
                original: lapsed?.original ?? transaction,
                originalDate: lapsed?.originalDate ?? date,
                bundle: BundleRelation(
                    period: period,
                    previousOriginal: replaced ?? lapsed?.bundle?.previousOriginal
                )
            )
            let purchase = UnorderedPurchase(
                account: account,
                device: nil,
                transaction: transaction,
                payment: StorePayment(productIdentifier: catalog[product].identifier),
                product: product,
                charge: 0,
                subscription: .begins(first)
            )
            followers.add(.operator(.bought(purchase)), date)
        }
    }

    /// Returns the refund of a subscription's remaining time, since the account has bought a bundle that includes it.
    private func upgrade(of index: SubscriptionIndex, to product: ProductIndex, at date: Date) -> Refund {
        let (account, term) = (subscriptions[index].account, subscriptions[index].term)
        let newest = purchases(of: term, by: account).first { accounts[account].history[$0].isOwn }
        let places = newest.map { repetitions(of: $0, by: account) } ?? []
        // Access to the product that the bundle includes continues.
        let isOther = term.product != product && subscriptions.isEntitled(index)
        let remaining = term.remainingShare(at: date)
        return Refund(
            account: account,
            transactions: places.compactMap { TransactionNumber(accounts[account].history[$0].identifier) },
            product: term.product,
            revoked: isOther ? [catalog[term.product].identifier] : [],
            ended: index,
            percentage: remaining == Refund.whole ? nil : remaining,
            reason: Refund.upgradedToBundle
        )
    }

    /// Ends a member with its bundle, and begins a period of the member by itself if it was to leave the bundle.
    private func end(
        _ member: SubscriptionIndex,
        with bundle: SubscriptionIndex,
        at date: Date,
        _ rate: RenewalRate,
        _ followers: inout Followers
    ) {
        guard let reason = subscriptions[bundle].end else { return }
        guard reason == .autoRenewDisabled else {
            return followers.add(.ended(subscription: member, reason), date)
        }
        let (account, product) = (subscriptions[member].account, subscriptions[member].term.product)
        let leaves = subscriptions[member].willRenew
        let isSold = catalog.isOnSale(product, at: date)
        let isPaid = !billing.failingAccounts.contains(account)
        let end: SubscriptionEndReason =
            !leaves ? .unbundled : !isSold ? .productUnavailable : isPaid ? .unbundled : .billingError
        followers.add(.ended(subscription: member, end), date)
        guard leaves, isSold, isPaid, let period = catalog.period(of: product) else { return }
        let transaction = followers.number()
        let term = SubscriptionTerm(
            product: product,
            start: date,
            cycle: BillingCycle(from: date, at: rate).adding(period, at: rate),
            offer: nil,
            original: transaction,
            originalDate: date,
            bundle: BundleRelation(previousOriginal: subscriptions[bundle].term.original)
        )
        let purchase = UnorderedPurchase(
            account: account,
            device: nil,
            transaction: transaction,
            payment: StorePayment(productIdentifier: catalog[product].identifier),
            product: product,
            charge: catalog.price(of: product),
            subscription: .begins(term)
        )
        followers.add(.operator(.bought(purchase)), date)
    }

    /// Refunds the members' transactions with those of their bundle, even if that is another product by now.
    private func refund(with refund: Refund, at date: Date, _ followers: inout Followers) {
        guard arePeriods(refund.transactions, of: refund.account) else { return }
        for (number, place) in members(of: refund.transactions, by: refund.account)
        where revocations.cancellation(of: number) == nil {
            let purchase = accounts[refund.account].history[place]
            let running = purchase.term.flatMap { term in
                subscriptions.index(ofOriginal: term.original).flatMap { index in
                    subscriptions[index].isRunning && subscriptions[index].term == term ? index : nil
                }
            }
            let member = Refund(
                account: refund.account,
                transactions: [number],
                product: purchase.product,
                revoked: running != nil && !refund.revoked.isEmpty ? [catalog[purchase.product].identifier] : [],
                ended: running,
                percentage: refund.percentage,
                reason: refund.reason
            )
            followers.add(.operator(.refunded(member)), date)
        }
    }

    /// Returns the members' transactions that came with transactions of a bundle, which are to be deleted.
    func members(ofDeleted bundle: [TransactionNumber]) -> [TransactionNumber] {
        guard catalog.hasBundles else { return [] }
        return accounts.indices.flatMap { members(of: bundle, by: $0).map(\.number) }
    }

    /// Returns an account's members' transactions that came with transactions of a bundle, unless they were deleted.
    private func members(
        of bundle: [TransactionNumber],
        by account: AccountID
    ) -> [(number: TransactionNumber, place: PurchaseIndex)] {
        let history = accounts[account].history
        return history.indices.compactMap { place in
            guard let period = history[place].term?.bundle?.period, bundle.contains(period.transaction),
                !history[place].isDeleted, !history[place].isShared
            else { return nil }
            return TransactionNumber(history[place].identifier).map { ($0, place) }
        }
    }
}

extension StoreEvent {
    /// The period whose end the event changed, with its new end; nil for any other event.
    fileprivate var changedTerm: SubscriptionTerm? {
        switch self {
        case .billing(.cutShort(_, let term)), .operator(.server(.extended(_, let term, _))): term
        default: nil
        }
    }
}

extension SubscriptionTerm {
    /// Returns the next period of a member, which is that of its bundle.
    fileprivate func following(
        _ bundle: SubscriptionTerm,
        as product: ProductIndex,
        in period: BundleRelation.Period
    ) -> SubscriptionTerm {
        SubscriptionTerm(
            product: product,
            start: bundle.start,
            cycle: bundle.cycle,
            offer: nil,
            original: original,
            originalDate: originalDate,
            bundle: BundleRelation(period: period, previousOriginal: self.bundle?.previousOriginal)
        )
    }
}

extension Subscriptions {
    /// Returns the product that a member has in its bundle's next period; nil if the bundle will not renew, or will
    /// include no product of the member's group.
    func nextProduct(
        ofMember index: SubscriptionIndex,
        in bundle: SubscriptionIndex,
        _ catalog: Catalog
    ) -> ProductIndex? {
        guard self[bundle].continues else { return nil }
        let group = self[index].group
        return catalog.members(of: self[bundle].nextProduct).first { catalog.group(of: $0) == group }
    }
}

// Purchases in the groups of members.
extension SandboxState {
    /// Returns the reason why an order cannot change a member of a bundle; nil if it can, or changes none.
    func refusalInBundle(of payment: StorePayment, _ product: ProductIndex, _ account: AccountID) -> StoreFailure? {
        let hasOffer = payment.hasSpecialTerms && (payment.discount != nil || payment.offer?.identifier != nil)
        return refusalInBundle(product, payment.plan == .monthly ? .monthly : nil, hasOffer: hasOffer, account)
    }

    /// Returns the reason why a purchase cannot change a member of a bundle; nil if it can, or changes none.
    ///
    /// A member renews as its bundle does, so nothing can begin at its renewal: no other product, plan or offer.
    func refusalInBundle(
        _ product: ProductIndex,
        _ plan: StoreProduct.BillingPlan?,
        hasOffer: Bool,
        _ account: AccountID
    ) -> StoreFailure? {
        guard catalog.hasBundles, let wanted = catalog.subscription(of: product),
            let index = subscriptions.index(of: wanted.groupIdentifier, account: account),
            subscriptions.isEntitled(index), let bundle = subscriptions.bundle(of: index),
            hasOffer || plan == .monthly || subscriptions[index].term.product != product,
            !replaces(subscriptions[index].term, wanted, product, plan)
        else { return nil }
        let (name, parent) = (catalog[product].identifier, catalog[subscriptions[bundle].term.product].identifier)
        let reason = "\(name) cannot follow the subscription of its group, which is a part of \"\(parent)\""
        return .storeKit(.paymentInvalid, reason)
    }
}

// Commands for the members of bundles.
extension SandboxState {
    /// Throws if a subscription is a member of a bundle, which changes with the bundle alone.
    func checkIndependence(of index: SubscriptionIndex) throws {
        guard let bundle = subscriptions.bundle(of: index) else { return }
        throw SandboxError(
            .bundled(
                group: subscriptions[index].group,
                bundle: catalog[subscriptions[bundle].term.product].identifier,
                bundleGroup: subscriptions[bundle].group
            )
        )
    }

    /// Returns the events that let a member of a bundle leave it at the next renewal, or stay; nil if the subscription
    /// is neither a member nor a bundle.
    ///
    /// A bundle that a member leaves does not renew; it ends at once if its last renewal failed, unless the payment is
    /// one of a commitment. A bundle that is to renew keeps its members.
    func setAutoRenewInBundle(
        _ isOn: Bool,
        of index: SubscriptionIndex,
        at now: Date,
        _ rate: RenewalRate
    ) -> [StoreEvent]? {
        if let bundle = subscriptions.bundle(of: index) {
            guard subscriptions[index].willRenew != isOn else { return [] }
            let isRenewing = isOn && subscriptions[bundle].willRenew
            if isRenewing, !subscriptions[bundle].isCommitted, subscriptions.trouble(of: bundle) != nil {
                return [.autoRenewal(subscription: index, true)] + expire(bundle, at: now, rate)
            }
            return (isRenewing ? [.autoRenewal(subscription: bundle, false)] : [])
                + [.autoRenewal(subscription: index, isOn)]
        }
        let leaving = isOn ? subscriptions.members(of: index).filter { subscriptions[$0].willRenew } : []
        guard !leaving.isEmpty else { return nil }
        return leaving.map { .autoRenewal(subscription: $0, false) } + [.autoRenewal(subscription: index, true)]
    }
}
