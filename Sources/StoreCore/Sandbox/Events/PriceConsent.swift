import Foundation

/// How a question about a higher price stands.
public enum PriceConsent: String, Hashable, Codable, Sendable {
    /// The user was asked and has not answered.
    case pending
    /// They have agreed, and the next renewal costs it.
    case agreed
}

/// What a user says to a higher price.
public enum PriceConsentAnswer: String, Hashable, Codable, Sendable {
    /// The subscription goes on at the new price.
    case agree
    /// The subscription will not renew.
    case decline
}
