import Foundation

/// A price increase that a subscriber has been asked to consent to.
struct PriceIncrease: Hashable, Codable, Sendable {
    /// The price charged without the subscriber's consent, nil for the product's price.
    var keptPrice: Decimal?
    /// The state of the request, nil where it was withdrawn or declined.
    var consent: PriceConsent?
}
