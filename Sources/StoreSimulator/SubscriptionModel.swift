import Foundation
import StoreCore

/// What an account has of the one subscription group that there is, by the model's own rules.
struct SubscriptionModel {
    /// What the running period came of.
    enum Origin {
        case begun, renewed, upgraded, downgraded, crossgraded
        /// It began after a gap.
        case resumed
        /// It renewed while none of the account's apps could hear of it.
        case renewedUnheard
    }

    /// What a period is paid with in place of the price.
    enum Deal: Equatable {
        /// The week for nothing that a new subscriber of the lower level has.
        case trial
        case offer(Step.Offer, periodsLeft: Int)
    }

    /// The model's entry of the purchase that it began with.
    let first: Int
    private(set) var product = Step.Product.basic
    private(set) var start = Date.distantPast
    private(set) var end = Date.distantPast
    /// From when months are counted, and how many end with this period.
    private var anchor = Date.distantPast
    private var months = 0
    private(set) var deal: Deal?
    /// What its next period is under unless the running deal goes on.
    private(set) var waiting: Step.Offer?
    /// The entry of the purchase that it came with.
    private var waitingFrom: Int?
    private var hasHadTrial = false
    private(set) var renewsAs = Step.Product.basic
    private(set) var willRenew = false
    private(set) var isRunning = false
    /// Why it does not run any more.
    private(set) var ending: SubscriptionEnd?
    /// How often it has renewed since it was bought.
    private var renewals = 0
    private(set) var origin = Origin.begun
    /// A renewal that could not be paid for: until when it gives access all the same, nil for not any more, and until when
    /// the store goes on trying.
    private(set) var trouble: (graceEnd: Date?, retryEnd: Date)?
    /// Which of all its periods runs or ran last.
    private(set) var period = 0
    /// Whether its last period was paid back while it ran.
    private(set) var isRevoked = false
    /// How the question about a higher price stands, nil where there is none, or no longer.
    private(set) var consent: PriceConsent?
    /// Whether its user was asked to agree to a higher price, and has not answered.
    var awaitsConsent: Bool { consent == .pending }
    /// What it costs as long as they have not agreed to the product's price, in cents; nil for that.
    private var keptPrice: Int?

    /// All that was paid for it, in its order.
    private var purchases: [Purchase] = []

    private struct Purchase {
        let entry: Int
        let product: Step.Product
        /// The period that runs then.
        let period: Int
        let isTrial: Bool
    }

    init(first: Int) { self.first = first }

    /// Somebody pays for one of the products.
    ///
    /// - Returns: the charge, in cents.
    mutating func subscribe(
        to wanted: Step.Product,
        under offer: Step.Offer?,
        as entry: Int,
        at now: Date,
        for prices: Prices
    ) -> Int {
        defer { note(entry, wanted) }
        // A step up or sideways is taken at once; everything else waits for the end of the month.
        if isEntitled, wanted == product || wanted == .basic {
            // They have chosen another price.
            if wanted != renewsAs { forgetPrice() }
            if offer != nil || wanted != renewsAs { (waiting, waitingFrom) = (offer, entry) }
            renewsAs = wanted
            willRenew = true
            return 0
        }
        origin = isEntitled ? product == .basic ? .upgraded : .crossgraded : end == .distantPast ? .begun : .resumed
        let hasTrial = wanted == .basic && !hasHadTrial
        // The code for friends is had after the trial, every other offer in its place.
        (waiting, waitingFrom) = (hasTrial && offer == .friends ? offer : nil, entry)
        deal = waiting == nil ? offer.map(Deal.init) ?? (hasTrial ? .trial : nil) : .trial
        product = wanted
        renewsAs = wanted
        trouble = nil
        cut(to: now)
        extend()
        isRunning = true
        ending = nil
        renewals = 0
        isRevoked = false
        willRenew = true
        forgetPrice()
        return charge(prices)
    }

    /// Something was bought, or a period has begun.
    mutating func note(_ entry: Int, _ product: Step.Product) {
        let isTrial = deal == .trial && product == self.product
        purchases.append(Purchase(entry: entry, product: product, period: period, isTrial: isTrial))
    }

    /// Some of what was paid for it is as if it had never been, and so is what only that has changed.
    mutating func forget(_ deleted: Set<Int>) {
        if let waitingFrom, deleted.contains(waitingFrom) { waiting = nil }
        let left = purchases.filter { !deleted.contains($0.entry) }
        if left.count == purchases.count { return }
        if purchases.contains(where: { $0.isTrial }), !left.contains(where: { $0.isTrial }) { hasHadTrial = false }
        let wasChanged = purchases.contains { $0.period == period && deleted.contains($0.entry) }
        purchases = left
        guard wasChanged, let newest = left.last(where: { $0.period == period }), newest.product != renewsAs else {
            return
        }
        renewsAs = newest.product
        waiting = nil
        forgetPrice()
    }

    /// When something happens to it next.
    var nextMoment: Date { trouble.map { $0.graceEnd ?? $0.retryEnd } ?? end }

    /// Whether it gives access.
    var isEntitled: Bool { isRunning && (trouble.map { $0.graceEnd != nil } ?? true) }

    /// The period, the grace or the patience of the store is over.
    ///
    /// - Returns: what the next period costs, in cents; nil if none begins.
    mutating func fallDue(_ terms: RenewalTerms) -> Int? {
        if let trouble {
            if trouble.graceEnd == nil { finish(.billingError) } else { self.trouble?.graceEnd = nil }
            return nil
        }
        if let ending = ending(terms) {
            finish(ending)
            return nil
        }
        guard !terms.fails else {
            trouble = (terms.grantsGrace ? end + 16 * 86_400 : nil, end + 60 * 86_400)
            return nil
        }
        return renew(by: end, terms)
    }

    /// Why no period begins, whoever pays; nil where one does.
    private func ending(_ terms: RenewalTerms) -> SubscriptionEnd? {
        if !willRenew { return .autoRenewDisabled }
        if !terms.prices.isSold(renewsAs) { return .productUnavailable }
        if awaitsConsent { return .didNotConsentToPriceIncrease }
        return terms.limit.map { $0 <= renewals } == true ? .renewalLimitReached : nil
    }

    /// Somebody pays for what could not be paid for.
    ///
    /// - Returns: what the period costs that begins with it, in cents; nil if none does.
    mutating func recover(at now: Date, _ terms: RenewalTerms) -> Int? {
        guard isRunning, let trouble else { return nil }
        guard terms.prices.isSold(renewsAs) else {
            finish(.productUnavailable)
            return nil
        }
        if trouble.graceEnd == nil { cut(to: now) }
        self.trouble = nil
        return renew(by: now, terms)
    }

    /// It is over now.
    mutating func expire(at now: Date) {
        willRenew = false
        if trouble == nil { cut(to: now) }
        finish(.autoRenewDisabled)
    }

    /// What was paid for its period is paid back.
    mutating func revoke() {
        isRevoked = true
        finish(.revoked)
    }

    /// Its period is over now, and the next one begins.
    ///
    /// - Returns: what that costs, in cents; nil if none begins.
    mutating func forceRenewal(at now: Date, _ terms: RenewalTerms) -> Int? {
        willRenew = true
        if awaitsConsent { consent = nil }
        guard trouble == nil else { return nil }
        cut(to: now)
        return fallDue(terms)
    }

    /// The price has changed: its user is asked if it is above what they pay.
    mutating func consider(_ price: Int, insteadOf old: Int) {
        guard isRunning else { return }
        let kept = keptPrice ?? old
        consent = price > kept ? .pending : nil
        keptPrice = awaitsConsent ? kept : nil
    }

    /// Its user is asked to agree to a higher price.
    mutating func askForConsent() { consent = .pending }

    /// Its user says whether they agree to what they are asked.
    mutating func answer(_ agrees: Bool) {
        consent = agrees ? .agreed : nil
        if agrees { keptPrice = nil } else { setWillRenew(false) }
    }

    private mutating func forgetPrice() {
        consent = nil
        keptPrice = nil
    }

    /// What could not be paid for is over if it is not to be paid for.
    mutating func setWillRenew(_ willRenew: Bool) {
        self.willRenew = willRenew
        if !willRenew, trouble != nil { finish(.autoRenewDisabled) }
    }

    private mutating func finish(_ ending: SubscriptionEnd) {
        isRunning = false
        self.ending = ending
        trouble = nil
        waiting = nil
        forgetPrice()
    }

    private mutating func cut(to moment: Date) {
        end = moment
        anchor = moment
        months = 0
    }

    /// The next period begins, or the first that is not over by a moment: what was over before anybody paid has been had.
    private mutating func renew(by now: Date, _ terms: RenewalTerms) -> Int {
        origin = renewsAs != product ? .downgraded : terms.isHeard ? .renewed : .renewedUnheard
        renewals += 1
        // What they have agreed to is the price now; what they have not answered stays asked.
        if consent == .agreed { consent = nil }
        repeat {
            deal = nextDeal()
            product = renewsAs
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
        return renewsAs != product && renewsAs == .basic && !hasHadTrial ? .trial : nil
    }

    /// Another period is behind the end of the last one.
    private mutating func extend() {
        period += 1
        start = end
        guard let deal else { return add(months: 1) }
        switch deal {
        case .trial:
            hasHadTrial = true
            cut(to: end + 7 * 86_400)
        case .offer(let offer, _): add(months: offer.terms?.months ?? 1)
        }
    }

    private mutating func add(months count: Int) {
        months += count
        end = Self.month(months, after: anchor)
    }

    private func charge(_ prices: Prices) -> Int {
        switch deal {
        case .trial?: 0
        case .offer(let offer, _)?: offer.terms?.price ?? 0
        case nil: prices.isLocal(product) ? prices[product] : keptPrice ?? prices[product]
        }
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
    /// The first of an offer's periods.
    fileprivate init(_ offer: Step.Offer) { self = .offer(offer, periodsLeft: (offer.terms?.count ?? 1) - 1) }
}

/// What renewals depend on beside the subscription.
struct RenewalTerms {
    let prices: Prices
    /// They cannot be paid for.
    let fails: Bool
    let grantsGrace: Bool
    /// How often it renews at the most, nil for no limit.
    let limit: Int?
    /// Whether any app of the account's devices can hear of them.
    let isHeard: Bool
}
