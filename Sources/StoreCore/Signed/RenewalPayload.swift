import Foundation

/// The signed information about a subscription's renewal, as Store Kit 2 and the App Store's servers have it.
///
/// Each property has the name of its key. Properties that a store cannot know are left out: commitments of several periods,
/// and those of Advanced Commerce.
public struct RenewalPayload: JWSPayload {
    /// The first transaction of the subscription.
    public var originalTransactionId: String
    /// The product of the running period, or of the last one.
    public var productId: String
    /// The product of the next period, or the product it would have if renewal were on.
    public var autoRenewProductId: String
    /// Whether the subscription will renew.
    public var autoRenewStatus: AutoRenewStatus
    /// The date of the next renewal: the end of the newest period, which may be in the past.
    public var renewalDate: PayloadDate?
    /// The price of the next period, in thousandths of the currency's unit; absent if there is none.
    public var renewalPrice: Int64?
    /// The currency of the ``renewalPrice``, ISO 4217.
    public var currency: String?
    /// The reason why the subscription has expired or is not paid for.
    public var expirationIntent: ExpirationIntent?
    /// Whether the store is retrying a renewal that could not be charged, also during the grace period.
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
    /// The win-back offers of the group that the account is eligible for; absent if there are none.
    ///
    /// A ``SandboxStore`` lists them in the order of the products.
    public var eligibleWinBackOfferIds: [String]?
    /// The date since which the account counts as a subscriber.
    public var recentSubscriptionStartDate: PayloadDate?
    /// The date of the signature.
    public var signedDate: PayloadDate
    /// The environment's name.
    public var environment: String
    /// The UUID that the app set in the last payment for its user, in lowercase.
    public var appAccountToken: String?
    /// The identifier of the account in this app.
    public var appTransactionId: String?
    /// The way in which the next period is billed.
    public var renewalBillingPlanType: TransactionPayload.BillingPlanType?
    /// The Base64 of a hash that ties the payload to one device; see ``JWSPayload/deviceVerification``.
    public var deviceVerification: String?
    /// The nonce of ``deviceVerification``, a UUID.
    public var deviceVerificationNonce: String?

    /// Creates the information about a subscription; other values are set afterwards.
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

// The values of a subscription's signed information: open sets, which a later App Store may extend.
extension RenewalPayload {
    /// Whether a subscription will renew.
    public struct AutoRenewStatus: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value, which may be one that is not listed here.
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
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The customer turned renewal off.
        public static let customerCanceled = ExpirationIntent(rawValue: 1)
        /// The renewal could not be charged.
        public static let billingError = ExpirationIntent(rawValue: 2)
        /// The customer did not consent to a price increase.
        public static let didNotConsentToPriceIncrease = ExpirationIntent(rawValue: 3)
        /// The product was no longer on sale.
        public static let productUnavailable = ExpirationIntent(rawValue: 4)
        /// Anything else, such as a store's renewal limit.
        public static let other = ExpirationIntent(rawValue: 5)
    }

    /// The state of a price increase that needs consent.
    public struct PriceIncreaseStatus: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The customer was asked and has not responded.
        public static let pending = PriceIncreaseStatus(rawValue: 0)
        /// The customer has consented.
        public static let agreed = PriceIncreaseStatus(rawValue: 1)
    }
}

/// An account's subscription in a group: its newest transaction and its renewal, signed.
public struct SignedSubscription: Sendable {
    /// The transaction that began the current period, or the last one.
    public let transaction: SignedValue<TransactionPayload>
    /// The renewal.
    public let renewal: SignedValue<RenewalPayload>

    /// Creates a subscription from its parts.
    public init(transaction: SignedValue<TransactionPayload>, renewal: SignedValue<RenewalPayload>) {
        self.transaction = transaction
        self.renewal = renewal
    }

    /// The subscription's state as of the signing.
    public var state: SubscriptionState {
        SubscriptionState(transaction: transaction.content, renewal: renewal.content)
    }
}

/// The state of a subscription, as Store Kit 2 and the App Store's servers number them.
public enum SubscriptionState: Int, Hashable, Codable, Sendable {
    /// The current period is paid for.
    case subscribed = 1
    /// The last period is over, and billing has stopped.
    case expired = 2
    /// The last renewal could not be charged and is being retried; there is no access.
    case inBillingRetryPeriod = 3
    /// The last renewal could not be charged, but access continues for now.
    case inGracePeriod = 4
    /// The current period was refunded, or is no longer shared by the family.
    case revoked = 5

    /// Whether the account may use the subscription.
    public var isEntitled: Bool { self == .subscribed || self == .inGracePeriod }

    /// Creates the state that a subscription's newest transaction and its renewal describe, as of their signing.
    public init(transaction: TransactionPayload, renewal: RenewalPayload) {
        if transaction.revocationDate != nil {
            self = .revoked
        } else if transaction.isUpgraded == true {
            // The transaction that replaced it was deleted.
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
