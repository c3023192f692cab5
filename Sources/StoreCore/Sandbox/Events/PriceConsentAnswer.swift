/// A user's answer to a price increase.
public enum PriceConsentAnswer: String, Hashable, Codable, Sendable {
    /// The subscription continues at the new price.
    case agree
    /// The subscription will not renew.
    case decline
}
