/// The reason why a subscription ended.
public enum SubscriptionEnd: String, Hashable, Codable, Sendable {
    /// The user had turned renewal off.
    case autoRenewDisabled
    /// The product that it renews as is no longer on sale.
    case productUnavailable
    /// A renewal could not be charged, and billing retry is over.
    case billingError
    /// The user was asked to consent to a price increase and has not answered.
    case didNotConsentToPriceIncrease
    /// The renewal limit is reached, see ``SandboxStore/setRenewalLimit(_:)``.
    case renewalLimitReached
    /// The running period was revoked, by a refund or a deletion.
    case revoked
}
