import Foundation

/// The state of a request to consent to a price increase.
public enum PriceConsent: String, Hashable, Codable, Sendable {
    /// The user was asked and has not answered.
    case pending
    /// The user has agreed, and the next renewal is charged at the new price.
    case agreed
}

/// A user's answer to a price increase.
public enum PriceConsentAnswer: String, Hashable, Codable, Sendable {
    /// The subscription continues at the new price from the next renewal on.
    case agree
    /// The subscription's renewal is turned off, and the request is withdrawn.
    case decline
}

/// A price increase that a subscriber has been asked to consent to.
struct PriceIncrease: Hashable, Codable, Sendable {
    /// The former price, charged until the subscriber consents; nil if the product's price is charged.
    var keptPrice: Decimal?
    /// The state of the request, nil if it was withdrawn or declined.
    var consent: PriceConsent?
}
