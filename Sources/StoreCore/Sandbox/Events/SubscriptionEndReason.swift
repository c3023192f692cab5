/// The reason why a subscription ended.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum SubscriptionEndReason: String, Hashable, Codable, Sendable {
    /// Renewal was off at the end of the period, or the operator expired the subscription.
    ///
    /// The user had turned it off, or declined a price increase.
    case autoRenewDisabled
    /// The product that the subscription was to renew as was not on sale.
    case productUnavailable
    /// A renewal could not be charged, and billing retry is over.
    ///
    /// Also the reason if a member of a bundle that was to go on by itself could not be charged, or if its account has
    /// bought the bundle in billing retry.
    case billingError
    /// The user was asked to consent to a price increase and had not answered by the end of the period.
    case didNotConsentToPriceIncrease
    /// The renewal limit is reached, see ``SandboxStore/setRenewalLimit(_:)``.
    case renewalLimitReached
    /// The newest period was revoked, by a refund or a deletion.
    case revoked
    /// The bundle that included the subscription has ended since its renewal was off, or no longer includes it.
    case unbundled
}
