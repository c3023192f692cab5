import Foundation

/// A store's description of a product for one device, with texts and prices in the device's language and currency.
///
/// Copies share one immutable description, so each costs only a reference.
public struct StoreProduct: Hashable, Sendable {
    private let description: Description

    /// Creates a product.
    public init(
        identifier: String,
        localizedTitle: String,
        localizedDescription: String,
        price: Decimal,
        priceLocaleIdentifier: String,
        subscription: Subscription? = nil,
        isFamilyShareable: Bool = false,
        hostedContent: HostedContent? = nil,
        kind: Kind? = nil,
        internalIdentifier: String? = nil,
        isAdvancedCommerce: Bool = false
    ) {
        description = Description(
            identifier: identifier,
            localizedTitle: localizedTitle,
            localizedDescription: localizedDescription,
            price: DecimalText(price),
            priceLocaleIdentifier: priceLocaleIdentifier,
            subscription: subscription,
            isFamilyShareable: isFamilyShareable,
            hostedContent: hostedContent,
            kind: kind,
            internalIdentifier: internalIdentifier,
            advancedCommerce: isAdvancedCommerce ? true : nil
        )
    }

    /// The product's identifier, on which the app and the store have agreed.
    public var identifier: String { description.identifier }
    /// The product's name, as shown to the user.
    public var localizedTitle: String { description.localizedTitle }
    /// The product's description, as shown to the user.
    public var localizedDescription: String { description.localizedDescription }
    /// The exact price of one item, in the currency of ``priceLocaleIdentifier``.
    public var price: Decimal { description.price.value }
    /// The locale that formats the price, with the currency, as in `en_US@currency=USD`.
    public var priceLocaleIdentifier: String { description.priceLocaleIdentifier }
    /// The subscription's terms; nil if the product is not a subscription.
    public var subscription: Subscription? { description.subscription }
    /// Whether the purchaser's family may also use the product.
    public var isFamilyShareable: Bool { description.isFamilyShareable }
    /// The files that the store hosts for the product; nil if there are none.
    public var hostedContent: HostedContent? { description.hostedContent }
    /// The kind of product; nil if the store does not say.
    public var kind: Kind? { description.kind }
    /// The store's internal identifier of the product, if it has one.
    public var internalIdentifier: String? { description.internalIdentifier }
    /// Whether the product is a generic one, which is sold by a signed request of the Advanced Commerce API.
    public var isAdvancedCommerce: Bool { description.advancedCommerce ?? false }

    /// Returns whether all fields are equal.
    public static func == (left: StoreProduct, right: StoreProduct) -> Bool {
        left.description === right.description || left.description.isEqual(to: right.description)
    }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

extension StoreProduct {
    /// The kind of a product.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
        /// Used up by the app, after which it can be bought again. Not restored.
        case consumable
        /// Bought once, for all devices of the user. Restored.
        case nonConsumable
        /// Charged again at the end of each period until the user turns renewal off. Restored.
        case autoRenewable
        /// A subscription whose duration the app determines. Bought like a consumable, and not restored.
        case nonRenewing
        /// A free subscription without an end, which a user takes out once. Restored.
        ///
        /// A sandbox store describes it to apps as a non-consumable, as which Store Kit 2 shows it.
        case freeSubscription
        /// Subscriptions that are sold together only, as one auto-renewable subscription. Restored.
        case subscriptionSuite
        /// An auto-renewable subscription that includes others, each of which is sold separately too. Restored.
        case subscriptionBundle

        /// Whether the product is charged again at the end of each period.
        package var renews: Bool {
            switch self {
            case .autoRenewable, .subscriptionSuite, .subscriptionBundle: true
            case .consumable, .nonConsumable, .nonRenewing, .freeSubscription: false
            }
        }
    }

    /// A length of time in calendar units, such as three months.
    public struct Period: Hashable, Codable, Sendable {
        /// The units, in the order of Store Kit's `SKProduct.PeriodUnit`.
        public enum Unit: UInt8, Hashable, Codable, Sendable, NamedInJSON {
            /// A day.
            case day
            /// A week of seven days.
            case week
            /// A month of the calendar.
            case month
            /// A year of the calendar.
            case year
        }
        /// The unit.
        public var unit: Unit
        /// The number of units, at least 1.
        public var count: Int
        /// Creates a length of time.
        public init(_ count: Int, _ unit: Unit) {
            self.unit = unit
            self.count = count
        }
    }

    /// A billing plan: the way in which a subscription's period is paid.
    public enum BillingPlan: String, Hashable, Codable, Sendable {
        /// The whole period is paid at once; every subscription offers this plan.
        case upFront
        /// A yearly subscription is paid monthly, with a commitment to twelve payments.
        ///
        /// Store Kit 1 cannot buy under this plan.
        case monthly
    }

    /// The prices of a subscription under a billing plan.
    public struct BillingTerms: Hashable, Codable, Sendable {
        /// The billing plan.
        public var plan: BillingPlan
        /// The price of one payment, in the product's currency.
        public var price: Decimal
        /// The price of the whole period.
        public var commitmentPrice: Decimal
        /// Creates the terms of a billing plan.
        public init(plan: BillingPlan, price: Decimal, commitmentPrice: Decimal) {
            self.plan = plan
            self.price = price
            self.commitmentPrice = commitmentPrice
        }
    }

    /// An offer of a subscription at a reduced price for some periods.
    public struct Offer: Hashable, Codable, Sendable {
        /// The way in which the reduced price is paid.
        ///
        /// The modes are in the order of Store Kit's `SKProductDiscount.PaymentMode`.
        public enum PaymentMode: UInt8, Hashable, Codable, Sendable, NamedInJSON {
            /// The reduced price is paid every period.
            case payAsYouGo
            /// The reduced price is paid once, for all periods.
            case payUpFront
            /// Nothing is paid.
            case freeTrial
        }
        /// The identifier of a promotional or win-back offer; nil for an introductory one.
        public var identifier: String?
        /// The reduced price, in the product's currency.
        public var price: Decimal
        /// The way in which the reduced price is paid.
        public var paymentMode: PaymentMode
        /// The period of the offer, which may differ from the subscription's.
        public var period: Period
        /// The number of periods that the offer lasts.
        public var periodCount: Int
        /// Creates an offer.
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

    /// The terms of a subscription.
    public struct Subscription: Hashable, Codable, Sendable {
        /// The period that one payment covers.
        public var period: Period
        /// The identifier of the group; nil for a product that does not renew.
        ///
        /// A user subscribes to one product of a group at a time.
        public var groupIdentifier: String?
        /// The offer for first-time subscribers, even if this user is not eligible.
        public var introductoryOffer: Offer?
        /// The promotional offers that the store has set up.
        public var promotionalOffers: [Offer]
        /// The level of service within the group; nil if unknown.
        ///
        /// 1 is the highest level. Products may share a level.
        public var groupLevel: Int?
        /// The group's name, as shown to the user, if it has one.
        public var groupName: String?
        /// The offers that the store has set up for lapsed subscribers, even if this user is not eligible.
        public var winBackOffers: [Offer]
        /// The billing plans that the store has set up; empty if there is only the product's price, paid up front.
        public var billingPlans: [BillingTerms]
        /// The offers for buyers who pay monthly; nil if there are none.
        ///
        /// All other offers are for buyers who pay up front.
        public var monthlyOffers: MonthlyOffers?
        /// The subscriptions that a bundle includes; empty for every other kind of product.
        public var bundledSubscriptions: [BundledSubscription] {
            get { bundled ?? [] }
            set { bundled = newValue.isEmpty ? nil : newValue }
        }
        /// Nil if empty, so that other products are encoded without it.
        private var bundled: [BundledSubscription]?
        /// Creates a subscription's terms.
        public init(
            period: Period,
            groupIdentifier: String?,
            introductoryOffer: Offer? = nil,
            promotionalOffers: [Offer] = [],
            groupLevel: Int? = nil,
            groupName: String? = nil,
            winBackOffers: [Offer] = [],
            billingPlans: [BillingTerms] = [],
            monthlyOffers: MonthlyOffers? = nil,
            bundledSubscriptions: [BundledSubscription] = []
        ) {
            self.period = period
            self.groupIdentifier = groupIdentifier
            self.introductoryOffer = introductoryOffer
            self.promotionalOffers = promotionalOffers
            self.groupLevel = groupLevel
            self.groupName = groupName
            self.winBackOffers = winBackOffers
            self.billingPlans = billingPlans
            self.monthlyOffers = monthlyOffers
            self.bundledSubscriptions = bundledSubscriptions
        }
    }

    /// The offers of a subscription for buyers who pay a year monthly.
    public struct MonthlyOffers: Hashable, Codable, Sendable {
        /// The offer for first-time subscribers, even if this user is not eligible.
        public var introductory: Offer?
        /// The promotional offers.
        public var promotional: [Offer]
        /// The offers for lapsed subscribers, even if this user is not eligible.
        public var winBack: [Offer]
        /// Creates a set of offers.
        public init(introductory: Offer? = nil, promotional: [Offer] = [], winBack: [Offer] = []) {
            self.introductory = introductory
            self.promotional = promotional
            self.winBack = winBack
        }
    }

    /// A subscription that a bundle includes, as it is sold separately.
    public struct BundledSubscription: Hashable, Codable, Sendable {
        /// The product's identifier.
        public let identifier: String
        /// The product's name, as shown to the user.
        public let localizedTitle: String
        /// The product's description, as shown to the user.
        public let localizedDescription: String
        private let priceText: DecimalText
        /// Whether the purchaser's family may also use the product.
        public let isFamilyShareable: Bool
        /// The identifier of the product's own subscription group.
        public let groupIdentifier: String
        /// The group's name, as shown to the user, if it has one.
        public let groupName: String?
        /// The level of service within the group.
        public let groupLevel: Int

        /// The exact price of one period of the product by itself, in the currency of the bundle.
        public var price: Decimal { priceText.value }

        /// Creates the description of a subscription in a bundle.
        public init(
            identifier: String,
            localizedTitle: String,
            localizedDescription: String,
            price: Decimal,
            isFamilyShareable: Bool = false,
            groupIdentifier: String,
            groupName: String? = nil,
            groupLevel: Int = 1
        ) {
            self.identifier = identifier
            self.localizedTitle = localizedTitle
            self.localizedDescription = localizedDescription
            priceText = DecimalText(price)
            self.isFamilyShareable = isFamilyShareable
            self.groupIdentifier = groupIdentifier
            self.groupName = groupName
            self.groupLevel = groupLevel
        }

        private enum CodingKeys: String, CodingKey {
            case identifier, localizedTitle, localizedDescription, isFamilyShareable, groupIdentifier, groupName
            case groupLevel
            case priceText = "price"
        }
    }

    /// Files that the store hosts for a product.
    public struct HostedContent: Hashable, Codable, Sendable {
        /// The version of the files: integers separated by periods.
        public var version: String
        /// The size of each file in bytes.
        public var lengths: [Int64]
        /// Creates a description of hosted files.
        public init(version: String, lengths: [Int64]) {
            self.version = version
            self.lengths = lengths
        }
    }
}

extension StoreProduct.Subscription {
    /// Decodes a subscription; absent fields have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            period: try container.decode(StoreProduct.Period.self, forKey: .period),
            groupIdentifier: try container.decodeIfPresent(String.self, forKey: .groupIdentifier),
            introductoryOffer: try container.decodeIfPresent(StoreProduct.Offer.self, forKey: .introductoryOffer),
            promotionalOffers: try container.decode([StoreProduct.Offer].self, forKey: .promotionalOffers),
            groupLevel: try container.decodeIfPresent(Int.self, forKey: .groupLevel),
            groupName: try container.decodeIfPresent(String.self, forKey: .groupName),
            winBackOffers: try container.decodeIfPresent([StoreProduct.Offer].self, forKey: .winBackOffers) ?? [],
            billingPlans: try container.decodeIfPresent([StoreProduct.BillingTerms].self, forKey: .billingPlans) ?? [],
            monthlyOffers: try container.decodeIfPresent(StoreProduct.MonthlyOffers.self, forKey: .monthlyOffers),
            bundledSubscriptions: try container.decodeIfPresent(
                [StoreProduct.BundledSubscription].self,
                forKey: .bundled
            ) ?? []
        )
    }
}

extension StoreProduct: Codable {
    /// Decodes a product as ``encode(to:)`` encodes it.
    public init(from decoder: any Decoder) throws { description = try Description(from: decoder) }
    /// Encodes all fields that are not nil, under the names of the properties.
    ///
    /// As exceptions, ``isAdvancedCommerce`` is `advancedCommerce`, and
    /// ``StoreProduct/Subscription/bundledSubscriptions`` is `bundled`; each is left out if it is false or empty.
    public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }

    private final class Description: Codable, Sendable {
        let identifier: String
        let localizedTitle: String
        let localizedDescription: String
        let price: DecimalText
        let priceLocaleIdentifier: String
        let subscription: Subscription?
        let isFamilyShareable: Bool
        let hostedContent: HostedContent?
        let kind: Kind?
        let internalIdentifier: String?
        /// True or nil, so that other products are encoded without it.
        let advancedCommerce: Bool?

        init(
            identifier: String,
            localizedTitle: String,
            localizedDescription: String,
            price: DecimalText,
            priceLocaleIdentifier: String,
            subscription: Subscription?,
            isFamilyShareable: Bool,
            hostedContent: HostedContent?,
            kind: Kind?,
            internalIdentifier: String?,
            advancedCommerce: Bool?
        ) {
            self.identifier = identifier
            self.localizedTitle = localizedTitle
            self.localizedDescription = localizedDescription
            self.price = price
            self.priceLocaleIdentifier = priceLocaleIdentifier
            self.subscription = subscription
            self.isFamilyShareable = isFamilyShareable
            self.hostedContent = hostedContent
            self.kind = kind
            self.internalIdentifier = internalIdentifier
            self.advancedCommerce = advancedCommerce
        }

        func isEqual(to other: Description) -> Bool {
            identifier.isExactly(other.identifier) && localizedTitle == other.localizedTitle
                && localizedDescription == other.localizedDescription && price == other.price
                && priceLocaleIdentifier == other.priceLocaleIdentifier && subscription == other.subscription
                && isFamilyShareable == other.isFamilyShareable && hostedContent == other.hostedContent
                && kind == other.kind && internalIdentifier == other.internalIdentifier
                && advancedCommerce == other.advancedCommerce
        }
    }
}

extension StoreProduct.Period {
    /// Creates a period from its ISO 8601 form: `P`, a number of one to four digits that is not 0, and a unit.
    ///
    /// Returns nil for any other text, such as a period with several units.
    package init?(iso8601 text: String) {
        var letters = text.utf8.makeIterator()
        guard letters.next() == UInt8(ascii: "P") else { return nil }
        var count = 0
        var unit: Unit?
        while unit == nil, count < 10_000, let letter = letters.next() {
            switch letter {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): count = count * 10 + Int(letter - UInt8(ascii: "0"))
            case UInt8(ascii: "D"): unit = .day
            case UInt8(ascii: "W"): unit = .week
            case UInt8(ascii: "M"): unit = .month
            case UInt8(ascii: "Y"): unit = .year
            default: return nil
            }
        }
        guard let unit, count > 0, letters.next() == nil else { return nil }
        self.init(count, unit)
    }

    /// The ISO 8601 form, as in `P3M`.
    package var iso8601: String {
        let letter =
            switch unit {
            case .day: "D"
            case .week: "W"
            case .month: "M"
            case .year: "Y"
            }
        return "P\(count)\(letter)"
    }
}

/// The result of a product look-up.
public struct ProductsAnswer: Hashable, Codable, Sendable {
    /// The products whose identifiers are sold, in the store's order, which ``SKProductsResponse`` preserves.
    public var products: [StoreProduct]
    /// The requested identifiers that are not sold, also in the store's order.
    public var invalidIdentifiers: [String]
    /// Creates a result.
    public init(products: [StoreProduct], invalidIdentifiers: [String] = []) {
        self.products = products
        self.invalidIdentifiers = invalidIdentifiers
    }
}

// Products as JSON: prices and sizes are encoded as text, units and modes by their names.
extension StoreProduct.Period.Unit {
    static let names = ["day", "week", "month", "year"]

    /// Decodes a unit from its name, or from a number as written by the first version.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeNamed() }

    /// Encodes the unit's name.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(nameOf: self) }
}

extension StoreProduct.Offer.PaymentMode {
    static let names = ["payAsYouGo", "payUpFront", "freeTrial"]

    /// Decodes a mode from its name, or from a number as written by the first version.
    public init(from decoder: any Decoder) throws { self = try decoder.decodeNamed() }

    /// Encodes the mode's name.
    public func encode(to encoder: any Encoder) throws { try encoder.encode(nameOf: self) }
}

extension StoreProduct.Offer {
    private enum CodingKeys: String, CodingKey { case identifier, price, paymentMode, period, periodCount }

    /// Decodes an offer, in which the price is text, or a number as written by the first version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try container.decodeIfPresent(String.self, forKey: .identifier),
            price: try container.decode(DecimalText.self, forKey: .price).value,
            paymentMode: try container.decode(PaymentMode.self, forKey: .paymentMode),
            period: try container.decode(StoreProduct.Period.self, forKey: .period),
            periodCount: try container.decode(Int.self, forKey: .periodCount)
        )
    }

    /// Encodes all parts; the price is encoded as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(identifier, forKey: .identifier)
        try container.encode(DecimalText(price), forKey: .price)
        try container.encode(paymentMode, forKey: .paymentMode)
        try container.encode(period, forKey: .period)
        try container.encode(periodCount, forKey: .periodCount)
    }
}

extension StoreProduct.BillingTerms {
    private enum CodingKeys: String, CodingKey { case plan, price, commitmentPrice }

    /// Decodes terms, in which prices are text, or numbers as written by the first version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            plan: try container.decode(StoreProduct.BillingPlan.self, forKey: .plan),
            price: try container.decode(DecimalText.self, forKey: .price).value,
            commitmentPrice: try container.decode(DecimalText.self, forKey: .commitmentPrice).value
        )
    }

    /// Encodes all parts; the prices are encoded as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(plan, forKey: .plan)
        try container.encode(DecimalText(price), forKey: .price)
        try container.encode(DecimalText(commitmentPrice), forKey: .commitmentPrice)
    }
}

extension StoreProduct.HostedContent {
    private enum CodingKeys: String, CodingKey { case version, lengths }

    /// Decodes a description of files.
    ///
    /// Each size is a string, or a number as written by the first version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try container.decode(String.self, forKey: .version),
            lengths: try container.decode([LongText].self, forKey: .lengths).map(\.value)
        )
    }

    /// Encodes all parts; the sizes are encoded as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(version, forKey: .version)
        try container.encode(lengths.map(LongText.init), forKey: .lengths)
    }
}

// The lengths of a subscription's period that App Store Connect offers, under Store Kit's names, and lengths by count.
extension StoreProduct.Period {
    /// One week.
    public static let weekly = Self(1, .week)
    /// One month.
    public static let monthly = Self(1, .month)
    /// One year.
    public static let yearly = Self(1, .year)
    /// Three days.
    public static let everyThreeDays = Self(3, .day)
    /// Two weeks.
    public static let everyTwoWeeks = Self(2, .week)
    /// Two months.
    public static let everyTwoMonths = Self(2, .month)
    /// Three months.
    public static let everyThreeMonths = Self(3, .month)
    /// Six months.
    public static let everySixMonths = Self(6, .month)

    /// Returns a number of days.
    public static func days(_ count: Int) -> Self { Self(count, .day) }
    /// Returns a number of weeks.
    public static func weeks(_ count: Int) -> Self { Self(count, .week) }
    /// Returns a number of months.
    public static func months(_ count: Int) -> Self { Self(count, .month) }
    /// Returns a number of years.
    public static func years(_ count: Int) -> Self { Self(count, .year) }
}
