/// The state of a request to consent to a price increase.
public enum PriceConsent: String, Hashable, Codable, Sendable {
    /// The user was asked and has not answered.
    case pending
    /// The user has agreed, and the next renewal is charged at the new price.
    case agreed
}
