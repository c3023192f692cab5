import Foundation

/// All subscriptions of a store, and their due dates.
struct Subscriptions: StatePart {
    /// An account's subscription in a group, running or ended.
    struct Subscription: Codable, Sendable {
        let account: AccountID
        fileprivate(set) var group: String
        /// The transaction that began the subscription, to which renewals refer as their original.
        fileprivate(set) var original: StoreTransaction.Details
        /// The running period, or the last one of an ended subscription.
        var term: SubscriptionTerm
        /// The product that the subscription renews as, after the commitment if there is one.
        var renewsAs: ProductIndex
        /// The billing plan that the subscription renews under; nil for payment up front.
        var renewalPlan: StoreProduct.BillingPlan?
        /// Whether the subscription renews, after the commitment if there is one.
        var willRenew = true
        /// The reason why the subscription ended, nil while it runs.
        var end: SubscriptionEndReason?
        /// The number of renewals since the subscription was last bought.
        var renewals: Int32 = 0
        /// The date since which the account has been subscribed without a gap longer than 60 days.
        var since: Date
        var hasUsedIntroductoryOffer = false
        /// The application username of the last purchase.
        var applicationUsername: String?

        var isRunning: Bool { end == nil }

        /// Whether payments of a commitment remain, which are due even if auto-renewal is off.
        var isCommitted: Bool { term.commitment?.isOpen == true }
        /// The product of the next period.
        var nextProduct: ProductIndex { isCommitted ? term.product : renewsAs }
        /// The billing plan of the next period; nil for payment up front.
        var nextPlan: StoreProduct.BillingPlan? { isCommitted ? .monthly : renewalPlan }
        /// Whether there is a next period.
        var continues: Bool { isCommitted || willRenew }

        /// Renews the subscription in a single access to the array, since renewals are frequent.
        fileprivate mutating func renew(_ term: SubscriptionTerm) {
            renewals += 1
            goOn(as: term)
        }

        fileprivate mutating func goOn(as term: SubscriptionTerm) {
            // A change that was ordered within a commitment waits for its end.
            if !isCommitted { (renewsAs, renewalPlan) = (term.product, term.billingPlan) }
            if term.offer?.kind == .introductory { hasUsedIntroductoryOffer = true }
        }
    }

    /// An offer that begins at a renewal.
    private struct WaitingOffer: Codable, Sendable {
        let offer: SubscriptionOffer
        /// The identifier of the transaction that the offer came with.
        let transaction: String

        init?(_ offer: SubscriptionOffer?, from purchase: StoreTransaction.Details) {
            guard let offer else { return nil }
            self.offer = offer
            transaction = purchase.original?.identifier ?? ""
        }
    }

    /// The longest gap that does not interrupt ``Subscription/since``: 60 days (semantics of Store Kit 2, §6).
    private static var bridgedGap: TimeInterval { 60 * 86_400 }

    private var subscriptions = SegmentedArray<Subscription>()
    /// The subscriptions of each account.
    private var ofAccount: [AccountID: [SubscriptionIndex]] = [:]
    /// The subscription of each first transaction.
    private var ofOriginal: [TransactionNumber: SubscriptionIndex] = [:]
    /// The offers that begin when their subscription renews and no other offer continues.
    private var waitingOffers: [SubscriptionIndex: WaitingOffer] = [:]
    /// The running subscriptions whose last renewal could not be charged.
    private var troubles: [SubscriptionIndex: BillingTrouble] = [:]
    /// The subscriptions with a pending price increase, or with one that took effect without consent.
    private var increases: [SubscriptionIndex: PriceIncrease] = [:]
    /// The due dates, of which the first is current.
    private var due = DueDates<SubscriptionIndex>()

    /// The date of the earliest due subscription, nil when none is due.
    var nextDue: Date? { due.first?.moment }

    /// Returns the earliest due date after a moment; nil for none.
    func nextDue(after moment: Date) -> Date? { due.earliest(after: moment, where: isDue) }

    /// Whether there never was a subscription; all other properties are then empty.
    var isNew: Bool { count == 0 }

    /// The number of subscriptions.
    var count: Int { subscriptions.count }

    subscript(index: SubscriptionIndex) -> Subscription { _read { yield subscriptions[index] } }

    /// The numbers of all subscriptions.
    var indices: Range<SubscriptionIndex> { 0..<SubscriptionIndex(rawValue: subscriptions.count) }

    /// Whether any subscription has a reason not to renew at its product's price.
    var hasExceptions: Bool { !troubles.isEmpty || !increases.isEmpty }

    /// Whether a subscription belongs to its account; false once all of its transactions were deleted.
    func isKnown(_ index: SubscriptionIndex) -> Bool { ofOriginal[subscriptions[index].term.original] == index }

    /// Returns the moment at which a running subscription changes next.
    func nextMoment(of index: SubscriptionIndex) -> Date {
        trouble(of: index)?.nextMoment ?? subscriptions[index].term.end
    }

    /// Returns the billing trouble of the renewal that is due, nil for none.
    ///
    /// A member of a bundle has the bundle's.
    func trouble(of index: SubscriptionIndex) -> BillingTrouble? {
        if troubles.isEmpty { return nil }
        return troubles[index] ?? bundle(of: index).flatMap { troubles[$0] }
    }

    /// Returns the bundle that a running subscription is a member of; nil for none.
    func bundle(of index: SubscriptionIndex) -> SubscriptionIndex? {
        guard let period = subscriptions[index].term.bundle?.period, subscriptions[index].isRunning else { return nil }
        return ofOriginal[period.original]
    }

    /// Whether a subscription runs and is due at the end of its period, as all but the members of bundles are.
    func isDueByItself(_ index: SubscriptionIndex) -> Bool {
        subscriptions[index].isRunning && subscriptions[index].term.bundle?.period == nil
    }

    /// Returns the running members of a bundle, in the order in which they began.
    func members(of bundle: SubscriptionIndex) -> [SubscriptionIndex] {
        let original = subscriptions[bundle].term.original
        return all(of: subscriptions[bundle].account).filter {
            subscriptions[$0].isRunning && subscriptions[$0].term.bundle?.period?.original == original
        }
    }

    /// Returns the price increase to which a subscription's user was asked to consent.
    func increase(of index: SubscriptionIndex) -> PriceIncrease? { increases.isEmpty ? nil : increases[index] }

    /// Whether a subscription gives access: its period is paid for, or it is in a grace period.
    func isEntitled(_ index: SubscriptionIndex) -> Bool {
        guard subscriptions[index].isRunning else { return false }
        return trouble(of: index).map { $0.graceEnd != nil } ?? true
    }

    /// An account's subscriptions, in the order in which they began.
    func all(of account: AccountID) -> [SubscriptionIndex] { ofAccount[account] ?? [] }

    /// Returns an account's subscription in a group.
    ///
    /// If it has several by Advanced Commerce, returns the newest that runs, or else the newest.
    func index(of group: String, account: AccountID) -> SubscriptionIndex? {
        guard let all = ofAccount[account], let newest = all.last(where: { subscriptions[$0].group == group }) else {
            return nil
        }
        if all.count == 1 || subscriptions[newest].isRunning { return newest }
        return all.last { subscriptions[$0].group == group && subscriptions[$0].isRunning } ?? newest
    }

    /// Returns the subscription that began with a transaction.
    func index(ofOriginal transaction: TransactionNumber) -> SubscriptionIndex? { ofOriginal[transaction] }

    /// Returns the offer that begins when a subscription renews and no other offer continues.
    func waitingOffer(of index: SubscriptionIndex) -> SubscriptionOffer? {
        waitingOffers.isEmpty ? nil : waitingOffers[index]?.offer
    }

    /// Returns the earliest subscription due by a moment, and whether it is the only one; nil if none is due.
    func due(by moment: Date) -> (subscription: SubscriptionIndex, isLast: Bool)? {
        guard let first = due.first, first.moment <= moment else { return nil }
        return (first.item, due.isFirstAlone(by: moment))
    }
}

// MARK: - Changes

extension Subscriptions {
    /// Starts an account's subscription in a group, or restarts or replaces the existing one.
    ///
    /// `purchase` becomes the original of a new subscription; an existing one keeps its original, unless it joins or
    /// has left a bundle. A separate subscription does not continue another one of its group.
    mutating func begin(
        _ term: SubscriptionTerm,
        then waiting: SubscriptionOffer?,
        group: String,
        account: AccountID,
        purchase: StoreTransaction.Details,
        isSeparate: Bool = false
    ) {
        let usesOffer = term.offer?.kind == .introductory
        let user = purchase.original?.payment.applicationUsername
        let waiting = WaitingOffer(waiting, from: purchase)
        if let index = isSeparate ? index(ofOriginal: term.original) : index(of: group, account: account) {
            let last = subscriptions[index].term.end
            if term.start.timeIntervalSince(last) > Self.bridgedGap { subscriptions[index].since = term.start }
            let former = subscriptions[index].term.original
            if former != term.original {
                subscriptions[index].original = purchase
                ofOriginal[former] = nil
                ofOriginal[term.original] = index
            }
            subscriptions[index].group = group
            subscriptions[index].renewsAs = term.product
            subscriptions[index].renewalPlan = term.billingPlan
            // A member renews by itself only once it is to leave the bundle.
            subscriptions[index].willRenew = term.bundle?.period == nil
            subscriptions[index].end = nil
            subscriptions[index].renewals = 0
            setIncrease(nil, of: index)
            subscriptions[index].applicationUsername = user
            if usesOffer { subscriptions[index].hasUsedIntroductoryOffer = true }
            waitingOffers[index] = waiting
            set(term, of: index)
            keepMembers(of: index)
            return
        }
        let index = indices.upperBound
        subscriptions.append(
            Subscription(
                account: account,
                group: group,
                original: purchase,
                term: term,
                renewsAs: term.product,
                renewalPlan: term.billingPlan,
                since: term.start,
                hasUsedIntroductoryOffer: usesOffer,
                applicationUsername: user
            )
        )
        ofAccount[account, default: []].append(index)
        ofOriginal[term.original] = index
        if term.bundle?.period != nil { subscriptions[index].willRenew = false }
        if let waiting { waitingOffers[index] = waiting }
        set(term, of: index)
    }

    /// Renews a subscription with the next period.
    mutating func renew(_ index: SubscriptionIndex, _ term: SubscriptionTerm) {
        endWaiting(index, before: term)
        if increase(of: index)?.consent == .agreed { increases[index] = nil }
        subscriptions[index].renew(term)
        set(term, of: index)
    }

    /// Skips the next period, which passed unpaid; the offer that applied to it counts as used.
    mutating func leaveOut(_ index: SubscriptionIndex, _ term: SubscriptionTerm) {
        endWaiting(index, before: term)
        subscriptions[index].goOn(as: term)
        // The due date stays: the trouble's next moment is unchanged.
        subscriptions[index].term = term
    }

    /// Removes a waiting offer when its period begins, unless the previous offer continues.
    private mutating func endWaiting(_ index: SubscriptionIndex, before term: SubscriptionTerm) {
        if !waitingOffers.isEmpty, !subscriptions[index].term.offerGoesOn(as: term.product, term.billingPlan),
            !subscriptions[index].isCommitted
        {
            waitingOffers[index] = nil
        }
    }

    /// Records that the next period could not be charged.
    mutating func setTrouble(_ trouble: BillingTrouble, of index: SubscriptionIndex) {
        troubles[index] = trouble
        schedule(index, at: trouble.nextMoment)
    }

    /// Moves the end of the running period.
    mutating func cut(_ index: SubscriptionIndex, to term: SubscriptionTerm) { set(term, of: index) }

    mutating func setIncrease(_ increase: PriceIncrease?, of index: SubscriptionIndex) {
        if increase != nil || !increases.isEmpty { increases[index] = increase }
    }

    /// Ends a subscription: there is no next period.
    mutating func end(_ index: SubscriptionIndex, _ reason: SubscriptionEndReason) {
        subscriptions[index].end = reason
        if !waitingOffers.isEmpty { waitingOffers[index] = nil }
        if !troubles.isEmpty { troubles[index] = nil }
        setIncrease(nil, of: index)
        dropStale()
    }

    /// Reverts the end of a subscription whose running period had been revoked.
    mutating func resume(_ index: SubscriptionIndex) {
        subscriptions[index].end = nil
        schedule(index, at: subscriptions[index].term.end)
    }

    /// Sets the application username of the renewals from now on.
    mutating func setApplicationUsername(_ name: String, of index: SubscriptionIndex) {
        subscriptions[index].applicationUsername = name
    }

    /// Removes a subscription as if it had never existed: its account is new to the group.
    mutating func forget(_ index: SubscriptionIndex) {
        let (account, original) = (subscriptions[index].account, subscriptions[index].term.original)
        ofAccount[account]?.removeAll { $0 == index }
        ofOriginal[original] = nil
        end(index, .revoked)
    }

    mutating func setWillRenew(_ willRenew: Bool, of index: SubscriptionIndex) {
        subscriptions[index].willRenew = willRenew
        if willRenew { keepMembers(of: index) }
    }

    /// Keeps all members in a bundle that is to renew.
    private mutating func keepMembers(of bundle: SubscriptionIndex) {
        for member in members(of: bundle) { subscriptions[member].willRenew = false }
    }

    /// Sets the product and the billing plan to renew as; `offer` replaces the waiting offer, which is removed if one
    /// of them changes.
    mutating func setRenewsAs(
        _ product: ProductIndex,
        _ plan: StoreProduct.BillingPlan?,
        under offer: SubscriptionOffer?,
        of index: SubscriptionIndex,
        purchase: StoreTransaction.Details
    ) {
        // A member of a bundle that is bought again stays in the bundle.
        if subscriptions[index].term.bundle?.period != nil { return }
        let isOther = product != subscriptions[index].renewsAs || plan != subscriptions[index].renewalPlan
        if offer != nil || isOther { waitingOffers[index] = WaitingOffer(offer, from: purchase) }
        // A pending price increase concerns the old product, so it is dropped when the subscriber chooses another.
        if isOther { setIncrease(nil, of: index) }
        (subscriptions[index].renewsAs, subscriptions[index].renewalPlan) = (product, plan)
        subscriptions[index].applicationUsername = purchase.original?.payment.applicationUsername
        subscriptions[index].willRenew = true
        keepMembers(of: index)
    }

    /// Sets the generic product that the subscription renews as; until then it stays in its group.
    mutating func migrate(_ index: SubscriptionIndex, to product: ProductIndex) {
        subscriptions[index].renewsAs = product
    }

    mutating func setGroup(_ group: String, of index: SubscriptionIndex) { subscriptions[index].group = group }

    /// Reverts the product and the billing plan to renew as, because the purchase that changed them was deleted.
    mutating func takeBackChange(
        of index: SubscriptionIndex,
        to product: ProductIndex,
        _ plan: StoreProduct.BillingPlan?
    ) {
        guard product != subscriptions[index].renewsAs || plan != subscriptions[index].renewalPlan else { return }
        waitingOffers[index] = nil
        setIncrease(nil, of: index)
        (subscriptions[index].renewsAs, subscriptions[index].renewalPlan) = (product, plan)
    }

    /// Removes the waiting offers that came with some transactions.
    mutating func forgetWaitingOffers(from transactions: Set<String>) {
        if waitingOffers.isEmpty { return }
        waitingOffers = waitingOffers.filter { !transactions.contains($0.value.transaction) }
    }

    /// Makes the introductory offer available again.
    mutating func reopenIntroductoryOffer(of index: SubscriptionIndex) {
        subscriptions[index].hasUsedIntroductoryOffer = false
    }

    private mutating func set(_ term: SubscriptionTerm, of index: SubscriptionIndex) {
        subscriptions[index].term = term
        if !troubles.isEmpty { troubles[index] = nil }
        schedule(index, at: term.end)
    }

    private mutating func schedule(_ index: SubscriptionIndex, at moment: Date) {
        // The members of a bundle are not due: they follow the bundle.
        if subscriptions[index].term.bundle?.period != nil { return dropStale() }
        due.schedule(index, at: moment)
        dropStale()
    }

    /// Removes outdated due dates, so that the first one is current.
    private mutating func dropStale() {
        while let first = due.first, !isDue(first) { due.removeFirst() }
    }

    private func isDue(_ due: DueDates<SubscriptionIndex>.Entry) -> Bool {
        isDueByItself(due.item) && nextMoment(of: due.item) == due.moment
    }
}

extension SegmentedArray<Subscriptions.Subscription> {
    fileprivate subscript(index: SubscriptionIndex) -> Subscriptions.Subscription {
        @inline(__always) _read { yield self[index.rawValue] }
        @inline(__always) _modify { yield &self[index.rawValue] }
    }
}
