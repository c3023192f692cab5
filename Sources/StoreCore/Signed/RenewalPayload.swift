import Foundation

/// The signed information about a subscription's renewal, in the form used by Store Kit 2 and the App Store's servers.
///
/// Each property has its key's name in JSON.
public struct RenewalPayload: JWSPayload {
    /// The identifier of the subscription's first transaction.
    public var originalTransactionId: String
    /// The product of the current or, if the subscription has ended, the last period.
    public var productId: String
    /// The product of the next period; if renewal is off, the one that would renew if it were turned on.
    public var autoRenewProductId: String
    /// Whether the subscription will renew.
    public var autoRenewStatus: AutoRenewStatus
    /// The date of the next renewal: the end of the newest period, even if it is in the past.
    public var renewalDate: PayloadDate?
    /// The price of the next period, in thousandths of the currency's unit; nil if there is no next period.
    public var renewalPrice: Int64?
    /// The currency of the ``renewalPrice``, in ISO 4217; nil without a price.
    public var currency: String?
    /// The reason why the subscription has expired or is not paid for; nil while it is paid for, and if it was revoked.
    public var expirationIntent: ExpirationIntent?
    /// Whether the store is retrying a failed charge for a renewal, which includes the grace period; nil counts as
    /// false.
    public var isInBillingRetryPeriod: Bool?
    /// The end of the grace period; nil if there is none.
    public var gracePeriodExpiresDate: PayloadDate?
    /// The state of a price increase that needs the user's consent; nil if there is none.
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// The kind of the offer that applies to the next period; nil if none does.
    public var offerType: TransactionPayload.OfferType?
    /// The offer's identifier, or the reference name of a code's offer; nil for an introductory offer, and for none.
    public var offerIdentifier: String?
    /// The way in which the offer of the next period is paid; nil if there is none.
    public var offerDiscountType: TransactionPayload.OfferDiscountType?
    /// The whole length of the offer of the next period, in ISO 8601; nil if there is none.
    public var offerPeriod: String?
    /// The identifiers of the group's win-back offers for which the account is eligible; nil if there are none.
    ///
    /// In a ``SandboxStore``, their order is that of the products.
    public var eligibleWinBackOfferIds: [String]?
    /// The date since which the account counts as a subscriber.
    ///
    /// In a ``SandboxStore``, a gap of up to 60 days does not count as an interruption. For a member of the family, it is
    /// the date on which the subscription was first shared.
    public var recentSubscriptionStartDate: PayloadDate?
    /// The date of the signature.
    public var signedDate: PayloadDate
    /// The environment's name.
    public var environment: String
    /// The UUID of the app's user, set by the app in the last payment or later by its server, in lowercase; nil if
    /// there is none, and for a member of the family.
    public var appAccountToken: String?
    /// The identifier of the account within this app.
    public var appTransactionId: String?
    /// The billing plan of the next period; nil if there is no next period.
    public var renewalBillingPlanType: TransactionPayload.BillingPlanType?
    /// The renewal of the commitment to monthly payments that the current period is a part of; nil if there is none.
    public var commitmentInfo: CommitmentInfo?
    /// Whether the subscription leaves its bundle at the next renewal and renews by itself; nil if it does not.
    public var willUnbundle: Bool?
    /// The product of the bundle that the next period comes with; nil for a subscription that renews by itself.
    public var bundleProductId: String?
    /// The first transaction of the bundle.
    public var bundleOriginalTransactionId: String?
    /// The bundle's subscription group.
    public var bundleSubscriptionGroupIdentifier: String?
    /// The information about a renewal by a request of the Advanced Commerce API; nil for any other.
    public var advancedCommerceInfo: AdvancedCommerceInfo?
    /// The Base64 of a hash that binds the payload to one device; see ``JWSPayload/deviceVerification``.
    public var deviceVerification: String?
    /// The nonce of ``deviceVerification``, a UUID.
    public var deviceVerificationNonce: String?

    /// Creates the information about a subscription; all other properties can be set afterwards.
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

// The values of the properties above; each is an open set, to which the App Store may add others.
extension RenewalPayload {
    /// Whether a subscription will renew.
    public struct AutoRenewStatus: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The subscription will not renew.
        public static let off = AutoRenewStatus(rawValue: 0)
        /// The subscription will renew.
        public static let on = AutoRenewStatus(rawValue: 1)
    }

    /// The reason why a subscription has expired or is not paid for.
    public struct ExpirationIntent: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The customer turned renewal off.
        public static let customerCanceled = ExpirationIntent(rawValue: 1)
        /// The charge for the renewal failed.
        public static let billingError = ExpirationIntent(rawValue: 2)
        /// The customer did not consent to a price increase.
        public static let didNotConsentToPriceIncrease = ExpirationIntent(rawValue: 3)
        /// The product was no longer on sale.
        public static let productUnavailable = ExpirationIntent(rawValue: 4)
        /// Any other reason, such as a renewal limit of the store.
        public static let other = ExpirationIntent(rawValue: 5)
        /// The customer left the bundle that included the subscription.
        ///
        /// The number is this library's choice: Apple does not publish its own.
        public static let unbundled = ExpirationIntent(rawValue: 6)
    }

    /// The renewal of a commitment to the monthly payments of a year.
    ///
    /// Within a commitment, ``RenewalPayload/autoRenewStatus`` and the other properties of the renewal are those of the
    /// next payment, and these are what happens after the last one.
    public struct CommitmentInfo: Hashable, Codable, Sendable {
        /// The product that follows the commitment; if renewal is off, the one that would if it were turned on.
        public var commitmentAutoRenewProductId: String
        /// Whether the subscription renews at the end of the commitment.
        public var commitmentAutoRenewStatus: AutoRenewStatus
        /// The billing plan that follows the commitment.
        public var commitmentRenewalBillingPlanType: TransactionPayload.BillingPlanType
        /// The end of the commitment.
        public var commitmentRenewalDate: PayloadDate
        /// The first price after the commitment, in thousandths of the currency's unit; nil if there is none.
        public var commitmentRenewalPrice: Int64?

        /// Creates the information about the renewal of a commitment.
        public init(
            commitmentAutoRenewProductId: String,
            commitmentAutoRenewStatus: AutoRenewStatus,
            commitmentRenewalBillingPlanType: TransactionPayload.BillingPlanType,
            commitmentRenewalDate: PayloadDate,
            commitmentRenewalPrice: Int64?
        ) {
            self.commitmentAutoRenewProductId = commitmentAutoRenewProductId
            self.commitmentAutoRenewStatus = commitmentAutoRenewStatus
            self.commitmentRenewalBillingPlanType = commitmentRenewalBillingPlanType
            self.commitmentRenewalDate = commitmentRenewalDate
            self.commitmentRenewalPrice = commitmentRenewalPrice
        }
    }

    /// The state of a price increase that needs the user's consent.
    public struct PriceIncreaseStatus: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The customer was asked for consent and has not responded.
        public static let pending = PriceIncreaseStatus(rawValue: 0)
        /// The customer has consented.
        public static let agreed = PriceIncreaseStatus(rawValue: 1)
    }
}

/// An account's subscription in a group: the newest transaction and the renewal information, both signed.
public struct SignedSubscription: Sendable {
    /// The transaction that began the current or, if the subscription has ended, the last period.
    public let transaction: SignedValue<TransactionPayload>
    /// The renewal information.
    public let renewal: SignedValue<RenewalPayload>

    /// Creates a subscription from its transaction and renewal information.
    public init(transaction: SignedValue<TransactionPayload>, renewal: SignedValue<RenewalPayload>) {
        self.transaction = transaction
        self.renewal = renewal
    }

    /// The subscription's state at the time of the signature.
    public var state: SubscriptionState {
        SubscriptionState(transaction: transaction.content, renewal: renewal.content)
    }
}

/// The state of a subscription, with the raw values of Store Kit 2 and the App Store's servers.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum SubscriptionState: Int, Hashable, Codable, Sendable {
    /// The current period is paid for.
    case subscribed = 1
    /// The last period has ended, and the store does not try to charge any more.
    case expired = 2
    /// The last charge failed and is being retried; the account has no access.
    case inBillingRetryPeriod = 3
    /// The last charge failed and is being retried; for now, the account has access.
    case inGracePeriod = 4
    /// The current period was refunded, or is no longer shared by the family.
    case revoked = 5

    /// Whether the state entitles the account to use the subscription.
    public var isEntitled: Bool { self == .subscribed || self == .inGracePeriod }

    /// Creates the state described by the newest transaction and the renewal information, as of their signature.
    package init(transaction: TransactionPayload, renewal: RenewalPayload) {
        if transaction.revocationDate != nil {
            self = .revoked
        } else if transaction.isUpgraded == true {
            // The subscription was upgraded, but the transaction of the upgrade, which would be newer, was deleted.
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
