import Foundation

/// One period of an auto-renewable subscription, paid for at its beginning.
///
/// A term contains all data from which the next term is computed. It is a class, so that an event with a term stores
/// one reference.
final class SubscriptionTerm: Hashable, Codable, Sendable {
    let product: ProductIndex
    let start: Date
    /// The cycle that ends with this period.
    let cycle: BillingCycle
    /// The first moment that is not paid for.
    var end: Date { cycle.end }
    /// The offer that applies to this period, nil for the full price.
    let offer: Offer?
    /// The first transaction of the subscription.
    let original: TransactionNumber
    let originalDate: Date
    /// The commitment to monthly payments that the period is a part of; nil if it is paid up front.
    let commitment: Commitment?
    /// The relation to a bundle of subscriptions; nil for none.
    let bundle: BundleRelation?

    /// The billing plan of the period; nil for payment up front.
    var billingPlan: StoreProduct.BillingPlan? { commitment == nil ? nil : .monthly }
    /// The end of the commitment if payments remain, else of the period: no change that waits begins earlier.
    var committedEnd: Date { commitment.flatMap { $0.isOpen ? $0.end : nil } ?? end }

    struct Offer: Hashable, Codable, Sendable {
        let offer: SubscriptionOffer
        /// The number of later periods to which the offer applies.
        let remaining: Int

        var kind: OfferKind { offer.kind }
        var terms: StoreProduct.Offer { offer.terms }

        /// The same offer, one period later.
        var next: Offer { Offer(offer: offer, remaining: remaining - 1) }

        /// Returns the identifier of the offer if it is of a kind, nil otherwise.
        func identifier(as kind: OfferKind) -> String? { kind == self.kind ? terms.identifier : nil }
    }

    init(
        product: ProductIndex,
        start: Date,
        cycle: BillingCycle,
        offer: Offer?,
        original: TransactionNumber,
        originalDate: Date,
        commitment: Commitment? = nil,
        bundle: BundleRelation? = nil
    ) {
        self.product = product
        self.start = start
        self.cycle = cycle
        self.offer = offer
        self.original = original
        self.originalDate = originalDate
        self.commitment = commitment
        self.bundle = bundle
    }

    /// Returns the term with another end, earlier or later.
    func cut(to end: Date, _ rate: RenewalRate) -> SubscriptionTerm {
        let cycle = BillingCycle(from: end, at: rate)
        return SubscriptionTerm(
            product: product,
            start: min(start, end),
            cycle: cycle,
            offer: offer,
            original: original,
            originalDate: originalDate,
            commitment: commitment?.moved(to: cycle, rate),
            bundle: bundle
        )
    }

    /// Returns this term with the start and the end of another.
    ///
    /// Used for a family member and a member of a bundle, whose term follows another period but has its own
    /// transactions.
    func cut(as other: SubscriptionTerm) -> SubscriptionTerm {
        SubscriptionTerm(
            product: product,
            start: other.start,
            cycle: other.cycle,
            offer: offer,
            original: original,
            originalDate: originalDate,
            // A commitment is that of the bundle alone.
            commitment: commitment == nil ? nil : other.commitment,
            bundle: bundle
        )
    }

    /// Whether two terms are the same period, regardless of their transactions.
    func isSamePeriod(as other: SubscriptionTerm) -> Bool {
        product == other.product && start == other.start && end == other.end
    }

    /// Whether this term's offer also applies to the next period, given the product and the plan of that period.
    func offerGoesOn(as product: ProductIndex, _ plan: StoreProduct.BillingPlan?) -> Bool {
        product == self.product && plan == billingPlan && offer.map { $0.remaining > 0 } ?? false
    }

    /// Returns the share of the period that remains at a moment, in thousandths of a percent.
    func remainingShare(at moment: Date) -> Int {
        Int((remainingFraction(at: moment) * Double(Refund.whole)).rounded())
    }

    /// Returns the fraction of the period that remains at a moment, from 0 to 1; that of its billing cycle if the
    /// period began within one, which began earlier.
    func remainingFraction(at moment: Date, since cycleStart: Date? = nil) -> Double {
        let start = cycleStart ?? start
        return end > start ? min(max(end.timeIntervalSince(moment) / end.timeIntervalSince(start), 0), 1) : 1
    }

    static func == (left: SubscriptionTerm, right: SubscriptionTerm) -> Bool {
        left === right
            || (left.product == right.product && left.start == right.start && left.cycle == right.cycle
                && left.offer == right.offer && left.original == right.original
                && left.originalDate == right.originalDate && left.commitment == right.commitment
                && left.bundle == right.bundle)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(original)
        hasher.combine(start)
    }
}
