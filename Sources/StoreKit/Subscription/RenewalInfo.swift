import Foundation
import StoreCore

extension Product.SubscriptionInfo {
    /// Information about the next renewal of a subscription, or about why there is none.
    ///
    /// A value is a snapshot. Two values are equal if all properties are, ``signedDate`` included. Each property's
    /// documentation names the value that it has if the store does not provide one.
    public struct RenewalInfo: Sendable, SignedInformation {
        let signed: SignedValue<RenewalPayload>

        init(_ signed: SignedValue<RenewalPayload>) { self.signed = signed }

        /// The JSON that the properties were read from: the payload of the JWS.
        ///
        /// An in-process store signs the value when this is first read.
        public var jsonRepresentation: Data { signed.json }

        /// The transaction that the subscription began with; 0 if the store's identifier is not a number.
        public var originalTransactionID: UInt64 { UInt64(payload.originalTransactionId) ?? 0 }

        /// The product of the current period, or of the last one.
        public var currentProductID: String { payload.productId }

        /// Whether the subscription will renew.
        ///
        /// True while monthly payments of a commitment remain, even after the user has turned auto-renewal off:
        /// ``commitmentInfo-swift.property`` says whether the commitment renews.
        public var willAutoRenew: Bool { payload.autoRenewStatus == .on }

        /// The product of the next period; nil if the subscription will not renew.
        public var autoRenewPreference: String? { willAutoRenew ? payload.autoRenewProductId : nil }

        /// The date of the next renewal: the end of the newest period, possibly past; nil if the store does not report
        /// it.
        public var renewalDate: Date? { payload.renewalDate?.date }

        /// The price of the next period, offers included; nil if there is none.
        public var renewalPrice: Decimal? { payload.renewalPrice.map { Decimal(thousandths: $0) } }

        /// The currency of the ``renewalPrice``; nil if the store does not report it.
        public var currency: Locale.Currency? { payload.currency.map { Locale.Currency($0) } }

        /// The offer that applies to the next period; nil for none.
        public var offer: Transaction.Offer? {
            Transaction.Offer(
                type: payload.offerType,
                identifier: payload.offerIdentifier,
                discount: payload.offerDiscountType,
                length: payload.offerPeriod
            )
        }

        /// The win-back offers that the account is eligible for; empty if there are none.
        public var eligibleWinBackOfferIDs: [String] { payload.eligibleWinBackOfferIds ?? [] }

        /// Whether the store retries a renewal that could not be charged, also during the grace period.
        public var isInBillingRetry: Bool { payload.isInBillingRetryPeriod ?? false }

        /// The end of the grace period; nil while there is none.
        public var gracePeriodExpirationDate: Date? { payload.gracePeriodExpiresDate?.date }

        /// The reason why the subscription has expired or is not paid for; nil if it is neither.
        public var expirationReason: ExpirationReason? {
            payload.expirationIntent.map { ExpirationReason(rawValue: $0.rawValue) }
        }

        /// The state of a price increase.
        public var priceIncreaseStatus: PriceIncreaseStatus { PriceIncreaseStatus(payload.priceIncreaseStatus) }

        /// The date since which the account counts as a subscriber; `Date.distantPast` if the store does not report it.
        public var recentSubscriptionStartDate: Date { payload.recentSubscriptionStartDate?.date ?? .distantPast }

        /// The UUID that the app set on the last purchase to identify its user; nil for none.
        public var appAccountToken: UUID? { UUID(payload: payload.appAccountToken) }

        /// The identifier that represents the account in this app; empty if the store does not report it.
        public var appTransactionID: String { payload.appTransactionId ?? "" }

        /// The environment in which the store signed.
        public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.environment) }

        /// The date of the signature.
        public var signedDate: Date { signed.payload.signedDate.date }

        /// The SHA-384 hash that binds the value to a device; empty if there is none.
        ///
        /// It is the hash of ``deviceVerificationNonce`` and ``AppStore/deviceVerificationID``, both in lowercase.
        public var deviceVerification: Data { deviceHash }

        /// The UUID with which the input of ``deviceVerification`` begins; all zeros if there is no hash.
        public var deviceVerificationNonce: UUID { deviceNonce }
    }
}

extension Product.SubscriptionInfo.RenewalInfo: Hashable, CustomDebugStringConvertible {
    /// Returns whether two values have the same properties.
    public static func == (lhs: Product.SubscriptionInfo.RenewalInfo, rhs: Product.SubscriptionInfo.RenewalInfo) -> Bool
    {
        lhs.signed.payload == rhs.signed.payload
    }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) { hasher.combine(signed.payload) }

    /// The JSON of ``jsonRepresentation``.
    public var debugDescription: String { String(decoding: jsonRepresentation, as: UTF8.self) }
}

// The terms of payment, and the relation to a bundle.
extension Product.SubscriptionInfo.RenewalInfo {
    /// The way in which the next period is billed; nil if the store does not report it.
    public var renewalBillingPlanType: SubscriptionInfo.BillingPlanType? {
        payload.renewalBillingPlanType.map { SubscriptionInfo.BillingPlanType(rawValue: $0.rawValue) }
    }

    /// The renewal of the commitment that the period is a part of; nil if there is none, and after its end.
    public var commitmentInfo: CommitmentInfo? { payload.commitmentInfo.map(CommitmentInfo.init) }

    /// The renewal of a subscriber's commitment to several billing periods.
    public struct CommitmentInfo: Equatable, Hashable, Sendable {
        /// Whether the commitment will renew.
        public let willAutoRenew: Bool
        /// The product that follows the commitment, or would if auto-renewal were on.
        public let autoRenewPreference: String
        /// The way in which that product is billed.
        public let renewalBillingPlanType: SubscriptionInfo.BillingPlanType
        /// The end of the commitment.
        public let renewalDate: Date
        /// The first price after the commitment; 0 if the store does not report it.
        public let renewalPrice: Decimal

        fileprivate init(_ commitment: RenewalPayload.CommitmentInfo) {
            willAutoRenew = commitment.commitmentAutoRenewStatus == .on
            autoRenewPreference = commitment.commitmentAutoRenewProductId
            renewalBillingPlanType = .init(rawValue: commitment.commitmentRenewalBillingPlanType.rawValue)
            renewalDate = commitment.commitmentRenewalDate.date
            renewalPrice = Decimal(thousandths: commitment.commitmentRenewalPrice ?? 0)
        }
    }

    /// Whether the subscription will leave its bundle at the next renewal, and renew by itself.
    public var willUnbundle: Bool { payload.willUnbundle ?? false }
    /// The product of the bundle that the next period comes with; nil for a subscription that renews by itself.
    public var bundleProductID: String? { payload.bundleProductId }
    /// The transaction that the bundle began with; nil for a subscription that renews by itself.
    public var bundleOriginalTransactionID: String? { payload.bundleOriginalTransactionId }
    /// The subscription group of the bundle; nil for a subscription that renews by itself.
    public var bundleSubscriptionGroupID: String? { payload.bundleSubscriptionGroupIdentifier }
}

// Strings that predate the typed properties.
extension Product.SubscriptionInfo.RenewalInfo {
    /// The raw value of the ``environment``.
    @available(*, deprecated, renamed: "environment")
    public var environmentStringRepresentation: String { payload.environment }

    /// The code of the ``currency``, ISO 4217.
    @available(*, deprecated, renamed: "currency.identifier")
    public var currencyCode: String? { payload.currency }

    /// The kind of the ``offer``.
    @available(*, deprecated, renamed: "offer.type")
    public var offerType: Transaction.OfferType? {
        payload.offerType.map { Transaction.OfferType(rawValue: $0.rawValue) }
    }

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

extension Product.SubscriptionInfo.RenewalInfo {
    /// A reason why a subscription has expired or is not paid for.
    public struct ExpirationReason: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a reason, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The user turned renewal off.
        public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
        /// The renewal could not be charged.
        public static let billingError = ExpirationReason(rawValue: 2)
        /// The user did not consent to a price increase.
        public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
        /// The product was no longer on sale.
        public static let productUnavailable = ExpirationReason(rawValue: 4)
        /// Anything else.
        public static let unknown = ExpirationReason(rawValue: 5)
        /// The subscription left its bundle.
        ///
        /// The number is this library's choice: Apple does not publish its own.
        public static var unbundled: ExpirationReason { ExpirationReason(rawValue: 6) }

        /// The reason in words, in English.
        public var localizedDescription: String {
            switch self {
            case .autoRenewDisabled: "Renewal turned off"
            case .billingError: "Billing error"
            case .didNotConsentToPriceIncrease: "Price increase not accepted"
            case .productUnavailable: "Product no longer on sale"
            case .unbundled: "Removed from a bundle"
            default: "Unknown"
            }
        }
    }
}

extension Product.SubscriptionInfo.RenewalInfo {
    /// The state of a price increase.
    @frozen public enum PriceIncreaseStatus: Equatable, Hashable, Sendable, BitwiseCopyable {
        /// No increase is pending, or the store does not report it.
        case noIncreasePending
        /// The user was asked for consent and has not answered.
        case pending
        /// The user consented, or was notified where no consent is needed.
        case agreed

        /// The state in words, in English.
        public var localizedDescription: String {
            switch self {
            case .noIncreasePending: "No price increase"
            case .pending: "Price increase awaits consent"
            case .agreed: "Price increase accepted"
            }
        }

        init(_ status: RenewalPayload.PriceIncreaseStatus?) {
            self =
                switch status {
                case .pending: .pending
                case .agreed: .agreed
                default: .noIncreasePending
                }
        }
    }
}

extension Product.SubscriptionInfo.RenewalInfo {
    /// The information about a subscription by a request of the Advanced Commerce API; nil for any other.
    public var advancedCommerceInfo: AdvancedCommerceInfo? {
        payload.advancedCommerceInfo.flatMap(AdvancedCommerceInfo.init)
    }

    /// Information about a subscription that a request of the Advanced Commerce API described.
    public struct AdvancedCommerceInfo: Equatable, Hashable, Sendable {
        /// The token for ordering changes to the subscription.
        public let consistencyToken: String
        /// The identifier of the request, chosen by the developer's server.
        public let requestReferenceID: String
        /// The code of the tax category.
        public let taxCode: String
        /// The subscription's name.
        public let displayName: String
        /// The subscription's description.
        public let description: String
        /// The subscription's period.
        public let period: SubscriptionPeriod
        /// The items of the next period.
        public let items: [Item]

        /// An item of a subscription.
        public struct Item: Equatable, Hashable, Sendable {
            /// The description of an item.
            public typealias Details = Transaction.AdvancedCommerceInfo.Item.Details

            /// The item itself.
            public let details: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.Details
            /// The increase of the item's price; nil for none.
            public let priceIncreaseInfo: PriceIncreaseInfo?

            /// An increase of an item's price.
            public struct PriceIncreaseInfo: Equatable, Hashable, Sendable {
                /// The new price.
                public let price: Decimal
                /// The items that the increase depends on.
                public let dependentSKUs: [String]
                /// The state of the increase.
                public let status: Status

                /// The state of a price increase.
                public struct Status: RawRepresentable, Equatable, Hashable, Sendable {
                    /// The value in the payload.
                    public let rawValue: String
                    /// Creates a state, which may be one that is not listed here.
                    public init(rawValue: String) { self.rawValue = rawValue }

                    /// The user consented.
                    public static let accepted = Status(rawValue: "ACCEPTED")
                    /// The user was asked for consent and has not answered.
                    public static let pending = Status(rawValue: "PENDING")
                    /// The user will be asked or notified later.
                    public static let scheduled = Status(rawValue: "SCHEDULED")
                }
            }
        }
    }
}

extension Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo {
    /// Returns nil for a period that is not in ISO 8601.
    init?(_ payload: RenewalPayload.AdvancedCommerceInfo) {
        guard let period = SubscriptionPeriod(iso8601: payload.period) else { return nil }
        self.init(
            consistencyToken: payload.consistencyToken,
            requestReferenceID: payload.requestReferenceId,
            taxCode: payload.taxCode,
            displayName: payload.descriptors.displayName,
            description: payload.descriptors.description,
            period: period,
            items: payload.items.map { item in
                Item(
                    details: Item.Details(
                        sku: item.SKU,
                        displayName: item.displayName,
                        description: item.description,
                        price: Decimal(thousandths: item.price),
                        offer: item.offer.flatMap(Transaction.AdvancedCommerceInfo.Offer.init),
                        partners: []
                    ),
                    priceIncreaseInfo: item.priceIncreaseInfo.map { increase in
                        .init(
                            price: Decimal(thousandths: increase.price),
                            dependentSKUs: increase.dependentSKUs ?? [],
                            status: .init(rawValue: increase.status)
                        )
                    }
                )
            }
        )
    }
}
