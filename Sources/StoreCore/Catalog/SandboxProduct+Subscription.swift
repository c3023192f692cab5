import Foundation

extension SandboxProduct {
    /// The properties that an auto-renewable subscription, a suite or a bundle has beside those of every product.
    public struct Subscription: Hashable, Codable, Sendable {
        /// The subscription group's identifier; a user subscribes to one product of a group at a time.
        public var groupIdentifier: String
        /// The operator's name for the subscription group, if it has one.
        ///
        /// Users see this name if the group has no localization.
        public var groupName: String?
        /// The group's localizations, one for each language, the operator's preferred one first.
        package var groupLocalizations: [Localization]
        /// The level of service within the group: 1 is the highest, and a larger number is a lower level.
        ///
        /// Several products may have the same level. A running subscription changes to a product of a higher level at
        /// once, and to one of a lower level at its renewal. In a `.storekit` file, this is `groupNumber`.
        public var level: Int
        /// The length of one paid period.
        public var period: StoreProduct.Period
        /// The offers for first-time subscribers, at most one for each ``BillingPlan``.
        public var introductoryOffers: [Offer]
        /// The offers that the app can make by signing them.
        ///
        /// Each has an identifier; of several offers with the same identifier, the first is used.
        public var promotionalOffers: [Offer]
        /// The offers that users redeem with the operator's codes.
        public var offerCodes: [CodeOffer]
        /// The offers for lapsed subscribers.
        ///
        /// Each has an identifier.
        public var winBackOffers: [WinBackOffer]
        /// The billing plans with their prices; empty if there is only the product's price, paid up front.
        ///
        /// A year is also sold in monthly payments if a plan is ``StoreProduct/BillingPlan/monthly``. Up front, it is
        /// sold at the product's price. A subscription of another length is not sold in monthly payments.
        public var billingPlans: [StoreProduct.BillingTerms]
        /// The identifiers of the auto-renewable subscriptions that a bundle includes, or of the parts of a suite.
        ///
        /// The members of a bundle are products of the store, each in a group of its own. The parts of a suite are not
        /// sold separately, and need not be products.
        public var members: [String] {
            get { memberList ?? [] }
            set { memberList = newValue.isEmpty ? nil : newValue }
        }
        /// Nil if empty, so that other subscriptions are encoded without it.
        private var memberList: [String]?

        private enum CodingKeys: String, CodingKey {
            case groupIdentifier, groupName, groupLocalizations, level, period, introductoryOffers, promotionalOffers
            case offerCodes = "codeOffers"
            case winBackOffers, billingPlans, memberList
        }

        /// Creates a subscription.
        package init(
            groupIdentifier: String,
            level: Int = 1,
            period: StoreProduct.Period,
            introductoryOffers: [Offer] = [],
            promotionalOffers: [Offer] = [],
            offerCodes: [CodeOffer] = [],
            winBackOffers: [WinBackOffer] = [],
            groupName: String? = nil,
            groupLocalizations: [Localization] = [],
            billingPlans: [StoreProduct.BillingTerms] = [],
            members: [String] = []
        ) {
            self.groupIdentifier = groupIdentifier
            self.groupName = groupName
            self.groupLocalizations = groupLocalizations
            self.level = level
            self.period = period
            self.introductoryOffers = introductoryOffers
            self.promotionalOffers = promotionalOffers
            self.offerCodes = offerCodes
            self.winBackOffers = winBackOffers
            self.billingPlans = billingPlans
            self.members = members
        }

        /// Returns the introductory offer under a billing plan.
        ///
        /// Store Kit 1 can show only the one that is paid up front.
        func introductoryOffer(_ plan: BillingPlan) -> Offer? { introductoryOffers.first { $0.billingPlan == plan } }
    }

    /// A billing plan: the way in which a subscription's period is paid.
    public typealias BillingPlan = StoreProduct.BillingPlan

    /// An offer of a subscription at a reduced price for a limited time.
    public struct Offer: Hashable, Codable, Sendable {
        /// The price, the payment mode and the length.
        ///
        /// In the terms, an introductory offer has no identifier, and a code offer's identifier is its reference name.
        public var terms: StoreProduct.Offer
        /// The operator's name for the offer.
        package var referenceName: String
        /// The billing plan to which the offer applies.
        public var billingPlan: BillingPlan

        /// Creates an offer; if it has no reference name, its identifier is used.
        public init(terms: StoreProduct.Offer, referenceName: String? = nil, billingPlan: BillingPlan = .upFront) {
            self.terms = terms
            self.referenceName = referenceName ?? terms.identifier ?? ""
            self.billingPlan = billingPlan
        }
    }

    /// A set of groups of customers, who are eligible for the offer behind a code.
    ///
    /// For the offer of a subscription, the groups depend on the customer's subscription in the subscription group. For
    /// the offer of any other product, they depend on the customer's last payment in the app: see
    /// ``SandboxProduct/redeemable(with:price:eligibility:file:line:)``.
    public struct Customers: OptionSet, Hashable, Codable, Sendable {
        /// The bits of the set.
        public let rawValue: Int
        /// Creates a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Customers who have never subscribed to the group.
        public static let new = Customers(rawValue: 1)
        /// Customers who are subscribed now, including those in a grace period or in billing retry.
        public static let existing = Customers(rawValue: 2)
        /// Customers whose subscription in the group has ended.
        public static let expired = Customers(rawValue: 4)
        /// All customers.
        public static let all: Customers = [.new, .existing, .expired]
    }

    /// An offer of a subscription that users redeem with a code.
    ///
    /// The code is the identifier of the offer.
    public struct CodeOffer: Hashable, Codable, Sendable {
        /// The offer.
        package var offer: Offer
        /// The customers who are eligible for the offer.
        package var eligibility: Customers
        /// Whether the offer follows an introductory offer, instead of replacing it.
        package var isStackable: Bool
        /// Creates an offer that is redeemed with a code.
        ///
        /// - Parameters:
        ///   - offer: the offer, whose identifier is the code.
        ///   - eligibility: the customers who are eligible for the offer.
        ///   - isStackable: whether the offer follows an introductory offer, instead of replacing it.
        public init(_ offer: Offer, eligibility: Customers = .all, isStackable: Bool = false) {
            self.offer = offer
            self.eligibility = eligibility
            self.isStackable = isStackable
        }
    }

    /// An offer for lapsed subscribers.
    public struct WinBackOffer: Hashable, Codable, Sendable {
        /// The offer.
        package var offer: Offer
        /// Whether users of the sandbox are eligible for the offer once their subscription has lapsed.
        package var isEligible: Bool
        /// Creates an offer for lapsed subscribers.
        ///
        /// - Parameters:
        ///   - offer: the offer, which needs an identifier.
        ///   - isEligible: whether users of the sandbox are eligible once their subscription of the group has ended.
        public init(_ offer: Offer, isEligible: Bool = true) {
            self.offer = offer
            self.isEligible = isEligible
        }
    }
}

extension SandboxProduct.Subscription {
    /// Decodes a subscription; properties that an older ledger lacks have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        typealias Offer = SandboxProduct.Offer
        self.init(
            groupIdentifier: try container.decode(String.self, forKey: .groupIdentifier),
            level: try container.decode(Int.self, forKey: .level),
            period: try container.decode(StoreProduct.Period.self, forKey: .period),
            introductoryOffers: try container.decode([Offer].self, forKey: .introductoryOffers),
            promotionalOffers: try container.decode([Offer].self, forKey: .promotionalOffers),
            offerCodes: try container.decode([SandboxProduct.CodeOffer].self, forKey: .offerCodes),
            winBackOffers: try container.decode([SandboxProduct.WinBackOffer].self, forKey: .winBackOffers),
            groupName: try container.decodeIfPresent(String.self, forKey: .groupName),
            groupLocalizations: try container.decodeIfPresent(
                [SandboxProduct.Localization].self,
                forKey: .groupLocalizations
            ) ?? [],
            billingPlans: try container.decodeIfPresent([StoreProduct.BillingTerms].self, forKey: .billingPlans) ?? [],
            members: try container.decodeIfPresent([String].self, forKey: .memberList) ?? []
        )
    }
}

extension SandboxProduct.Offer {
    /// Creates a free trial.
    ///
    /// - Parameters:
    ///   - period: the length of the trial.
    ///   - identifier: the offer's identifier; nil for an introductory offer.
    /// - Returns: the offer.
    public static func freeTrial(_ period: StoreProduct.Period, identifier: String? = nil) -> Self {
        .init(terms: .init(identifier: identifier, price: 0, paymentMode: .freeTrial, period: period))
    }

    /// Creates an offer with a lower price for each of the first periods.
    ///
    /// - Parameters:
    ///   - price: the price of each period, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - period: the subscription's period.
    ///   - count: the number of periods.
    ///   - identifier: the offer's identifier; nil for an introductory offer.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the offer.
    public static func payAsYouGo(
        price: String,
        every period: StoreProduct.Period,
        times count: Int = 1,
        identifier: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        let price = ExactPrice.written(price, for: Self.name(identifier), file: file, line: line)
        return .payAsYouGo(decimalPrice: price, every: period, times: count, identifier: identifier)
    }

    /// Creates an offer with a lower, computed price for each of the first periods.
    package static func payAsYouGo(
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

    /// Returns the offer for buyers who pay a yearly subscription monthly; see
    /// ``SandboxProduct/billedMonthly(price:introductoryOffer:file:line:)``.
    public func billedMonthly() -> Self {
        var copy = self
        copy.billingPlan = .monthly
        return copy
    }

    /// Returns words that name an offer in a sentence.
    static func name(_ identifier: String?) -> String {
        identifier.map { "the offer \"\($0)\"" } ?? "an introductory offer"
    }

    /// Creates an offer with one price for its whole length, paid when it begins.
    ///
    /// - Parameters:
    ///   - price: the total price, as in `"8.99"`. Anything but digits and a point stops the process.
    ///   - period: the offer's whole length.
    ///   - identifier: the offer's identifier; nil for an introductory offer.
    ///   - file: the file of the call, for the message about a mistake.
    ///   - line: the line of the call, for the same message.
    /// - Returns: the offer.
    public static func payUpFront(
        price: String,
        for period: StoreProduct.Period,
        identifier: String? = nil,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        let price = ExactPrice.written(price, for: Self.name(identifier), file: file, line: line)
        return .payUpFront(decimalPrice: price, for: period, identifier: identifier)
    }

    /// Creates an offer with one computed price for its whole length, paid when it begins.
    package static func payUpFront(
        decimalPrice price: Decimal,
        for period: StoreProduct.Period,
        identifier: String? = nil
    ) -> Self {
        .init(terms: .init(identifier: identifier, price: price, paymentMode: .payUpFront, period: period))
    }
}
