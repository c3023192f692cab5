import Foundation
import StoreCore

extension Product {
    /// A reduced price for some periods of a subscription.
    public struct SubscriptionOffer: Equatable, Hashable, Sendable {
        /// The offer's identifier; nil for an introductory offer.
        public let id: String?
        /// The kind of the offer.
        public let type: OfferType
        /// The reduced price, in the product's currency.
        public let price: Decimal
        /// The reduced price as text, with the symbol of its currency.
        public let displayPrice: String
        /// The offer's own period.
        public let period: SubscriptionPeriod
        /// The number of periods that the offer lasts.
        public let periodCount: Int
        /// The way in which the price is paid.
        public let paymentMode: PaymentMode

        init(_ offer: StoreProduct.Offer, _ type: OfferType, of product: StoreProduct) {
            id = offer.identifier
            self.type = type
            price = offer.price
            displayPrice = product.priceFormatStyle.format(offer.price)
            period = SubscriptionPeriod(offer.period)
            periodCount = offer.periodCount
            paymentMode = PaymentMode(offer.paymentMode)
        }
    }
}

extension Product.SubscriptionOffer {
    /// The kind of an offer, an open set.
    public struct OfferType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String
        /// Creates a kind, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// For first-time subscribers.
        public static let introductory = OfferType(rawValue: "Introductory")
        /// Made by the app.
        public static let promotional = OfferType(rawValue: "Promotional")
        /// For lapsed subscribers.
        public static let winBack = OfferType(rawValue: "WinBack")

        /// The kind in English.
        public var localizedDescription: String { rawValue }
        /// The kind's name in a product's JSON.
        var catalogName: String { self == .introductory ? "IntroOffer" : "\(rawValue)Offer" }
    }

    /// A way in which an offer is paid, an open set.
    public struct PaymentMode: RawRepresentable, Equatable, Hashable, Sendable {
        /// The way's name.
        public let rawValue: String
        /// Creates a way to pay, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The price is paid every period.
        public static let payAsYouGo = PaymentMode(rawValue: "PayAsYouGo")
        /// The price is paid once, for all periods.
        public static let payUpFront = PaymentMode(rawValue: "PayUpFront")
        /// Nothing is paid.
        public static let freeTrial = PaymentMode(rawValue: "FreeTrial")

        /// The way in English.
        public var localizedDescription: String { rawValue }
        /// The way's name in a product's JSON.
        var catalogName: String { rawValue }

        init(_ mode: StoreProduct.Offer.PaymentMode) {
            switch mode {
            case .payAsYouGo: self = .payAsYouGo
            case .payUpFront: self = .payUpFront
            case .freeTrial: self = .freeTrial
            }
        }
    }

    /// The signature of a promotional offer, made by the app's server.
    @available(*, deprecated, message: "Sign offers as JWS, see promotionalOffer(_:compactJWS:)")
    public struct Signature: Equatable, Hashable, Sendable {
        /// The identifier of the key that signed.
        public var keyID: String
        /// A number used for one purchase only.
        public var nonce: UUID
        /// The time of signing, in milliseconds since 1970.
        public var timestamp: Int
        /// The signature, ECDSA in DER.
        public var signature: Data

        /// Creates a signature from the parts that the app's server sent.
        public init(keyID: String, nonce: UUID, timestamp: Int, signature: Data) {
            (self.keyID, self.nonce, self.timestamp, self.signature) = (keyID, nonce, timestamp, signature)
        }
    }
}
