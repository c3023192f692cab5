import Foundation

/// All subscriptions of a store, and when each is due.
struct Subscriptions: Codable, Sendable {
    /// What one account has, or had, of one group.
    struct Subscription: Codable, Sendable {
        let account: Int
        let group: String
        /// What its renewals say of the transaction that it began with.
        let original: StoreTransaction.Details
        /// The running period, or the last.
        var term: SubscriptionTerm
        /// The number of the product that it renews as.
        var renewsAs: Int
        var willRenew = true
        /// Why it is over, nil while it runs.
        var end: SubscriptionEnd?
        /// How often it has renewed since it was bought.
        var renewals: Int32 = 0
        /// Since when it runs, short gaps apart.
        var since: Date
        var hasUsedIntroductoryOffer = false
        /// The app's own name for the user whom the last purchase was for.
        var applicationUsername: String?

        var isRunning: Bool { end == nil }

        /// All in one access: there are many.
        fileprivate mutating func renew(_ term: SubscriptionTerm) {
            renewals += 1
            goOn(as: term)
        }

        fileprivate mutating func goOn(as term: SubscriptionTerm) {
            renewsAs = term.product
            if term.offer?.kind == .introductory { hasUsedIntroductoryOffer = true }
        }
    }

    /// An offer that begins at a renewal.
    private struct WaitingOffer: Codable, Sendable {
        let offer: SubscriptionOffer
        /// What brought it.
        let transaction: String

        init?(_ offer: SubscriptionOffer?, from purchase: StoreTransaction.Details) {
            guard let offer else { return nil }
            self.offer = offer
            transaction = purchase.original?.identifier ?? ""
        }
    }

    private struct Due: Codable, Sendable {
        let moment: Date
        let subscription: Int32
    }

    /// A gap of up to 60 days does not end the time for which a subscriber counts as one (semantics of Store Kit 2, §6).
    private static var bridgedGap: TimeInterval { 60 * 86_400 }

    private var subscriptions = SegmentedArray<Subscription>()
    /// For each account, its subscriptions.
    private var ofAccount: [Int: [Int]] = [:]
    /// For each first transaction of a subscription, which it is.
    private var ofOriginal: [Int: Int] = [:]
    /// For each subscription that has one, the offer that begins when it renews and no other goes on.
    private var waitingOffers: [Int: WaitingOffer] = [:]
    /// The running subscriptions whose last renewal could not be paid for.
    private var troubles: [Int: BillingTrouble] = [:]
    /// The subscriptions whose price goes up, or did and was not agreed to.
    private var increases: [Int: PriceIncrease] = [:]
    /// A binary heap, the earliest first.
    ///
    /// What is out of date is passed over.
    private var due: [Due] = []

    /// When something may be due, nil when nothing is.
    var nextDue: Date? { due.first?.moment }

    /// How many there are.
    var count: Int { subscriptions.count }

    subscript(index: Int) -> Subscription { _read { yield subscriptions[index] } }

    /// All of them, by number.
    var indices: Range<Int> { 0..<subscriptions.count }

    /// Whether anything is known that keeps a subscription from renewing at its product's price.
    var hasExceptions: Bool { !troubles.isEmpty || !increases.isEmpty }

    /// What became of the renewal that is due, nil while nothing is wrong with it.
    func trouble(of index: Int) -> BillingTrouble? { troubles.isEmpty ? nil : troubles[index] }

    /// The price that a subscription's user was asked to agree to.
    func increase(of index: Int) -> PriceIncrease? { increases.isEmpty ? nil : increases[index] }

    /// Whether a subscription gives access: its period is paid for, or there is grace.
    func isEntitled(_ index: Int) -> Bool {
        guard subscriptions[index].isRunning else { return false }
        return trouble(of: index).map { $0.graceEnd != nil } ?? true
    }

    /// An account's subscriptions, in the order in which they began.
    func all(of account: Int) -> [Int] { ofAccount[account] ?? [] }

    /// What an account has of a group.
    func index(of group: String, account: Int) -> Int? {
        ofAccount[account]?.first { subscriptions[$0].group == group }
    }

    /// The subscription that began with a transaction.
    func index(ofOriginal transaction: Int) -> Int? { ofOriginal[transaction] }

    /// The offer that begins when a subscription renews and no other goes on.
    func waitingOffer(of index: Int) -> SubscriptionOffer? {
        waitingOffers.isEmpty ? nil : waitingOffers[index]?.offer
    }

    /// The subscription whose period ended first, if any has by a moment; and whether that of another has, too.
    func due(by moment: Date) -> (subscription: Int, isLast: Bool)? {
        guard let first = due.first, first.moment <= moment else { return nil }
        let isLast = due.dropFirst().prefix(2).allSatisfy { $0.moment > moment }
        return (Int(first.subscription), isLast)
    }
}

// MARK: - Changes

extension Subscriptions {
    /// An account subscribes to a group, again, or anew to another of its products.
    ///
    /// `purchase` is what it begins with; renewals go on naming the first.
    mutating func begin(
        _ term: SubscriptionTerm,
        then waiting: SubscriptionOffer?,
        group: String,
        account: Int,
        purchase: StoreTransaction.Details
    ) {
        let usesOffer = term.offer?.kind == .introductory
        let user = purchase.original?.payment.applicationUsername
        let waiting = WaitingOffer(waiting, from: purchase)
        if let index = index(of: group, account: account) {
            let last = subscriptions[index].term.end
            if term.start.timeIntervalSince(last) > Self.bridgedGap { subscriptions[index].since = term.start }
            subscriptions[index].renewsAs = term.product
            subscriptions[index].willRenew = true
            subscriptions[index].end = nil
            subscriptions[index].renewals = 0
            setIncrease(nil, of: index)
            subscriptions[index].applicationUsername = user
            if usesOffer { subscriptions[index].hasUsedIntroductoryOffer = true }
            waitingOffers[index] = waiting
            set(term, of: index)
            return
        }
        let index = subscriptions.count
        subscriptions.append(
            Subscription(
                account: account,
                group: group,
                original: purchase,
                term: term,
                renewsAs: term.product,
                since: term.start,
                hasUsedIntroductoryOffer: usesOffer,
                applicationUsername: user
            )
        )
        ofAccount[account, default: []].append(index)
        ofOriginal[term.original] = index
        if let waiting { waitingOffers[index] = waiting }
        set(term, of: index)
    }

    /// The next period begins.
    mutating func renew(_ index: Int, _ term: SubscriptionTerm) {
        endWaiting(index, before: term)
        if increase(of: index)?.consent == .agreed { increases[index] = nil }
        subscriptions[index].renew(term)
        set(term, of: index)
    }

    /// The next period has passed without being paid for; whatever it was under has been had.
    mutating func leaveOut(_ index: Int, _ term: SubscriptionTerm) {
        endWaiting(index, before: term)
        subscriptions[index].goOn(as: term)
        // What happens next if nobody pays happens when it would have.
        subscriptions[index].term = term
    }

    /// An offer that waited begins with a period, unless the one before goes on.
    private mutating func endWaiting(_ index: Int, before term: SubscriptionTerm) {
        if !waitingOffers.isEmpty, !subscriptions[index].term.offerGoesOn(as: term.product) {
            waitingOffers[index] = nil
        }
    }

    /// The next period could not be paid for.
    mutating func setTrouble(_ trouble: BillingTrouble, of index: Int) {
        troubles[index] = trouble
        schedule(index, at: trouble.nextMoment)
    }

    /// The running period is over sooner than it was.
    mutating func cut(_ index: Int, to term: SubscriptionTerm) { set(term, of: index) }

    mutating func setIncrease(_ increase: PriceIncrease?, of index: Int) {
        if increase != nil || !increases.isEmpty { increases[index] = increase }
    }

    /// There is no next period.
    mutating func end(_ index: Int, _ reason: SubscriptionEnd) {
        subscriptions[index].end = reason
        if !waitingOffers.isEmpty { waitingOffers[index] = nil }
        if !troubles.isEmpty { troubles[index] = nil }
        setIncrease(nil, of: index)
        dropStale()
    }

    /// As if it had never been: whoever had it is new to the group.
    mutating func forget(_ index: Int) {
        let (account, original) = (subscriptions[index].account, subscriptions[index].term.original)
        ofAccount[account]?.removeAll { $0 == index }
        ofOriginal[original] = nil
        end(index, .revoked)
    }

    mutating func setWillRenew(_ willRenew: Bool, of index: Int) { subscriptions[index].willRenew = willRenew }

    /// A waiting offer gives way to another one, and goes with the product that it was for.
    mutating func setRenewsAs(
        _ product: Int,
        under offer: SubscriptionOffer?,
        of index: Int,
        purchase: StoreTransaction.Details
    ) {
        if offer != nil || product != subscriptions[index].renewsAs {
            waitingOffers[index] = WaitingOffer(offer, from: purchase)
        }
        // They have chosen another price.
        if product != subscriptions[index].renewsAs { setIncrease(nil, of: index) }
        subscriptions[index].renewsAs = product
        subscriptions[index].applicationUsername = purchase.original?.payment.applicationUsername
        subscriptions[index].willRenew = true
    }

    /// A subscription renews as a product again, because what changed that is as if it had never been.
    mutating func takeBackChange(of index: Int, to product: Int) {
        guard product != subscriptions[index].renewsAs else { return }
        waitingOffers[index] = nil
        setIncrease(nil, of: index)
        subscriptions[index].renewsAs = product
    }

    /// The offers that wait because of some transactions do so no longer.
    mutating func forgetWaitingOffers(from transactions: Set<String>) {
        if waitingOffers.isEmpty { return }
        waitingOffers = waitingOffers.filter { !transactions.contains($0.value.transaction) }
    }

    /// The introductory offer can be had again.
    mutating func reopenIntroductoryOffer(of index: Int) { subscriptions[index].hasUsedIntroductoryOffer = false }

    private mutating func set(_ term: SubscriptionTerm, of index: Int) {
        subscriptions[index].term = term
        if !troubles.isEmpty { troubles[index] = nil }
        schedule(index, at: term.end)
    }

    private mutating func schedule(_ index: Int, at moment: Date) {
        let new = Due(moment: moment, subscription: Int32(index))
        // What renews is the first one nearly always.
        if let first = due.first, first.subscription == new.subscription, first.moment <= new.moment {
            due[0] = new
            sink()
        } else {
            push(new)
        }
        dropStale()
    }
}

// MARK: - The heap

extension Subscriptions {
    /// The first one is never out of date.
    private mutating func dropStale() {
        while let first = due.first, !isDue(first) { removeFirst() }
    }

    private func isDue(_ due: Due) -> Bool {
        let index = Int(due.subscription)
        guard subscriptions[index].isRunning else { return false }
        return (trouble(of: index)?.nextMoment ?? subscriptions[index].term.end) == due.moment
    }

    private mutating func push(_ new: Due) {
        due.append(new)
        var child = due.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard due[child].moment < due[parent].moment else { break }
            due.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func removeFirst() {
        due.swapAt(0, due.count - 1)
        due.removeLast()
        sink()
    }

    /// The first one has become later.
    private mutating func sink() {
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < due.count else { return }
            if child + 1 < due.count, due[child + 1].moment < due[child].moment { child += 1 }
            guard due[child].moment < due[parent].moment else { return }
            due.swapAt(child, parent)
            parent = child
        }
    }
}
