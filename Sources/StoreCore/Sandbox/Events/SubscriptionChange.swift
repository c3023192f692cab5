import Foundation

/// The effect of buying an auto-renewable product on the account's subscription in its group.
///
/// Indirect, so that an order of another product does not carry the space for it.
indirect enum SubscriptionChange: Hashable, Codable, Sendable {
    /// A subscription begins: for the first time, again after its end, or at once in place of the running one.
    ///
    /// `then` is a stackable offer, which begins when the term's own offer is over.
    case begins(SubscriptionTerm, then: SubscriptionOffer? = nil)
    /// The running period, or the commitment that it is a part of, continues; then the subscription renews as the
    /// product, with or without an offer, and under a billing plan, which is nil for payment up front.
    case renewsAs(
        product: ProductIndex,
        SubscriptionTerm,
        offer: SubscriptionOffer? = nil,
        plan: StoreProduct.BillingPlan? = nil
    )

    /// The period that the purchase belongs to.
    var term: SubscriptionTerm {
        switch self {
        case .begins(let term, _), .renewsAs(_, let term, _, _): term
        }
    }

    /// Whether the purchase belongs to the running period, which an earlier purchase began.
    var continuesPeriod: Bool {
        switch self {
        case .begins: false
        case .renewsAs: true
        }
    }

    /// Whether the purchased product or billing plan begins only at a later renewal.
    var isDeferred: Bool {
        switch self {
        case .begins: false
        case .renewsAs(let product, let term, _, let plan): product != term.product || plan != term.billingPlan
        }
    }
}
