import Foundation

extension SandboxProduct {
    /// The properties of an auto-renewable subscription in addition to a product's description.
    public struct Subscription: Hashable, Codable, Sendable {
        /// The identifier of the group; a user can be subscribed to one of its products at a time.
        public var groupIdentifier: String
        /// The operator's name for the group, if it has one.
        ///
        /// Users see it where the group has no localization.
        public var groupName: String?
        /// The group's texts, one entry for each language, the operator's preferred one first.
        public var groupLocalizations: [Localization]
        /// The rank within the group: 1 is the highest level of service, equal numbers are equal levels.
        public var level: Int
        /// The length of one paid period.
        public var period: StoreProduct.Period
        /// The offers for first-time subscribers, at most one for each ``BillingPlan``.
        public var introductoryOffers: [Offer]
        /// The offers that the app may make, with a signature.
        ///
        /// Each has an identifier; of several with the same one, the first counts.
        public var promotionalOffers: [Offer]
        /// The offers that users redeem with the operator's codes.
        public var codeOffers: [CodeOffer]
        /// The offers for lapsed subscribers.
        ///
        /// Each has an identifier.
        public var winBackOffers: [WinBackOffer]
        /// The billing plans with their prices; empty for the product's price, up front.
        ///
        /// Products are described with them. The store sells up front only, at the product's price.
        public var billingPlans: [StoreProduct.BillingTerms]

        /// Creates a subscription.
        public init(
            groupIdentifier: String,
            level: Int = 1,
            period: StoreProduct.Period,
            introductoryOffers: [Offer] = [],
            promotionalOffers: [Offer] = [],
            codeOffers: [CodeOffer] = [],
            winBackOffers: [WinBackOffer] = [],
            groupName: String? = nil,
            groupLocalizations: [Localization] = [],
            billingPlans: [StoreProduct.BillingTerms] = []
        ) {
            self.groupIdentifier = groupIdentifier
            self.groupName = groupName
            self.groupLocalizations = groupLocalizations
            self.level = level
            self.period = period
            self.introductoryOffers = introductoryOffers
            self.promotionalOffers = promotionalOffers
            self.codeOffers = codeOffers
            self.winBackOffers = winBackOffers
            self.billingPlans = billingPlans
        }

        /// The introductory offer under the up-front billing plan: the only one that Store Kit 1 can show.
        var introductoryOffer: Offer? { introductoryOffers.first { $0.billingPlan == .upFront } }
    }

    /// A plan for the payment of a subscription's period.
    public typealias BillingPlan = StoreProduct.BillingPlan

    /// A reduced price for a limited time.
    public struct Offer: Hashable, Codable, Sendable {
        /// The price, payment mode and length.
        ///
        /// An introductory offer has no identifier; a code offer's is its reference name.
        public var terms: StoreProduct.Offer
        /// The operator's name for it.
        public var referenceName: String
        /// The billing plan that it is for.
        public var billingPlan: BillingPlan

        /// Creates an offer; without a reference name, its identifier is the reference name.
        public init(terms: StoreProduct.Offer, referenceName: String? = nil, billingPlan: BillingPlan = .upFront) {
            self.terms = terms
            self.referenceName = referenceName ?? terms.identifier ?? ""
            self.billingPlan = billingPlan
        }
    }

    /// The customers that a code is for.
    public struct Customers: OptionSet, Hashable, Codable, Sendable {
        /// The bits of the set.
        public let rawValue: Int
        /// Creates a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Customers who never subscribed.
        public static let new = Customers(rawValue: 1)
        /// Customers who are subscribed.
        public static let existing = Customers(rawValue: 2)
        /// Customers whose subscription has expired.
        public static let expired = Customers(rawValue: 4)
        /// All customers.
        public static let all: Customers = [.new, .existing, .expired]
    }

    /// An offer redeemed with a code.
    public struct CodeOffer: Hashable, Codable, Sendable {
        /// The offer.
        public var offer: Offer
        /// The customers who are eligible.
        public var eligibility: Customers
        /// Whether it may follow an introductory offer instead of replacing it.
        public var isStackable: Bool
        /// Creates an offer that is redeemed with a code.
        public init(_ offer: Offer, eligibility: Customers = .all, isStackable: Bool = false) {
            self.offer = offer
            self.eligibility = eligibility
            self.isStackable = isStackable
        }
    }

    /// An offer for lapsed subscribers.
    public struct WinBackOffer: Hashable, Codable, Sendable {
        /// The offer.
        public var offer: Offer
        /// Whether the sandbox's users are eligible for it once they have lapsed.
        public var isEligible: Bool
        /// Creates an offer for lapsed subscribers.
        public init(_ offer: Offer, isEligible: Bool = true) {
            self.offer = offer
            self.isEligible = isEligible
        }
    }
}

extension SandboxProduct.Subscription {
    /// Decodes a subscription; fields that an older ledger lacks have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        typealias Offer = SandboxProduct.Offer
        self.init(
            groupIdentifier: try container.decode(String.self, forKey: .groupIdentifier),
            level: try container.decode(Int.self, forKey: .level),
            period: try container.decode(StoreProduct.Period.self, forKey: .period),
            introductoryOffers: try container.decode([Offer].self, forKey: .introductoryOffers),
            promotionalOffers: try container.decode([Offer].self, forKey: .promotionalOffers),
            codeOffers: try container.decode([SandboxProduct.CodeOffer].self, forKey: .codeOffers),
            winBackOffers: try container.decode([SandboxProduct.WinBackOffer].self, forKey: .winBackOffers),
            groupName: try container.decodeIfPresent(String.self, forKey: .groupName),
            groupLocalizations: try container.decodeIfPresent(
                [SandboxProduct.Localization].self,
                forKey: .groupLocalizations
            ) ?? [],
            billingPlans: try container.decodeIfPresent([StoreProduct.BillingTerms].self, forKey: .billingPlans) ?? []
        )
    }
}

extension SandboxProduct.Offer {
    /// Creates a free trial.
    public static func freeTrial(_ period: StoreProduct.Period, identifier: String? = nil) -> Self {
        .init(terms: .init(identifier: identifier, price: 0, paymentMode: .freeTrial, period: period))
    }

    /// Creates an offer with a lower price for each of the first periods.
    ///
    /// - Parameters:
    ///   - price: the price of each period, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - period: the subscription's own period.
    ///   - count: the number of periods.
    ///   - identifier: the offer's identifier; nil for an introductory one.
    /// - Returns: the offer.
    public static func payAsYouGo(
        price: String,
        every period: StoreProduct.Period,
        times count: Int = 1,
        identifier: String? = nil
    ) -> Self {
        let price = ExactPrice.written(price, for: Self.name(identifier))
        return .payAsYouGo(decimalPrice: price, every: period, times: count, identifier: identifier)
    }

    /// Creates an offer with a lower, computed price for each of the first periods.
    public static func payAsYouGo(
        decimalPrice price: Decimal,
        every period: StoreProduct.Period,
        times count: Int = 1,
        identifier: String? = nil
    ) -> Self {
        let terms = StoreProduct.Offer(
            identifier: identifier,
            price: price,
            paymentMode: .payAsYouGo,
            period: period,
            periodCount: count
        )
        return .init(terms: terms)
    }

    /// Returns the name of an offer for use in a sentence.
    static func name(_ identifier: String?) -> String {
        identifier.map { "the offer \"\($0)\"" } ?? "an introductory offer"
    }

    /// Creates an offer with one price for its whole length, paid when it begins.
    ///
    /// - Parameters:
    ///   - price: the total price, as in `"8.99"`. Anything but digits and a point stops the process.
    ///   - period: the whole length.
    ///   - identifier: the offer's identifier; nil for an introductory one.
    /// - Returns: the offer.
    public static func payUpFront(
        price: String,
        for period: StoreProduct.Period,
        identifier: String? = nil
    ) -> Self {
        let price = ExactPrice.written(price, for: Self.name(identifier))
        return .payUpFront(decimalPrice: price, for: period, identifier: identifier)
    }

    /// Creates an offer with one computed price for its whole length, paid when it begins.
    public static func payUpFront(
        decimalPrice price: Decimal,
        for period: StoreProduct.Period,
        identifier: String? = nil
    ) -> Self {
        .init(terms: .init(identifier: identifier, price: price, paymentMode: .payUpFront, period: period))
    }
}

/// The kind of a subscription's offer.
public enum OfferKind: String, Hashable, Codable, Sendable {
    /// For first-time subscribers of the group.
    case introductory
    /// Made by the app, with a signature.
    case promotional
    /// Redeemed with a code.
    case code
    /// For lapsed subscribers.
    case winBack
}

/// An offer granted to an account, with its terms at that time.
///
/// A class, because events are passed around.
final class SubscriptionOffer: Hashable, Codable, Sendable {
    let kind: OfferKind
    let terms: StoreProduct.Offer

    init(_ kind: OfferKind, _ terms: StoreProduct.Offer) {
        self.kind = kind
        self.terms = terms
    }

    static func == (left: SubscriptionOffer, right: SubscriptionOffer) -> Bool {
        left.kind == right.kind && left.terms == right.terms
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(terms.identifier)
    }
}
