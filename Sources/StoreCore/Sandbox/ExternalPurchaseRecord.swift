import Foundation

/// A token for purchases outside of the store, with its account and the status that was reported on it.
public struct ExternalPurchaseRecord: Hashable, Sendable {
    /// The token.
    public let token: ExternalPurchaseToken
    /// The name of the account.
    public let account: String
    /// The name of the device whose app requested the token.
    public let device: String
    /// The status in the last report, as in `LINE_ITEM`; nil without a report.
    public let status: String?
}

/// A server's report on what was bought with an external purchase token.
public struct ExternalPurchaseReport: Hashable, Sendable {
    /// The server's identifier of the report, in lowercase.
    public let requestIdentifier: String
    /// The token's identifier.
    public let externalPurchaseId: String
    /// The status of the token, as in `LINE_ITEM`.
    public let status: String
    /// The date at which the store received the report.
    public let date: Date
    /// The report as it was sent.
    public let json: Data
}
