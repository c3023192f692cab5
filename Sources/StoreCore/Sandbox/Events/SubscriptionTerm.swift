import Foundation

/// One period of an auto-renewable subscription, paid for at its beginning.
///
/// It holds all that the next term is computed from. It is a reference, because events are handed about.
final class SubscriptionTerm: Hashable, Codable, Sendable {
    let product: ProductIndex
    let start: Date
    /// The cycle that ends with this period.
    let cycle: BillingCycle
    /// The first moment that is not paid for.
    var end: Date { cycle.end }
    /// The offer that this period is under, nil for the full price.
    let offer: Offer?
    /// The transaction that the subscription began with.
    let original: TransactionNumber
    let originalDate: Date

    struct Offer: Hashable, Codable, Sendable {
        let offer: SubscriptionOffer
        /// The number of further periods under the offer.
        let remaining: Int

        var kind: OfferKind { offer.kind }
        var terms: StoreProduct.Offer { offer.terms }

        /// The same offer, one period later.
        var next: Offer { Offer(offer: offer, remaining: remaining - 1) }

        /// Returns the identifier of the offer if it is of a kind, nil for another kind.
        func identifier(as kind: OfferKind) -> String? { kind == self.kind ? terms.identifier : nil }
    }

    init(
        product: ProductIndex,
        start: Date,
        cycle: BillingCycle,
        offer: Offer?,
        original: TransactionNumber,
        originalDate: Date
    ) {
        self.product = product
        self.start = start
        self.cycle = cycle
        self.offer = offer
        self.original = original
        self.originalDate = originalDate
    }

    /// Returns the remainder of the term when it ends sooner.
    func cut(to end: Date, _ rate: RenewalRate) -> SubscriptionTerm {
        SubscriptionTerm(
            product: product,
            start: min(start, end),
            cycle: BillingCycle(from: end, at: rate),
            offer: offer,
            original: original,
            originalDate: originalDate
        )
    }

    /// Returns the same term for a holder who has it under a transaction of its own.
    func cut(as other: SubscriptionTerm) -> SubscriptionTerm {
        SubscriptionTerm(
            product: product,
            start: other.start,
            cycle: other.cycle,
            offer: offer,
            original: original,
            originalDate: originalDate
        )
    }

    /// Whether both are one period, even under different transactions.
    func isSamePeriod(as other: SubscriptionTerm) -> Bool {
        product == other.product && start == other.start && end == other.end
    }

    /// Whether the next period, of a product, is under the same offer.
    func offerGoesOn(as product: ProductIndex) -> Bool {
        product == self.product && offer.map { $0.remaining > 0 } ?? false
    }

    static func == (left: SubscriptionTerm, right: SubscriptionTerm) -> Bool {
        left === right
            || (left.product == right.product && left.start == right.start && left.cycle == right.cycle
                && left.offer == right.offer && left.original == right.original
                && left.originalDate == right.originalDate)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(original)
        hasher.combine(start)
    }
}
