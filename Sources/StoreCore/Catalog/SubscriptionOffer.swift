/// An offer that was granted to an account, with the terms at that time.
///
/// A class, since the events that contain it are copied often.
final class SubscriptionOffer: Hashable, Codable, Sendable {
    let kind: OfferKind
    let terms: StoreProduct.Offer
    /// The billing plan to which the offer applies; nil for payment up front.
    let plan: StoreProduct.BillingPlan?

    init(_ kind: OfferKind, _ terms: StoreProduct.Offer, plan: StoreProduct.BillingPlan? = nil) {
        self.kind = kind
        self.terms = terms
        self.plan = plan
    }

    convenience init(_ kind: OfferKind, _ offer: SandboxProduct.Offer) {
        self.init(kind, offer.terms, plan: offer.billingPlan == .upFront ? nil : offer.billingPlan)
    }

    static func == (left: SubscriptionOffer, right: SubscriptionOffer) -> Bool {
        left.kind == right.kind && left.terms == right.terms && left.plan == right.plan
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(terms.identifier)
    }
}

/// The kind of an offer of a subscription.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum OfferKind: String, Hashable, Codable, Sendable {
    /// An offer for first-time subscribers of the subscription group.
    case introductory
    /// An offer that the app makes by signing it.
    case promotional
    /// An offer that the user redeems with a code.
    case code
    /// An offer for lapsed subscribers.
    case winBack
}
