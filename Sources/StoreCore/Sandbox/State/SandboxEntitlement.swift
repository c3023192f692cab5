import Foundation

/// Something that an account may use.
public struct SandboxEntitlement: Hashable, Codable, Sendable {
    /// The product that was paid for.
    public let productIdentifier: String
    /// When it ends unless it is paid for again; nil for what is bought for good.
    public let expirationDate: Date?
    /// The purchase that it rests on: of what is bought for good the first, of a subscription what it began with.
    public let transaction: String
    /// When it was bought, or when the subscription's running period began.
    public let since: Date
    /// Whether the last renewal could not be paid for, and the store grants access for a while nevertheless.
    public let isInGracePeriod: Bool
    /// The name of the account that paid for it and shares it with the family, nil for what is the account's own.
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
    /// What, and why, in one sentence.
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
