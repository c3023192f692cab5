import Foundation

/// A store's description of a product for one device: texts and prices in that device's language and currency.
///
/// Copies share one immutable description, so handing out a hundred thousand costs a reference each.
public struct StoreProduct: Hashable, Sendable {
    private let description: Description

    /// Describes a product.
    public init(
        identifier: String,
        localizedTitle: String,
        localizedDescription: String,
        price: Decimal,
        priceLocaleIdentifier: String,
        subscription: Subscription? = nil,
        isFamilyShareable: Bool = false,
        hostedContent: HostedContent? = nil
    ) {
        description = Description(
            identifier: identifier,
            localizedTitle: localizedTitle,
            localizedDescription: localizedDescription,
            price: price,
            priceLocaleIdentifier: priceLocaleIdentifier,
            subscription: subscription,
            isFamilyShareable: isFamilyShareable,
            hostedContent: hostedContent
        )
    }

    /// The identifier agreed with the store.
    public var identifier: String { description.identifier }
    /// The product's name for the user.
    public var localizedTitle: String { description.localizedTitle }
    /// The product's description for the user.
    public var localizedDescription: String { description.localizedDescription }
    /// The price of one, exact, in the currency of ``priceLocaleIdentifier``.
    public var price: Decimal { description.price }
    /// The locale that formats the price, with its currency: `en_US@currency=USD`.
    public var priceLocaleIdentifier: String { description.priceLocaleIdentifier }
    /// The subscription's terms, nil for a product of another kind.
    public var subscription: Subscription? { description.subscription }
    /// Whether the purchaser's family may use it too.
    public var isFamilyShareable: Bool { description.isFamilyShareable }
    /// The files that the store hosts for it, nil where it hosts none.
    public var hostedContent: HostedContent? { description.hostedContent }

    /// Returns whether all fields are equal.
    public static func == (left: StoreProduct, right: StoreProduct) -> Bool {
        left.description === right.description || left.description.isEqual(to: right.description)
    }

    /// Hashes the identifier, which tells products apart.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

extension StoreProduct {
    /// A length of time in calendar units: three months is `month` × 3.
    public struct Period: Hashable, Codable, Sendable {
        /// Store Kit's units, in its order.
        public enum Unit: UInt8, Hashable, Codable, Sendable { case day, week, month, year }
        /// The unit.
        public var unit: Unit
        /// The number of units, at least 1.
        public var count: Int
        /// Makes a length of time.
        public init(_ count: Int, _ unit: Unit) {
            self.unit = unit
            self.count = count
        }
    }

    /// A reduced price for the first periods of a subscription, or for an offer.
    public struct Offer: Hashable, Codable, Sendable {
        /// The way in which the reduced price is paid.
        ///
        /// Store Kit's modes, in its order.
        public enum PaymentMode: UInt8, Hashable, Codable, Sendable {
            /// The price is paid every period.
            case payAsYouGo
            /// The price is paid once.
            case payUpFront
            /// Nothing is paid.
            case freeTrial
        }
        /// The identifier of a promotional offer; nil for an introductory one.
        public var identifier: String?
        /// The price, in the product's currency.
        public var price: Decimal
        /// The way in which the price is paid.
        public var paymentMode: PaymentMode
        /// The offer's own period.
        public var period: Period
        /// The number of periods that the offer lasts.
        public var periodCount: Int
        /// Describes an offer.
        public init(
            identifier: String? = nil,
            price: Decimal,
            paymentMode: PaymentMode,
            period: Period,
            periodCount: Int = 1
        ) {
            self.identifier = identifier
            self.price = price
            self.paymentMode = paymentMode
            self.period = period
            self.periodCount = periodCount
        }
    }

    /// The terms of a subscription, beside its product's description.
    public struct Subscription: Hashable, Codable, Sendable {
        /// The period that one payment covers.
        public var period: Period
        /// The subscription group, in which a user can subscribe to one product; nil unless the product renews
        /// automatically.
        public var groupIdentifier: String?
        /// The offer for first-time subscribers, whether or not this user is eligible.
        public var introductoryOffer: Offer?
        /// The promotional offers that are set up.
        public var promotionalOffers: [Offer]
        /// Describes a subscription.
        public init(
            period: Period,
            groupIdentifier: String?,
            introductoryOffer: Offer? = nil,
            promotionalOffers: [Offer] = []
        ) {
            self.period = period
            self.groupIdentifier = groupIdentifier
            self.introductoryOffer = introductoryOffer
            self.promotionalOffers = promotionalOffers
        }
    }

    /// Files that the store hosts for a product.
    public struct HostedContent: Hashable, Codable, Sendable {
        /// The version of the files, integers separated by periods.
        public var version: String
        /// The size of each file in bytes.
        public var lengths: [Int64]
        /// Describes hosted files.
        public init(version: String, lengths: [Int64]) {
            self.version = version
            self.lengths = lengths
        }
    }
}

extension StoreProduct: Codable {
    /// Decodes a product as ``encode(to:)`` encodes it.
    public init(from decoder: any Decoder) throws { description = try Description(from: decoder) }
    /// Encodes all fields, under the names of the properties.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }

    private final class Description: Codable, Sendable {
        let identifier: String
        let localizedTitle: String
        let localizedDescription: String
        let price: Decimal
        let priceLocaleIdentifier: String
        let subscription: Subscription?
        let isFamilyShareable: Bool
        let hostedContent: HostedContent?

        init(
            identifier: String,
            localizedTitle: String,
            localizedDescription: String,
            price: Decimal,
            priceLocaleIdentifier: String,
            subscription: Subscription?,
            isFamilyShareable: Bool,
            hostedContent: HostedContent?
        ) {
            self.identifier = identifier
            self.localizedTitle = localizedTitle
            self.localizedDescription = localizedDescription
            self.price = price
            self.priceLocaleIdentifier = priceLocaleIdentifier
            self.subscription = subscription
            self.isFamilyShareable = isFamilyShareable
            self.hostedContent = hostedContent
        }

        func isEqual(to other: Description) -> Bool {
            identifier.isExactly(other.identifier) && localizedTitle == other.localizedTitle
                && localizedDescription == other.localizedDescription && price == other.price
                && priceLocaleIdentifier == other.priceLocaleIdentifier && subscription == other.subscription
                && isFamilyShareable == other.isFamilyShareable && hostedContent == other.hostedContent
        }
    }
}
