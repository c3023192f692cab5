import Foundation

/// The signed information about a subscription's renewal, as Store Kit 2 and the App Store's servers have it.
///
/// Each property has the name of its key. What a store cannot know is left out: commitments of several periods, and what
/// Advanced Commerce adds.
public struct RenewalPayload: JWSPayload {
    /// The transaction that the subscription began with.
    public var originalTransactionId: String
    /// The product of the running period, or of the last one.
    public var productId: String
    /// The product of the next period; while renewal is off, what that would be.
    public var autoRenewProductId: String
    /// Whether the subscription will renew.
    public var autoRenewStatus: AutoRenewStatus
    /// The date of the next renewal: the end of the newest period, which may be past.
    public var renewalDate: PayloadDate?
    /// The price of the next period, in thousandths of the currency's unit; absent if there is none.
    public var renewalPrice: Int64?
    /// The currency of the ``renewalPrice``, ISO 4217.
    public var currency: String?
    /// The reason why the subscription has expired or is not paid for.
    public var expirationIntent: ExpirationIntent?
    /// Whether the store retries a renewal that could not be charged, also during the grace period.
    public var isInBillingRetryPeriod: Bool?
    /// The end of the grace period, while one runs.
    public var gracePeriodExpiresDate: PayloadDate?
    /// The state of a price increase that needs consent; absent where there is none.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// The kind of the offer that the next period is under.
    public var offerType: TransactionPayload.OfferType?
    /// The identifier of that offer, for a code its reference name; absent for an introductory offer.
    public var offerIdentifier: String?
    /// The way in which that offer is paid.
    public var offerDiscountType: TransactionPayload.OfferDiscountType?
    /// The whole length of that offer, ISO 8601.
    public var offerPeriod: String?
    /// The win-back offers of the group that the account is eligible for, absent if there are none.
    ///
    /// A ``SandboxStore`` has them in the order of the products.
    public var eligibleWinBackOfferIds: [String]?
    /// The date since which the account counts as a subscriber.
    public var recentSubscriptionStartDate: PayloadDate?
    /// The date of the signature.
    public var signedDate: PayloadDate
    /// The environment's name.
    public var environment: String
    /// The UUID that the app gave the last payment for its user, in lowercase.
    public var appAccountToken: String?
    /// The identifier of the account in this app.
    public var appTransactionId: String?
    /// The way in which the next period is billed.
    public var renewalBillingPlanType: TransactionPayload.BillingPlanType?
    /// The Base64 of a hash that ties the payload to one device, see ``JWSPayload/deviceVerification``.
    public var deviceVerification: String?
    /// The UUID with which ``deviceVerification`` begins.
    public var deviceVerificationNonce: String?

    /// Creates the information about a subscription; further values are set afterwards.
    public init(
        originalTransactionId: String,
        productId: String,
        autoRenewProductId: String,
        autoRenewStatus: AutoRenewStatus,
        environment: String,
        signedDate: PayloadDate
    ) {
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.autoRenewProductId = autoRenewProductId
        self.autoRenewStatus = autoRenewStatus
        self.environment = environment
        self.signedDate = signedDate
    }

    /// The date of the signature, ``signedDate``.
    public var signingDate: PayloadDate { signedDate }
    /// The environment's name, ``environment``.
    public var environmentName: String { environment }
}
