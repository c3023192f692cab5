import Foundation

/// The signed information about one transaction, as Store Kit 2 and the App Store's servers have it.
///
/// Each property has the name of its key. What a store cannot know is left out: commitments of several periods, and what
/// Advanced Commerce adds.
public struct TransactionPayload: JWSPayload {
    /// The transaction's identifier.
    public var transactionId: String
    /// The identifier of the first transaction of a subscription, or of the purchase that was restored; else
    /// ``transactionId``.
    public var originalTransactionId: String
    /// The identifier of a subscription's period, the same in each transaction that repeats or restores it.
    ///
    /// A ``SandboxStore`` gives it the identifier of the transaction that began the period, in receipts too; see
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
    /// The UUID that the app gave the payment for its user, in lowercase.
    ///
    /// In Store Kit 1 that is ``SKPayment/applicationUsername``, if it is a UUID. Absent from what the family shares.
    public var appAccountToken: String?
    /// Whether the account bought it or has it from its family.
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
    /// Whether another product of the group took the period's place before it was over; nil if none did.
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
    /// Whether the customer bought it or a subscription renewed.
    public var transactionReason: TransactionReason?
    /// The currency of the ``price``, ISO 4217.
    public var currency: String?
    /// The amount charged for the whole quantity, in thousandths of the currency's unit: 9.99 is 9990.
    ///
    /// Absent from what the family shares, which cost its holder nothing.
    public var price: Int64?
    /// The identifier of the account in this app.
    public var appTransactionId: String?
    /// The way in which a subscription is billed.
    public var billingPlanType: BillingPlanType?
    /// The Base64 of a hash that ties the payload to one device, see ``JWSPayload/deviceVerification``.
    public var deviceVerification: String?
    /// The UUID with which ``deviceVerification`` begins.
    public var deviceVerificationNonce: String?

    /// The date of the signature, ``signedDate``.
    public var signingDate: PayloadDate { signedDate }
    /// The environment's name, ``environment``.
    public var environmentName: String { environment }
}

// Outside of the type, which has an initializer for all values as well.
extension TransactionPayload {
    /// Creates the information about a purchase that is its own original; further values are set afterwards.
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
