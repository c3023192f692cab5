/// The effect of buying an auto-renewable product on the account's subscription in its group.
enum SubscriptionChange: Hashable, Codable, Sendable {
    /// A subscription begins: there was none, it had ended, or the new one replaces it at once.
    ///
    /// A stackable offer begins when the term's own is over.
    case begins(SubscriptionTerm, then: SubscriptionOffer? = nil)
    /// The running period continues, and then renews as this product, under an offer or none.
    case renewsAs(product: ProductIndex, SubscriptionTerm, offer: SubscriptionOffer? = nil)

    /// The period that the purchase belongs to.
    var term: SubscriptionTerm {
        switch self {
        case .begins(let term, _), .renewsAs(_, let term, _): term
        }
    }

    /// Whether the purchase belongs to the running period, which another one began.
    var continuesPeriod: Bool {
        switch self {
        case .begins: false
        case .renewsAs: true
        }
    }

    /// Whether the purchased product only begins at the renewal.
    var isDeferred: Bool {
        switch self {
        case .begins: false
        case .renewsAs(let product, let term, _): product != term.product
        }
    }
}
