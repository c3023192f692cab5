import Foundation

/// An entitlement of an account to a product.
public struct SandboxEntitlement: Hashable, Codable, Sendable {
    /// The purchased product.
    public let productIdentifier: String
    /// The end of access unless it is renewed; nil for a product bought for good.
    public let expirationDate: Date?
    /// The transaction that grants it: the first purchase of a product bought for good, the first of a subscription.
    public let transaction: String
    /// The purchase date, or the start of the subscription's running period.
    public let since: Date
    /// Whether the last renewal could not be charged, and the store grants access for a while nevertheless.
    public let isInGracePeriod: Bool
    /// The name of the account that paid for it and shares it with the family, nil for the account's own purchase.
    public let sharedBy: String?

    init(
        productIdentifier: String,
        expirationDate: Date?,
        transaction: String,
        since: Date,
        isInGracePeriod: Bool = false,
        sharedBy: String? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.expirationDate = expirationDate
        self.transaction = transaction
        self.since = since
        self.isInGracePeriod = isInGracePeriod
        self.sharedBy = sharedBy
    }
}

extension SandboxEntitlement: CustomStringConvertible {
    /// The product and the reason for its entitlement, in one sentence.
    public var description: String {
        let begin = since.universalText
        if let sharedBy {
            let end = expirationDate.map { " until \($0.universalText)" } ?? ""
            return "\(productIdentifier): shared by \(sharedBy) as #\(transaction)\(end)"
        }
        guard let expirationDate else { return "\(productIdentifier): bought for good on \(begin) as #\(transaction)" }
        let end = expirationDate.universalText
        if isInGracePeriod {
            return """
                \(productIdentifier): subscribed as #\(transaction), \
                the last renewal could not be paid for, grace until \(end)
                """
        }
        return "\(productIdentifier): subscribed as #\(transaction), the period from \(begin) to \(end) is paid for"
    }
}
