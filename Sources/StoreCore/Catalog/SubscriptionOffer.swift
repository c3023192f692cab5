/// The kind of a subscription's offer.
public enum OfferKind: String, Hashable, Codable, Sendable {
    /// For first-time subscribers of the group.
    case introductory
    /// Made by the app, with a signature.
    case promotional
    /// Behind a code.
    case code
    /// For lapsed subscribers.
    case winBack
}

/// An offer that an account obtains, with its terms at that time.
///
/// It is a reference, because events are handed about.
final class SubscriptionOffer: Hashable, Codable, Sendable {
    let kind: OfferKind
    let terms: StoreProduct.Offer

    init(_ kind: OfferKind, _ terms: StoreProduct.Offer) {
        self.kind = kind
        self.terms = terms
    }

    static func == (left: SubscriptionOffer, right: SubscriptionOffer) -> Bool {
        left.kind == right.kind && left.terms == right.terms
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(terms.identifier)
    }
}
