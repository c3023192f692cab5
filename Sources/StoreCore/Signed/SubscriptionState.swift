/// The state of a subscription, as Store Kit 2 and the App Store's servers number them.
public enum SubscriptionState: Int, Hashable, Codable, Sendable {
    /// The running period is paid for.
    case subscribed = 1
    /// The last period is over, and nothing more is collected.
    case expired = 2
    /// The last renewal could not be charged and is tried again; there is no access.
    case inBillingRetryPeriod = 3
    /// The last renewal could not be charged, and there is access for a while nevertheless.
    case inGracePeriod = 4
    /// The running period was refunded, or is no longer shared by the family.
    case revoked = 5

    /// Whether the account may use the subscription.
    public var isEntitled: Bool { self == .subscribed || self == .inGracePeriod }

    /// Creates the state that a subscription's newest transaction and its renewal say, as of their signing.
    public init(transaction: TransactionPayload, renewal: RenewalPayload) {
        if transaction.revocationDate != nil {
            self = .revoked
        } else if transaction.isUpgraded == true {
            // What took its place was deleted.
            self = .expired
        } else if renewal.isInBillingRetryPeriod == true {
            self =
                renewal.gracePeriodExpiresDate.map { $0 > renewal.signedDate } == true
                ? .inGracePeriod : .inBillingRetryPeriod
        } else if let end = transaction.expiresDate, end > renewal.signedDate {
            self = .subscribed
        } else {
            self = .expired
        }
    }
}
