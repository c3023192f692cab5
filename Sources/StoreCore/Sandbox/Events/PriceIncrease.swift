import Foundation

/// A price that a subscriber has been asked to agree to.
struct PriceIncrease: Hashable, Codable, Sendable {
    /// What they go on paying without having agreed, nil for the product's price.
    var keptPrice: Decimal?
    /// How the question stands, nil where it was withdrawn or declined.
    var consent: PriceConsent?
}
