import Foundation
import StoreCore

/// The model of an account's subscription in the one subscription group, by the model's own rules.
struct SubscriptionModel {
    /// The origin of the running period.
    enum Origin {
        case begun, renewed, upgraded, downgraded, crossgraded
        /// A period that began after a gap.
        case resumed
        /// A renewal while none of the account's apps could hear of it.
        case renewedUnheard
    }

    /// An offer that replaces the price of a period.
    enum Deal: Equatable {
        /// The free week for a new subscriber of the lower level.
        case trial
        case offer(SimulatedOperation.Offer, periodsLeft: Int)
    }

    /// A place in twelve monthly payments, which are due whether or not the subscription renews.
    struct Commitment: Equatable {
        static let count = 12
        /// The number of the payment, from 1.
        fileprivate(set) var number: Int
        /// The price of each payment, in cents.
        let price: Int
        /// The end of the last of the periods.
        fileprivate(set) var end = Date.distantPast
    }

    /// The model's entry of its first purchase.
    let first: Int
    /// Its place among the account's subscriptions: the entry with which the first of its group began.
    let place: Int
    /// The length of every period in seconds, nil where they follow the calendar.
    private let periodLength: TimeInterval?
    private(set) var product = SimulatedOperation.Product.basic
    private(set) var start = Date.distantPast
    private(set) var end = Date.distantPast
    /// The date from which months are counted, and their number at the end of this period.
    private var anchor = Date.distantPast
    private var months = 0
    private(set) var deal: Deal?
    /// The offer of its next period unless the running deal goes on.
    private(set) var waiting: SimulatedOperation.Offer?
    /// The entry of the purchase that it came with.
    private var waitingFrom: Int?
    private(set) var hasHadTrial = false
    private(set) var renewsAs = SimulatedOperation.Product.basic
    private(set) var willRenew = false
    /// The commitment that the period is a part of; nil for one that is paid up front.
    private(set) var commitment: Commitment?
    /// The first entry of the bundle that its period is or was a part of; nil for one by itself.
    private(set) var bundle: Int?
    /// Whether it runs as a part of a bundle.
    var isBundled: Bool { isRunning && bundle != nil }
    /// The content of its period and of the next, with items if it was requested.
    private(set) var content = PeriodContent()
    private(set) var nextContent = PeriodContent()
    /// The group that it was in before it was migrated; nil for one that began as it is.
    var home: SimulatedOperation.Group?
    /// Whether it has items, and renews as a generic subscription for the first time.
    var isMigrating: Bool { !content.items.isEmpty && product != .pass }
    /// Whether it renews in monthly payments.
    private var renewsMonthly = false
    /// Whether payments of a commitment remain.
    private var isCommitted: Bool { commitment.map { $0.number < Commitment.count } ?? false }
    private(set) var isRunning = false
    /// The reason that it has ended.
    private(set) var ending: SubscriptionEndReason?
    /// The number of renewals since it was bought.
    private var renewals = 0
    private(set) var origin = Origin.begun
    /// The failed renewal: the end of its grace period, nil once that is over, and the end of the store's retries.
    private(set) var failedRenewal: (graceEnd: Date?, retryEnd: Date)?
    /// The number of the period that runs or ran last.
    private(set) var period = 0
    /// Whether its last period was refunded while it ran.
    private(set) var isRevoked = false
    /// The state of the consent to a higher price, nil where there is none, or no longer.
    private(set) var consent: PriceConsent?
    /// Whether its user was asked to agree to a higher price, and has not answered.
    var awaitsConsent: Bool { consent == .pending }
    /// The old price in cents, as long as its user has not agreed to the product's price; nil if they pay that.
    private var keptPrice: Int?

    /// The payments for it, in order.
    private var purchases: [Purchase] = []

    private struct Purchase {
        let entry: Int
        let product: SimulatedOperation.Product
        /// The period that runs then.
        let period: Int
        let isTrial: Bool
    }

    /// Creates the subscription that begins with an entry, perhaps after another one of the group.
    init(first: Int, periodLength: TimeInterval?, after last: SubscriptionModel? = nil) {
        (self.first, self.periodLength) = (first, periodLength)
        place = last?.place ?? first
        // No two periods of a group have the same number, whatever was in the group before.
        period = first * 100_000
    }

    /// Starts, upgrades or crossgrades the subscription, or changes how it renews.
    ///
    /// The trial of an account's `former` subscription of the group, which was migrated, was the group's only one.
    ///
    /// - Returns: the charge, in cents; nil if nothing is sold, because the period goes on.
    mutating func subscribe(
        to wanted: SimulatedOperation.Product,
        under offer: SimulatedOperation.Offer?,
        isMonthly: Bool = false,
        as entry: Int,
        at now: Date,
        for prices: Prices,
        after former: SubscriptionModel?
    ) -> Int? {
        // What is bought without a request goes on without items.
        (content, nextContent) = (PeriodContent(), PeriodContent())
        // An upgrade or crossgrade takes effect at once; everything else waits for the end of the month.
        if isEntitled, wanted == product || wanted == .basic {
            // The user has chosen another price.
            let isOther = wanted != renewsAs || isMonthly != renewsMonthly
            if isOther { forgetPrice() }
            // The offer is that of the period's purchase, which answers this one.
            if offer != nil || isOther { (waiting, waitingFrom) = (offer, purchases.last?.entry ?? entry) }
            renewsAs = wanted
            renewsMonthly = isMonthly
            willRenew = true
            return nil
        }
        origin = isEntitled ? product == .basic ? .upgraded : .crossgraded : end == .distantPast ? .begun : .resumed
        // Whoever changes has no trial, only who is new or comes back.
        let hasTrial = wanted == .basic && !hasHadTrial && former?.hasHadTrial != true && !isEntitled
        // The code for friends applies after the trial, every other offer in its place.
        (waiting, waitingFrom) = (hasTrial && offer == .friends ? offer : nil, entry)
        deal = waiting == nil ? offer.map(Deal.init) ?? (hasTrial ? .trial : nil) : .trial
        renewsMonthly = isMonthly
        commitment = isMonthly ? Commitment(number: 1, price: prices.monthly(wanted)) : nil
        return begin(wanted, as: entry, at: now, for: prices)
    }

    /// Begins a period of requested items.
    ///
    /// - Returns: the charge, in cents.
    mutating func begin(
        with content: PeriodContent,
        next: PeriodContent,
        as entry: Int,
        at now: Date,
        for prices: Prices
    ) -> Int {
        origin = isEntitled ? .crossgraded : end == .distantPast ? .begun : .resumed
        (self.content, nextContent) = (content, next)
        return begin(.pass, as: entry, at: now, for: prices)
    }

    /// Changes the content of the next period, and that of the running one too if the change is immediate.
    mutating func changeContent(isImmediate: Bool, _ change: (inout PeriodContent) -> Void) {
        if isImmediate { change(&content) }
        change(&nextContent)
    }

    /// Whether it can go on as a generic subscription.
    var canMigrate: Bool {
        let isOrdinary = deal == nil && waiting == nil && content.items.isEmpty
        let isPlain = isOrdinary && commitment == nil && !renewsMonthly && !isBundled
        // A suite cannot.
        return isRunning && failedRenewal == nil && isPlain && consent == nil && product != .silver
    }

    /// Has it renew as a generic subscription with an item, at its price.
    ///
    /// - Parameters:
    ///   - sku: the item's SKU.
    ///   - paid: what its period cost, in cents.
    ///   - prices: the prices.
    mutating func migrate(to sku: String, paid: Int, _ prices: Prices) {
        content = PeriodContent(items: [.base: .init(sku: sku, cents: paid)], months: renewsAs.months)
        nextContent = content
        nextContent.items = [.base: .init(sku: sku, cents: fullPrice(of: renewsAs, prices))]
        renewsAs = .pass
    }

    private mutating func begin(
        _ wanted: SimulatedOperation.Product,
        as entry: Int,
        at now: Date,
        for prices: Prices
    ) -> Int {
        product = wanted
        renewsAs = wanted
        failedRenewal = nil
        cut(to: now)
        extend()
        isRunning = true
        ending = nil
        renewals = 0
        isRevoked = false
        willRenew = true
        forgetPrice()
        note(entry, wanted)
        return charge(prices)
    }

    /// Records a purchase or the beginning of a period.
    mutating func note(_ entry: Int, _ product: SimulatedOperation.Product) {
        let isTrial = deal == .trial && product == self.product
        purchases.append(Purchase(entry: entry, product: product, period: period, isTrial: isTrial))
    }

    /// Removes deleted payments, and the changes that only they made.
    mutating func forget(_ deleted: Set<Int>) {
        if let waitingFrom, deleted.contains(waitingFrom) { waiting = nil }
        let left = purchases.filter { !deleted.contains($0.entry) }
        if left.count == purchases.count { return }
        if purchases.contains(where: { $0.isTrial }), !left.contains(where: { $0.isTrial }) { hasHadTrial = false }
        let wasChanged = purchases.contains { $0.period == period && deleted.contains($0.entry) }
        purchases = left
        guard wasChanged, content.items.isEmpty, let newest = left.last(where: { $0.period == period }),
            newest.product != renewsAs
        else { return }
        renewsAs = newest.product
        waiting = nil
        forgetPrice()
    }

    /// The date of its next event.
    var nextMoment: Date { failedRenewal.map { $0.graceEnd ?? $0.retryEnd } ?? end }

    /// Whether it gives access.
    var isEntitled: Bool { isRunning && (failedRenewal.map { $0.graceEnd != nil } ?? true) }

    /// Handles the end of the period, the grace period or the store's retries.
    ///
    /// - Returns: the cost of the next period, in cents; nil if none begins.
    mutating func fallDue(_ terms: RenewalTerms) -> Int? {
        if let failedRenewal {
            if failedRenewal.graceEnd == nil { finish(.billingError) } else { self.failedRenewal?.graceEnd = nil }
            return nil
        }
        if let ending = ending(terms) {
            finish(ending)
            return nil
        }
        guard !terms.fails else {
            // Monthly payments of a year have no grace period, and are tried for longer.
            let isMonthly = isCommitted || renewsMonthly
            let (hasGrace, days): (Bool, TimeInterval) = (terms.grantsGrace && !isMonthly, isMonthly ? 90 : 60)
            failedRenewal = (hasGrace ? end + 16 * 86_400 : nil, end + days * 86_400)
            return nil
        }
        return renew(by: end, terms)
    }

    /// Returns the reason that no period begins, even if it is paid; nil where one does.
    private func ending(_ terms: RenewalTerms) -> SubscriptionEndReason? {
        if !willRenew, !isCommitted { return .autoRenewDisabled }
        if !terms.prices.isSold(renewsAs) { return .productUnavailable }
        if awaitsConsent { return .didNotConsentToPriceIncrease }
        return terms.limit.map { $0 <= renewals } == true ? .renewalLimitReached : nil
    }

    /// Pays a failed renewal.
    ///
    /// - Returns: the cost of the period that begins with it, in cents; nil if none does.
    mutating func recover(at now: Date, _ terms: RenewalTerms) -> Int? {
        guard isRunning, let failedRenewal else { return nil }
        guard terms.prices.isSold(renewsAs) else {
            finish(.productUnavailable)
            return nil
        }
        if failedRenewal.graceEnd == nil { cut(to: now) }
        self.failedRenewal = nil
        return renew(by: now, terms)
    }

    /// Expires the subscription now.
    mutating func expire(at now: Date) {
        willRenew = false
        if failedRenewal == nil { cut(to: now) }
        finish(.autoRenewDisabled)
    }

    /// Refunds its running period.
    mutating func revoke() {
        isRevoked = true
        finish(.revoked)
    }

    /// Ends its period now, and begins the next one.
    ///
    /// - Returns: the cost of the next period, in cents; nil if none begins.
    mutating func forceRenewal(at now: Date, _ terms: RenewalTerms) -> Int? {
        if !isCommitted { willRenew = true }
        if awaitsConsent { consent = nil }
        guard failedRenewal == nil else { return nil }
        cut(to: now)
        return fallDue(terms)
    }

    /// Handles a price change: its user is asked if the price is above what they pay.
    mutating func consider(_ price: Int, insteadOf old: Int) {
        guard isRunning else { return }
        let kept = keptPrice ?? old
        consent = price > kept ? .pending : nil
        keptPrice = awaitsConsent ? kept : nil
    }

    /// Asks its user to consent to a higher price.
    mutating func askForConsent() { consent = .pending }

    /// Records its user's answer to the question.
    mutating func answer(_ agrees: Bool) {
        consent = agrees ? .agreed : nil
        if agrees { keptPrice = nil } else { setWillRenew(false) }
    }

    private mutating func forgetPrice() {
        consent = nil
        keptPrice = nil
    }

    /// Sets auto-renewal; a failed renewal is over if it is turned off, unless it is a payment of a commitment.
    mutating func setWillRenew(_ willRenew: Bool) {
        self.willRenew = willRenew
        if !willRenew, failedRenewal != nil, !isCommitted, bundle == nil { finish(.autoRenewDisabled) }
    }

    // MARK: Bundles

    /// Begins a period that is one of a bundle's.
    mutating func follow(_ bundle: SubscriptionModel, as product: SimulatedOperation.Product, _ entry: Int) {
        origin = isRunning ? .renewed : self.bundle == nil ? .begun : .resumed
        // A member renews with its bundle, until it is to leave.
        if !isRunning { (willRenew, ending, isRevoked) = (false, nil, false) }
        (self.bundle, self.product, renewsAs) = (bundle.first, product, product)
        (start, end, failedRenewal, isRunning) = (bundle.start, bundle.end, nil, true)
        period += 1
        note(entry, product)
    }

    /// Goes on as its bundle does, whose period ends at another time or whose renewal has failed.
    mutating func goOn(with bundle: SubscriptionModel) {
        (end, failedRenewal) = (bundle.end, bundle.failedRenewal)
        if bundle.willRenew { willRenew = false }
    }

    /// Ends with its bundle.
    mutating func end(_ ending: SubscriptionEndReason) { finish(ending) }

    /// Returns the share of the period that remains, in thousandths of a percent.
    func remainingShare(at date: Date) -> Int {
        Int((Model.share(from: start, to: end, remainingAt: date) * 100_000).rounded())
    }

    private mutating func finish(_ ending: SubscriptionEndReason) {
        isRunning = false
        self.ending = ending
        failedRenewal = nil
        waiting = nil
        forgetPrice()
    }

    private mutating func cut(to moment: Date) {
        end = moment
        anchor = moment
        months = 0
        endCommitment()
    }

    /// Begins the next period, or the first that is not over by a moment: periods that were over before payment are
    /// used up.
    private mutating func renew(by now: Date, _ terms: RenewalTerms) -> Int {
        origin = renewsAs != product ? .downgraded : terms.isHeard ? .renewed : .renewedUnheard
        renewals += 1
        // The price agreed to is the price now; an unanswered question stays open.
        if consent == .agreed { consent = nil }
        repeat {
            deal = nextDeal()
            product = renewsAs
            (content, nextContent) = (nextContent, nextContent.next)
            if isCommitted, let number = commitment?.number {
                commitment?.number = number + 1
            } else {
                commitment = renewsMonthly ? Commitment(number: 1, price: terms.prices.monthly(product)) : nil
            }
            extend()
        } while end <= now
        return charge(terms.prices)
    }

    private mutating func nextDeal() -> Deal? {
        if renewsAs == product, case .offer(let offer, let periodsLeft)? = deal, periodsLeft > 0 {
            return .offer(offer, periodsLeft: periodsLeft - 1)
        }
        if let offer = waiting {
            waiting = nil
            return Deal(offer)
        }
        return nil
    }

    /// Adds another period after the end of the last one.
    private mutating func extend() {
        period += 1
        start = end
        if deal == .trial { hasHadTrial = true }
        if let periodLength { return cut(to: end + periodLength) }
        switch deal {
        case .trial?: cut(to: end + 7 * 86_400)
        case .offer(let offer, _)?: add(months: offer.terms?.months ?? 1)
        case nil: add(months: commitment != nil ? 1 : product == .pass ? content.months : product.months)
        }
    }

    private mutating func add(months count: Int) {
        months += count
        end = Self.month(months, after: anchor)
        endCommitment()
    }

    /// Counts the remaining payments from the end of the period.
    private mutating func endCommitment() {
        guard let commitment else { return }
        self.commitment?.end = Self.month(months + Commitment.count - commitment.number, after: anchor)
    }

    private func charge(_ prices: Prices) -> Int {
        switch deal {
        case .trial?: 0
        case .offer(let offer, _)?: offer.terms?.price ?? 0
        case nil where !content.items.isEmpty: content.price
        case nil: commitment?.price ?? fullPrice(of: product, prices)
        }
    }

    /// Returns the price that its user pays for a product.
    private func fullPrice(of product: SimulatedOperation.Product, _ prices: Prices) -> Int {
        prices.isLocal(product) ? prices[product] : keptPrice ?? prices[product]
    }

    var isOnTrial: Bool { deal == .trial }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func month(_ count: Int, after anchor: Date) -> Date {
        calendar.date(byAdding: .month, value: count, to: anchor) ?? .distantFuture
    }
}

extension SubscriptionModel.Deal {
    /// Creates the first of an offer's periods.
    fileprivate init(_ offer: SimulatedOperation.Offer) {
        self = .offer(offer, periodsLeft: (offer.terms?.count ?? 1) - 1)
    }
}

/// The conditions of a renewal besides the subscription.
struct RenewalTerms {
    let prices: Prices
    /// Whether payments fail.
    let fails: Bool
    let grantsGrace: Bool
    /// The maximum number of renewals, nil for no limit.
    let limit: Int?
    /// Whether any app of the account's devices can hear of renewals.
    let isHeard: Bool
}
