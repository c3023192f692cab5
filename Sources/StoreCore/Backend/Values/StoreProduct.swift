import Foundation

/// A product as a store describes it to one device: texts and prices in that device's language and currency.
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
    /// What the product is, for the user.
    public var localizedDescription: String { description.localizedDescription }
    /// The price of one, exact, in the currency of ``priceLocaleIdentifier``.
    public var price: Decimal { description.price }
    /// The locale that formats the price, with its currency: `en_US@currency=USD`.
    public var priceLocaleIdentifier: String { description.priceLocaleIdentifier }
    /// What makes it a subscription, nil for everything else.
    public var subscription: Subscription? { description.subscription }
    /// Whether the buyer's family may use it too.
    public var isFamilyShareable: Bool { description.isFamilyShareable }
    /// What the store hosts for it, nil where it hosts nothing.
    public var hostedContent: HostedContent? { description.hostedContent }

    /// Equal when all that the store says of them is equal.
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
        /// How many of them, at least 1.
        public var count: Int
        /// Makes a length of time.
        public init(_ count: Int, _ unit: Unit) {
            self.unit = unit
            self.count = count
        }
    }

    /// A reduced price for the first periods of a subscription, or for an offer.
    public struct Offer: Hashable, Codable, Sendable {
        /// How the reduced price is paid.
        ///
        /// Store Kit's modes, in its order.
        public enum PaymentMode: UInt8, Hashable, Codable, Sendable {
            /// The price every period.
            case payAsYouGo
            /// The price once.
            case payUpFront
            /// Nothing.
            case freeTrial
        }
        /// Names a promotional offer; nil for an introductory one.
        public var identifier: String?
        /// What is paid, in the product's currency.
        public var price: Decimal
        /// How it is paid.
        public var paymentMode: PaymentMode
        /// The offer's own period.
        public var period: Period
        /// How many of them the offer lasts.
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

    /// What a subscription has beside a product's description.
    public struct Subscription: Hashable, Codable, Sendable {
        /// How long one payment lasts.
        public var period: Period
        /// The group, one of whose products a user can be subscribed to; nil unless it renews by itself.
        public var groupIdentifier: String?
        /// The offer for first-time subscribers, whether or not this user may have it.
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
        /// Integers separated by periods.
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
    /// Reads a product as ``encode(to:)`` writes it.
    public init(from decoder: any Decoder) throws { description = try Description(from: decoder) }
    /// Writes all that the store says of the product, under the names of the properties.
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
