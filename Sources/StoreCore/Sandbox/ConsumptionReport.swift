import Foundation

/// A report on the consumption of a purchase, which an app's server sends when a refund is requested.
public struct ConsumptionReport: Hashable, Codable, Sendable {
    /// The transaction's identifier.
    public let transaction: String
    /// The date at which the store received the report.
    public let date: Date
    /// The JSON object as it was sent.
    public let json: Data
}
