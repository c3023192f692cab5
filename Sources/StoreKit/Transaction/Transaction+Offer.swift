import StoreCore

extension Transaction {
    /// The offer that the transaction's period is under; nil for none.
    public var offer: Offer? {
        Offer(
            type: payload.offerType,
            identifier: payload.offerIdentifier,
            discount: payload.offerDiscountType,
            length: payload.offerPeriod
        )
    }

    /// An offer that was applied to a subscription.
    public struct Offer: Equatable, Hashable, Sendable {
        /// The offer's identifier, for a code its reference name; nil for an introductory offer.
        public let id: String?
        /// The kind of the offer.
        public let type: OfferType
        /// The way in which the offer is paid; nil if the store does not tell.
        public let paymentMode: PaymentMode?
        /// The whole length of the offer: two months at a lower price are two months; nil if the store does not tell.
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
