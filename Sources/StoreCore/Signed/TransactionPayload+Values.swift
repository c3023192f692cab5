// The values of a transaction's signed information: open sets, of which a later App Store may have more.
extension TransactionPayload {
    /// The kind of a product.
    public struct ProductType: RawRepresentable, Hashable, Codable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a value, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Used up, and bought again each time.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Bought once.
        ///
        /// A free subscription is one too, for which there is no value.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// Lasts for as long as the app decides.
        public static let nonRenewing = ProductType(rawValue: "Non-Renewing Subscription")
        /// Charged again at the end of each period.
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

        /// The customer bought it, or has it from the family since it was bought.
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
        /// A part of the price was refunded, which no sandbox store does.
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
        /// Behind a code.
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
        /// A year in monthly parts, which no sandbox store sells.
        public static let monthly = BillingPlanType(rawValue: "MONTHLY")
    }
}
