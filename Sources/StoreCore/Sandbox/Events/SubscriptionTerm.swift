import Foundation

/// One period of an auto-renewable subscription, paid for at its beginning.
///
/// It holds all that the next one is computed from. A reference, because events are handed about.
final class SubscriptionTerm: Hashable, Codable, Sendable {
    /// The product's number in the catalog.
    let product: Int
    let start: Date
    /// Ends with this period.
    let cycle: BillingCycle
    /// The first moment that is not paid for.
    var end: Date { cycle.end }
    /// The offer that this period is under, nil for the full price.
    let offer: Offer?
    /// The transaction that the subscription began with.
    let original: Int
    let originalDate: Date

    struct Offer: Hashable, Codable, Sendable {
        let offer: SubscriptionOffer
        /// How many more periods are under it.
        let remaining: Int

        var kind: OfferKind { offer.kind }
        var terms: StoreProduct.Offer { offer.terms }

        /// The same offer, a period later.
        var next: Offer { Offer(offer: offer, remaining: remaining - 1) }

        /// The identifier of an offer of a kind, nil for one of another.
        func identifier(as kind: OfferKind) -> String? { kind == self.kind ? terms.identifier : nil }
    }

    init(
        product: Int,
        start: Date,
        cycle: BillingCycle,
        offer: Offer?,
        original: Int,
        originalDate: Date
    ) {
        self.product = product
        self.start = start
        self.cycle = cycle
        self.offer = offer
        self.original = original
        self.originalDate = originalDate
    }

    /// What is left of it when it is over sooner.
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

    /// The same for somebody who has it under a transaction of their own.
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

    /// Whether both are one period, be it under different transactions.
    func isSamePeriod(as other: SubscriptionTerm) -> Bool {
        product == other.product && start == other.start && end == other.end
    }

    /// Whether the next period, of a product, is under the same offer.
    func offerGoesOn(as product: Int) -> Bool { product == self.product && offer.map { $0.remaining > 0 } ?? false }

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

/// What a purchase of an auto-renewable product does to the account's subscription in its group.
enum SubscriptionChange: Hashable, Codable, Sendable {
    /// There was none, or it had ended, or the new one takes its place at once.
    ///
    /// An offer that may be stacked comes when the term's own is over.
    case begins(SubscriptionTerm, then: SubscriptionOffer? = nil)
    /// The running period goes on, and then renews as this product, under an offer or none.
    case renewsAs(product: Int, SubscriptionTerm, offer: SubscriptionOffer? = nil)

    /// The period that the purchase belongs to.
    var term: SubscriptionTerm {
        switch self {
        case .begins(let term, _), .renewsAs(_, let term, _): term
        }
    }

    /// Whether what was bought only begins at the renewal.
    var isDeferred: Bool {
        switch self {
        case .begins: false
        case .renewsAs(let product, let term, _): product != term.product
        }
    }
}

/// Why a subscription ended.
public enum SubscriptionEnd: String, Hashable, Codable, Sendable {
    /// The user had turned renewal off.
    case autoRenewDisabled
    /// What it renews as is not on sale any more.
    case productUnavailable
    /// A renewal could not be paid for, and the store has given up collecting.
    case billingError
    /// The user was asked to agree to a higher price and has not answered.
    case didNotConsentToPriceIncrease
    /// It has renewed as often as the store lets it, see ``SandboxStore/setRenewalLimit(_:)``.
    case renewalLimitReached
    /// The store took the running period back, paid back or deleted.
    case revoked
}
