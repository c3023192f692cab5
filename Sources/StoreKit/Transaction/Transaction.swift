import Foundation
import StoreCore

/// A purchase of a product, a renewal of a subscription, or the restored or family-shared copy of either.
///
/// A transaction is a snapshot: later changes to a purchase, such as a refund, are in another value with the same
/// ``id``. Two transactions are equal if all properties are, ``signedDate`` included; their signatures may differ.
///
/// Each property's documentation names the value that it has if the store does not provide one.
public struct Transaction: Identifiable, Sendable, SignedInformation {
    let signed: SignedValue<TransactionPayload>
    /// The store that the transaction was read from and is finished in; nil for a value from another source.
    let origin: StoreOrigin?

    init(_ signed: SignedValue<TransactionPayload>, _ origin: StoreOrigin?) {
        self.signed = signed
        self.origin = origin
    }

    /// The JSON that the properties were read from: the payload of the JWS.
    ///
    /// An in-process store signs the value when this is first read.
    public var jsonRepresentation: Data { signed.json }

    /// The transaction's identifier, the same as Store Kit 1's `transactionIdentifier`; 0 if the store's is not a
    /// number.
    public var id: UInt64 { UInt64(payload.transactionId) ?? 0 }

    /// The identifier of the purchase that a subscription began with or that was restored; else the same as ``id``.
    ///
    /// It is 0 if the store's is not a number.
    public var originalID: UInt64 { UInt64(payload.originalTransactionId) ?? 0 }

    /// The identifier of a subscription's period, the same in each transaction that restores it; nil for other
    /// products.
    public var webOrderLineItemID: String? { payload.webOrderLineItemId }

    /// The product's identifier.
    public var productID: String { payload.productId }

    /// The product's kind.
    public var productType: Product.ProductType { Product.ProductType(rawValue: payload.type.rawValue) }

    /// The subscription group of an auto-renewable product; nil for other products.
    public var subscriptionGroupID: String? { payload.subscriptionGroupIdentifier }

    /// The app's bundle identifier.
    public var appBundleID: String { payload.bundleId }

    /// The quantity.
    public var purchasedQuantity: Int { payload.quantity }

    /// The date of the transaction.
    public var purchaseDate: Date { payload.purchaseDate.date }

    /// The date of the purchase that ``originalID`` identifies.
    public var originalPurchaseDate: Date { payload.originalPurchaseDate.date }

    /// The end of an auto-renewable subscription's period; nil for other products.
    public var expirationDate: Date? { payload.expiresDate?.date }

    /// Whether another subscription of the group replaced this one before its period was over.
    public var isUpgraded: Bool { payload.isUpgraded ?? false }

    /// The app's UUID for its user, set on the purchase; nil for none, and for a transaction shared by the family.
    public var appAccountToken: UUID? { UUID(payload: payload.appAccountToken) }

    /// The identifier that represents the account in this app; empty if the store does not report it.
    public var appTransactionID: String { payload.appTransactionId ?? "" }

    /// The environment in which the store signed.
    public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.environment) }

    /// The storefront of the purchase; its properties are empty if the store does not report it.
    public var storefront: Storefront {
        Storefront(countryCode: payload.storefront ?? "", id: payload.storefrontId ?? "")
    }

    /// The amount charged for the whole quantity; nil if the store does not report it, and if the family shares the
    /// purchase.
    public var price: Decimal? { payload.price.map { Decimal(thousandths: $0) } }

    /// The currency of the ``price``; nil if there is no price.
    public var currency: Locale.Currency? { payload.currency.map { Locale.Currency($0) } }

    /// The date of the signature.
    public var signedDate: Date { signed.payload.signedDate.date }

    /// The SHA-384 hash that binds the transaction to a device; empty if there is none.
    ///
    /// It is the hash of ``deviceVerificationNonce`` and ``AppStore/deviceVerificationID``, both in lowercase.
    public var deviceVerification: Data { deviceHash }

    /// The UUID with which the input of ``deviceVerification`` begins; all zeros if there is no hash.
    public var deviceVerificationNonce: UUID { deviceNonce }
}

extension Transaction: Hashable, CustomDebugStringConvertible {
    /// Returns whether two transactions have the same properties.
    public static func == (lhs: Transaction, rhs: Transaction) -> Bool { lhs.signed.payload == rhs.signed.payload }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(signed.payload) }

    /// The JSON of ``jsonRepresentation``.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}

// The terms of payment, and the relation to a bundle.
extension Transaction {
    /// The way in which the subscription is billed; nil if the store does not report it.
    public var billingPlanType: SubscriptionInfo.BillingPlanType? {
        payload.billingPlanType.map { SubscriptionInfo.BillingPlanType(rawValue: $0.rawValue) }
    }

    /// The commitment that the period is a part of; nil if the subscription is not paid monthly, and before the first of
    /// the payments, as in a free trial.
    public var commitmentInfo: CommitmentInfo? { payload.commitmentInfo.map(CommitmentInfo.init) }

    /// A subscriber's commitment to several billing periods.
    public struct CommitmentInfo: Equatable, Hashable, Sendable {
        /// The number of the transaction's period, counted from 1.
        public let billingPeriodNumber: UInt64
        /// The number of periods.
        public let totalBillingPeriods: UInt64
        /// The end of the last period.
        public let expirationDate: Date
        /// The price of all periods; 0 if the store does not report it.
        public let price: Decimal

        fileprivate init(_ commitment: TransactionPayload.CommitmentInfo) {
            billingPeriodNumber = UInt64(clamping: commitment.billingPeriodNumber)
            totalBillingPeriods = UInt64(clamping: commitment.totalBillingPeriods)
            expirationDate = commitment.commitmentExpiresDate.date
            price = Decimal(thousandths: commitment.commitmentPrice ?? 0)
        }
    }

    /// The original transaction of the subscription that this one replaced when the customer bought a bundle or left it;
    /// nil for none.
    ///
    /// For a member of a bundle it is that of the subscription by itself, for a subscription by itself the bundle's.
    public var previousOriginalTransactionID: UInt64? { payload.previousOriginalTransactionId.flatMap { UInt64($0) } }
    /// The product of the bundle that the subscription came with; nil for a subscription by itself.
    public var bundleProductID: String? { payload.bundleProductId }
    /// The transaction of the bundle that the subscription came with; nil for a subscription by itself.
    public var bundleTransactionID: String? { payload.bundleTransactionId }
    /// The transaction that the bundle began with; nil for a subscription by itself.
    public var bundleOriginalTransactionID: String? { payload.bundleOriginalTransactionId }
    /// The subscription group of the bundle; nil for a subscription by itself.
    public var bundleSubscriptionGroupID: String? { payload.bundleSubscriptionGroupIdentifier }
}

// Strings that predate the typed properties.
extension Transaction {
    /// The raw value of the ``environment``.
    @available(*, deprecated, renamed: "environment")
    public var environmentStringRepresentation: String { payload.environment }

    /// The raw value of the ``reason``.
    @available(*, deprecated, renamed: "reason")
    public var reasonStringRepresentation: String { reason.rawValue }

    /// The code of the ``currency``, ISO 4217.
    @available(*, deprecated, renamed: "currency.identifier")
    public var currencyCode: String? { payload.currency }

    /// The country of the ``storefront``, ISO 3166-1 alpha-3; empty if the store does not report it.
    @available(*, deprecated, renamed: "storefront")
    public var storefrontCountryCode: String { payload.storefront ?? "" }

    /// The kind of the ``offer``.
    @available(*, deprecated, renamed: "offer.type")
    public var offerType: OfferType? { payload.offerType.map { OfferType(rawValue: $0.rawValue) } }

    /// The identifier of the ``offer``.
    @available(*, deprecated, renamed: "offer.id")
    public var offerID: String? { payload.offerIdentifier }

    /// The raw value of the ``offer``'s payment mode.
    @available(*, deprecated, renamed: "offer.paymentMode.rawValue")
    public var offerPaymentModeStringRepresentation: String? { payload.offerDiscountType?.rawValue }

    /// The total length of the ``offer``, ISO 8601.
    @available(*, deprecated, renamed: "offer")
    public var offerPeriodStringRepresentation: String? { payload.offerPeriod }
}

extension Transaction {
    /// Whether the account bought the product, shares a family's purchase, or was assigned it.
    public var ownershipType: OwnershipType { OwnershipType(rawValue: payload.inAppOwnershipType.rawValue) }

    /// The relation of an account to a transaction.
    public struct OwnershipType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a relation, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The account paid for the product.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// A member of the account's family paid for the product.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
        /// An organization paid for the product and assigned it to the account.
        public static var assigned: OwnershipType { OwnershipType(rawValue: "ASSIGNED") }

        /// The relation in words, in English.
        public var localizedDescription: String {
            switch self {
            case .purchased: "Purchased"
            case .familyShared: "Shared by the family"
            case .assigned: "Assigned"
            default: "Unknown"
            }
        }
    }
}

extension Transaction {
    /// The cause of the transaction: ``Reason/purchase`` if the store does not report it.
    public var reason: Reason { payload.transactionReason.map { Reason(rawValue: $0.rawValue) } ?? .purchase }

    /// The cause of a transaction.
    public struct Reason: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a cause, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer bought the product, or shares the family's purchase of it.
        public static let purchase = Reason(rawValue: "PURCHASE")
        /// A subscription renewed.
        public static let renewal = Reason(rawValue: "RENEWAL")
    }
}

extension Transaction {
    /// The offer that applies to the transaction's period; nil for none.
    public var offer: Offer? {
        Offer(
            type: payload.offerType,
            identifier: payload.offerIdentifier,
            discount: payload.offerDiscountType,
            length: payload.offerPeriod
        )
    }

    /// An offer that was applied to a purchase or a renewal.
    public struct Offer: Equatable, Hashable, Sendable {
        /// The offer's identifier, or the reference name of an offer code; nil for an introductory offer.
        public let id: String?
        /// The kind of the offer.
        public let type: OfferType
        /// The way in which the offer is paid; nil if the store does not report it.
        public let paymentMode: PaymentMode?
        /// The total length of the offer, such as two months for two monthly periods; nil if the store does not report
        /// it.
        public let period: Product.SubscriptionPeriod?

        /// Creates an offer from a payload's values, nil if it has none.
        init?(
            type: TransactionPayload.OfferType?,
            identifier: String?,
            discount: TransactionPayload.OfferDiscountType?,
            length: String?
        ) {
            guard let type else { return nil }
            self.type = OfferType(rawValue: type.rawValue)
            id = identifier
            paymentMode = discount.map { PaymentMode(rawValue: $0.rawValue) }
            period = length.flatMap { StoreProduct.Period(iso8601: $0) }.map { Product.SubscriptionPeriod($0) }
        }

        /// A way in which an offer is paid.
        public struct PaymentMode: RawRepresentable, Equatable, Hashable, Sendable {
            /// The value in the payload.
            public let rawValue: String
            /// Creates a way to pay, which may be one that is not listed here.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// Nothing is paid.
            public static let freeTrial = PaymentMode(rawValue: "FREE_TRIAL")
            /// The price is paid every period.
            public static let payAsYouGo = PaymentMode(rawValue: "PAY_AS_YOU_GO")
            /// The price is paid once, for all periods.
            public static let payUpFront = PaymentMode(rawValue: "PAY_UP_FRONT")
            /// The price is paid once, for a product that is no subscription.
            public static var oneTime: PaymentMode { PaymentMode(rawValue: "ONE_TIME") }
        }
    }

    /// The kind of an offer.
    public struct OfferType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a kind, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// For first-time subscribers.
        public static let introductory = OfferType(rawValue: 1)
        /// For subscribers that the app chooses.
        public static let promotional = OfferType(rawValue: 2)
        /// For users who have a code.
        public static let code = OfferType(rawValue: 3)
        /// For lapsed subscribers.
        public static var winBack: OfferType { OfferType(rawValue: 4) }

        /// The kind in words, in English.
        public var localizedDescription: String {
            switch self {
            case .introductory: "Introductory offer"
            case .promotional: "Promotional offer"
            case .code: "Offer code"
            case .winBack: "Win-back offer"
            default: "Unknown"
            }
        }
    }
}
