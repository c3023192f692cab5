/// What kind of offer a subscription is under.
public enum OfferKind: String, Hashable, Codable, Sendable {
    /// For those who subscribe to the group for the first time.
    case introductory
    /// Made by the app, against a signature.
    case promotional
    /// Behind a code.
    case code
    /// For those who have left.
    case winBack
}

/// An offer that somebody gets, with its terms as they were then.
///
/// A reference, because events are handed about.
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
