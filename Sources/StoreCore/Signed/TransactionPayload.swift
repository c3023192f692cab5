import Foundation

/// The signed information about one transaction, in the form used by Store Kit 2 and the App Store's servers.
///
/// Each property has its key's name in JSON.
public struct TransactionPayload: JWSPayload {
    /// The transaction's identifier.
    public var transactionId: String
    /// The identifier of a subscription's first transaction, or of the purchase that was restored.
    ///
    /// It equals ``transactionId`` for all other transactions.
    public var originalTransactionId: String
    /// The identifier of a subscription's period, shared by all transactions that repeat or restore it.
    ///
    /// In a ``SandboxStore``, it is the identifier of the transaction that began the period, also in receipts: see
    /// ``AppReceipt/Subscription/webOrderLineItemIdentifier``. Nil for a product that does not renew.
    public var webOrderLineItemId: String?
    /// The app's bundle identifier.
    public var bundleId: String
    /// The product identifier.
    public var productId: String
    /// The identifier of an auto-renewable product's subscription group; nil for any other product.
    public var subscriptionGroupIdentifier: String?
    /// The date of the transaction.
    public var purchaseDate: PayloadDate
    /// The date of the transaction ``originalTransactionId``.
    public var originalPurchaseDate: PayloadDate
    /// The end of an auto-renewable subscription's period; nil for any other product.
    public var expiresDate: PayloadDate?
    /// The quantity.
    public var quantity: Int
    /// The kind of the product.
    public var type: ProductType
    /// The UUID of the app's user, in lowercase; nil if there is none.
    ///
    /// The app sets it in the payment, and its server may replace it later. In Store Kit 1, it is the
    /// ``SKPayment/applicationUsername`` if that is a UUID. Nil in family-shared transactions.
    public var appAccountToken: String?
    /// Whether the account itself bought the product, or a member of its family.
    public var inAppOwnershipType: OwnershipType
    /// The date of the signature.
    public var signedDate: PayloadDate
    /// The date of the refund or of the end of sharing; nil if the transaction is valid.
    public var revocationDate: PayloadDate?
    /// The reason for the refund or the end of sharing; nil if the transaction is valid.
    public var revocationReason: RevocationReason?
    /// The kind of the revocation: a refund or the end of sharing; nil if the transaction is valid.
    public var revocationType: RevocationType?
    /// The refunded share of the price, in thousandths of a percent: 100000 is the whole price; nil without a refund.
    public var revocationPercentage: Int?
    /// Whether another product of the group replaced the subscription during the period; nil if none did.
    public var isUpgraded: Bool?
    /// The kind of the offer that applies to the period, or to the purchase of another product; nil if none applies.
    public var offerType: OfferType?
    /// The offer's identifier, or the reference name of a code's offer; nil for an introductory offer, and for none.
    public var offerIdentifier: String?
    /// The way in which the offer is paid; nil if none applies.
    public var offerDiscountType: OfferDiscountType?
    /// The whole length of the offer in ISO 8601, such as `P2M` for two months at a reduced price; nil for an offer
    /// without a length, and for none.
    public var offerPeriod: String?
    /// The environment's name.
    public var environment: String
    /// The country of the purchase, in ISO 3166-1 alpha-3; nil if it is unknown.
    public var storefront: String?
    /// The store's identifier of the storefront; nil if it is unknown.
    public var storefrontId: String?
    /// Whether the transaction is a purchase or the renewal of a subscription.
    public var transactionReason: TransactionReason?
    /// The currency of the ``price``, in ISO 4217; nil without a price.
    public var currency: String?
    /// The amount charged for the whole quantity, in thousandths of the currency's unit: 9.99 is 9990.
    ///
    /// Nil in family-shared transactions, whose holder pays nothing, and if the amount is unknown or does not fit 64
    /// bits.
    public var price: Int64?
    /// The identifier of the account within this app.
    public var appTransactionId: String?
    /// The billing plan of a subscription; nil for a product that does not renew.
    public var billingPlanType: BillingPlanType?
    /// The commitment to monthly payments that the period is a part of; nil if there is none.
    public var commitmentInfo: CommitmentInfo?
    /// The product of the bundle that the subscription's period came with; nil for a subscription by itself.
    public var bundleProductId: String?
    /// The bundle's transaction that the period came with; nil for a subscription by itself.
    public var bundleTransactionId: String?
    /// The first transaction of the bundle.
    public var bundleOriginalTransactionId: String?
    /// The bundle's subscription group.
    public var bundleSubscriptionGroupIdentifier: String?
    /// The original transaction of the subscription that this one replaced when the customer bought a bundle or left
    /// it; nil if it replaced none.
    ///
    /// For a member of a bundle it is that of the subscription by itself, for a subscription by itself the bundle's.
    public var previousOriginalTransactionId: String?
    /// The information about a purchase by a request of the Advanced Commerce API; nil for any other.
    public var advancedCommerceInfo: AdvancedCommerceInfo?
    /// The Base64 of a hash that binds the payload to one device; see ``JWSPayload/deviceVerification``.
    public var deviceVerification: String?
    /// The nonce of ``deviceVerification``, a UUID.
    public var deviceVerificationNonce: String?

    /// The date of the signature, ``signedDate``.
    public var signingDate: PayloadDate { signedDate }
    /// The environment's name, ``environment``.
    public var environmentName: String { environment }
}

// In an extension, so that the compiler still creates the memberwise initializer.
extension TransactionPayload {
    /// Creates the information about a first purchase; all other properties can be set afterwards.
    public init(
        transactionId: String,
        bundleId: String,
        productId: String,
        type: ProductType,
        quantity: Int = 1,
        purchaseDate: PayloadDate,
        environment: String,
        signedDate: PayloadDate
    ) {
        self.init(
            transactionId: transactionId,
            originalTransactionId: transactionId,
            bundleId: bundleId,
            productId: productId,
            purchaseDate: purchaseDate,
            originalPurchaseDate: purchaseDate,
            quantity: quantity,
            type: type,
            inAppOwnershipType: .purchased,
            signedDate: signedDate,
            environment: environment,
            transactionReason: .purchase
        )
    }
}

// The values of the properties above; each is an open set, to which the App Store may add others.
extension TransactionPayload {
    /// The kind of a product.
    public struct ProductType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Used up by the app, after which it can be bought again.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Bought once, and valid forever.
        ///
        /// Also used for free subscriptions, for which the App Store has no value.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// A subscription whose duration the app determines.
        public static let nonRenewing = ProductType(rawValue: "Non-Renewing Subscription")
        /// A subscription that is charged again at the end of each period.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// Subscriptions that are sold together only, as one that is charged again at the end of each period.
        public static let subscriptionSuite = ProductType(rawValue: "Subscription Suite")
        /// A subscription that includes others, charged again at the end of each period.
        public static let subscriptionBundle = ProductType(rawValue: "Subscription Bundle")

        /// Whether the product is charged again at the end of each period.
        package var renews: Bool { self == .autoRenewable || self == .subscriptionSuite || self == .subscriptionBundle }
    }

    /// The relation of an account to a transaction.
    public struct OwnershipType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The account itself paid for the product.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// A member of the account's family paid for the product.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
    }

    /// The cause of a transaction.
    public struct TransactionReason: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer bought the product, or shares a family member's purchase.
        public static let purchase = TransactionReason(rawValue: "PURCHASE")
        /// A subscription renewed.
        public static let renewal = TransactionReason(rawValue: "RENEWAL")
    }

    /// The reason for a refund or the end of sharing.
    public struct RevocationReason: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Any other reason than a problem with the app.
        public static let other = RevocationReason(rawValue: 0)
        /// A problem with the app.
        public static let developerIssue = RevocationReason(rawValue: 1)
        /// The customer bought a bundle that includes the subscription.
        ///
        /// The number is this library's choice: Apple does not publish its own.
        public static let upgradedToBundle = RevocationReason(rawValue: 2)
    }

    /// The kind of a revocation.
    public struct RevocationType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The whole price was refunded.
        public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
        /// A part of the price was refunded; see ``SandboxStore/refund(_:percentage:reason:)``.
        public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
        /// The family no longer shares the purchase.
        public static let familyRevoke = RevocationType(rawValue: "FAMILY_REVOKE")
    }

    /// The kind of an offer.
    public struct OfferType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// An offer for first-time subscribers.
        public static let introductory = OfferType(rawValue: 1)
        /// An offer that the app makes by signing it.
        public static let promotional = OfferType(rawValue: 2)
        /// An offer that the user redeems with a code.
        public static let code = OfferType(rawValue: 3)
        /// An offer for lapsed subscribers.
        public static let winBack = OfferType(rawValue: 4)
    }

    /// The way in which an offer is paid.
    public struct OfferDiscountType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing is paid.
        public static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
        /// The reduced price is paid every period.
        public static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
        /// The reduced price is paid once, for all periods.
        public static let payUpFront = OfferDiscountType(rawValue: "PAY_UP_FRONT")
        /// The reduced price is paid once, for a product that does not renew.
        public static let oneTime = OfferDiscountType(rawValue: "ONE_TIME")
    }

    /// A billing plan: the way in which a subscription's period is paid.
    public struct BillingPlanType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value from a raw value, which need not be one of those below.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The whole period is paid at once.
        public static let upFront = BillingPlanType(rawValue: "BILLED_UPFRONT")
        /// A yearly subscription is paid monthly.
        public static let monthly = BillingPlanType(rawValue: "MONTHLY")
    }

    /// A commitment to the monthly payments of a year, as of one of its periods.
    public struct CommitmentInfo: Hashable, Codable, Sendable {
        /// The number of the period, counted from 1.
        public var billingPeriodNumber: Int
        /// The number of periods.
        public var totalBillingPeriods: Int
        /// The end of the last period.
        public var commitmentExpiresDate: PayloadDate
        /// The price of all periods, in thousandths of the currency's unit.
        public var commitmentPrice: Int64?

        /// Creates the information about a commitment.
        public init(
            billingPeriodNumber: Int,
            totalBillingPeriods: Int,
            commitmentExpiresDate: PayloadDate,
            commitmentPrice: Int64?
        ) {
            self.billingPeriodNumber = billingPeriodNumber
            self.totalBillingPeriods = totalBillingPeriods
            self.commitmentExpiresDate = commitmentExpiresDate
            self.commitmentPrice = commitmentPrice
        }
    }
}
