import Foundation

/// The signed information about one transaction, as Store Kit 2 and the App Store's servers have it.
///
/// Each property has the name of its key. Properties that a store cannot know are left out: commitments of several periods,
/// and those of Advanced Commerce.
public struct TransactionPayload: JWSPayload {
    /// The transaction's identifier.
    public var transactionId: String
    /// The identifier of the first transaction of a subscription, or of the purchase that was restored; otherwise
    /// ``transactionId``.
    public var originalTransactionId: String
    /// The identifier of a subscription's period, the same in each transaction that repeats or restores it.
    ///
    /// In a ``SandboxStore`` it is the identifier of the transaction that began the period, in receipts too; see
    /// ``TransactionReceipt/Subscription/webOrderLineItemIdentifier``.
    public var webOrderLineItemId: String?
    /// The app's bundle identifier.
    public var bundleId: String
    /// The product identifier.
    public var productId: String
    /// The subscription group of an auto-renewable product.
    public var subscriptionGroupIdentifier: String?
    /// The date of the transaction.
    public var purchaseDate: PayloadDate
    /// The date of ``originalTransactionId``.
    public var originalPurchaseDate: PayloadDate
    /// The first moment after an auto-renewable subscription's period.
    public var expiresDate: PayloadDate?
    /// The quantity.
    public var quantity: Int
    /// The kind of the product.
    public var type: ProductType
    /// The UUID that the app set in the payment for its user, in lowercase.
    ///
    /// In Store Kit 1 that is ``SKPayment/applicationUsername``, if it is a UUID. Absent from family-shared transactions.
    public var appAccountToken: String?
    /// Whether the account bought the product or shares it through its family.
    public var inAppOwnershipType: OwnershipType
    /// The date of the signature.
    public var signedDate: PayloadDate
    /// The date since which the transaction is refunded or no longer shared.
    public var revocationDate: PayloadDate?
    /// The reason for a refund or the end of sharing.
    public var revocationReason: RevocationReason?
    /// The kind of the revocation.
    public var revocationType: RevocationType?
    /// The part of the price that was refunded, in thousandths of a percent: 100000 is all of it.
    public var revocationPercentage: Int?
    /// Whether another product of the group replaced the subscription during the period; nil if none did.
    public var isUpgraded: Bool?
    /// The kind of the offer that the period is under.
    public var offerType: OfferType?
    /// The identifier of the offer, for a code its reference name; absent for an introductory offer.
    public var offerIdentifier: String?
    /// The way in which the offer is paid.
    public var offerDiscountType: OfferDiscountType?
    /// The whole length of the offer, ISO 8601: two months at a lower price are `P2M`.
    public var offerPeriod: String?
    /// The environment's name.
    public var environment: String
    /// The country of the purchase, ISO 3166-1 alpha-3.
    public var storefront: String?
    /// The store's identifier for the country.
    public var storefrontId: String?
    /// Whether the customer bought the product or a subscription renewed.
    public var transactionReason: TransactionReason?
    /// The currency of the ``price``, ISO 4217.
    public var currency: String?
    /// The amount charged for the whole quantity, in thousandths of the currency's unit: 9.99 is 9990.
    ///
    /// Absent from family-shared transactions, which cost their holder nothing.
    public var price: Int64?
    /// The identifier of the account in this app.
    public var appTransactionId: String?
    /// The way in which a subscription is billed.
    public var billingPlanType: BillingPlanType?
    /// The Base64 of a hash that ties the payload to one device; see ``JWSPayload/deviceVerification``.
    public var deviceVerification: String?
    /// The nonce of ``deviceVerification``, a UUID.
    public var deviceVerificationNonce: String?

    /// The date of the signature, ``signedDate``.
    public var signingDate: PayloadDate { signedDate }
    /// The environment's name, ``environment``.
    public var environmentName: String { environment }
}

// An extension, so that the type retains its memberwise initializer.
extension TransactionPayload {
    /// Creates the information about a purchase that is its own original; other values are set afterwards.
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

// The values of a transaction's signed information: open sets, which a later App Store may extend.
extension TransactionPayload {
    /// The kind of a product.
    public struct ProductType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Used up, and can be bought again.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Bought once.
        ///
        /// Also used for free subscriptions, which have no value of their own.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// A subscription whose duration the app decides.
        public static let nonRenewing = ProductType(rawValue: "Non-Renewing Subscription")
        /// A subscription that is charged again at the end of each period.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
    }

    /// The relation of an account to a transaction.
    public struct OwnershipType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The account paid for it.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// A member of its family paid for it.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
    }

    /// The cause of a transaction.
    public struct TransactionReason: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer bought it, or shares a family member's purchase.
        public static let purchase = TransactionReason(rawValue: "PURCHASE")
        /// A subscription renewed.
        public static let renewal = TransactionReason(rawValue: "RENEWAL")
    }

    /// The reason for a refund or the end of sharing.
    public struct RevocationReason: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Anything but a problem with the app.
        public static let other = RevocationReason(rawValue: 0)
        /// A problem with the app.
        public static let developerIssue = RevocationReason(rawValue: 1)
    }

    /// The kind of a revocation.
    public struct RevocationType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The whole price was refunded.
        public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
        /// Part of the price was refunded, which no sandbox store does.
        public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
        /// The family no longer shares it.
        public static let familyRevoke = RevocationType(rawValue: "FAMILY_REVOKE")
    }

    /// The kind of an offer.
    public struct OfferType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// For first-time subscribers.
        public static let introductory = OfferType(rawValue: 1)
        /// Made by the app.
        public static let promotional = OfferType(rawValue: 2)
        /// Redeemed with a code.
        public static let code = OfferType(rawValue: 3)
        /// For lapsed subscribers.
        public static let winBack = OfferType(rawValue: 4)
    }

    /// The way in which an offer is paid.
    public struct OfferDiscountType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Nothing is paid.
        public static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
        /// The price is paid every period.
        public static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
        /// The price is paid once.
        public static let payUpFront = OfferDiscountType(rawValue: "PAY_UP_FRONT")
    }

    /// The way in which a subscription is billed.
    public struct BillingPlanType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The whole period at once.
        public static let upFront = BillingPlanType(rawValue: "BILLED_UPFRONT")
        /// Monthly payments for a year, which no sandbox store sells.
        public static let monthly = BillingPlanType(rawValue: "MONTHLY")
    }
}
