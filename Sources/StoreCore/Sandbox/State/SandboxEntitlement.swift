import Foundation

/// An entitlement of an account to a product.
public struct SandboxEntitlement: Hashable, Codable, Sendable {
    /// The purchased product's identifier.
    public let productIdentifier: String
    /// The end of access unless the subscription is renewed; nil for a non-consumable or a free subscription.
    ///
    /// In a grace period, this is the end of the grace period.
    public let expirationDate: Date?
    /// The transaction that grants access: the first purchase of the product or of the subscription.
    public let transaction: String
    /// The purchase date, or the start of the subscription's running period.
    public let startDate: Date
    /// Whether the last renewal could not be charged, and the store still grants access in a grace period.
    public let isInGracePeriod: Bool
    /// The name of the account that paid and shares the product with the family, nil for the account's own purchase.
    public let sharedBy: String?

    init(
        productIdentifier: String,
        expirationDate: Date?,
        transaction: String,
        startDate: Date,
        isInGracePeriod: Bool = false,
        sharedBy: String? = nil
    ) {
        self.productIdentifier = productIdentifier
        self.expirationDate = expirationDate
        self.transaction = transaction
        self.startDate = startDate
        self.isInGracePeriod = isInGracePeriod
        self.sharedBy = sharedBy
    }

    private enum CodingKeys: String, CodingKey {
        case productIdentifier, expirationDate, transaction
        case startDate = "since"
        case isInGracePeriod, sharedBy
    }
}

extension SandboxEntitlement: CustomStringConvertible {
    /// The product and the reason for its entitlement, in one sentence.
    public var description: String {
        let begin = startDate.universalText
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
