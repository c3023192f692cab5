import Foundation

extension SandboxProduct {
    /// What an auto-renewable subscription has beside a product's description.
    public struct Subscription: Hashable, Codable, Sendable {
        /// Names the group, one of whose products a user can be subscribed to at a time.
        public var groupIdentifier: String
        /// The rank within the group: 1 gives the user most, equal numbers give the same.
        public var level: Int
        /// How long one payment lasts.
        public var period: StoreProduct.Period
        /// The offers for first-time subscribers, at most one for each ``BillingPlan``.
        public var introductoryOffers: [Offer]
        /// The offers that the app may make, against a signature.
        ///
        /// Each has an identifier; of several with the same one, the first counts.
        public var promotionalOffers: [Offer]
        /// The offers behind codes that the owner hands out.
        public var codeOffers: [CodeOffer]
        /// The offers for users who have left.
        ///
        /// Each has an identifier.
        public var winBackOffers: [WinBackOffer]

        /// Describes a subscription.
        public init(
            groupIdentifier: String,
            level: Int = 1,
            period: StoreProduct.Period,
            introductoryOffers: [Offer] = [],
            promotionalOffers: [Offer] = [],
            codeOffers: [CodeOffer] = [],
            winBackOffers: [WinBackOffer] = []
        ) {
            self.groupIdentifier = groupIdentifier
            self.level = level
            self.period = period
            self.introductoryOffers = introductoryOffers
            self.promotionalOffers = promotionalOffers
            self.codeOffers = codeOffers
            self.winBackOffers = winBackOffers
        }

        /// The introductory offer of those who pay up front: the only one that Store Kit 1 can show.
        var introductoryOffer: Offer? { introductoryOffers.first { $0.billingPlan == .upFront } }
    }

    /// How a subscription's period is paid for.
    public enum BillingPlan: String, Hashable, Codable, Sendable {
        /// The whole period at once: what every subscription offers.
        case upFront
        /// A yearly subscription in monthly parts. Store Kit 1 cannot buy it.
        case monthly
    }

    /// A reduced price for a time.
    public struct Offer: Hashable, Codable, Sendable {
        /// What is paid, how, and for how long.
        ///
        /// An introductory offer has no identifier; a code offer's is its reference name.
        public var terms: StoreProduct.Offer
        /// What its owner calls it.
        public var referenceName: String
        /// The plan that it is for.
        public var billingPlan: BillingPlan

        /// Describes an offer; its reference name is its identifier unless it is given one.
        public init(terms: StoreProduct.Offer, referenceName: String? = nil, billingPlan: BillingPlan = .upFront) {
            self.terms = terms
            self.referenceName = referenceName ?? terms.identifier ?? ""
            self.billingPlan = billingPlan
        }
    }

    /// The customers that a code may be for.
    public struct Customers: OptionSet, Hashable, Codable, Sendable {
        /// The set's bits.
        public let rawValue: Int
        /// A set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Those who never subscribed.
        public static let new = Customers(rawValue: 1)
        /// Those who are subscribed.
        public static let existing = Customers(rawValue: 2)
        /// Those whose subscription has ended.
        public static let expired = Customers(rawValue: 4)
        /// Everybody.
        public static let all: Customers = [.new, .existing, .expired]
    }

    /// An offer behind a code.
    public struct CodeOffer: Hashable, Codable, Sendable {
        /// What it offers.
        public var offer: Offer
        /// Who may redeem it.
        public var eligibility: Customers
        /// Whether it may follow an introductory offer instead of taking its place.
        public var isStackable: Bool
        /// Puts an offer behind a code.
        public init(_ offer: Offer, eligibility: Customers = .all, isStackable: Bool = false) {
            self.offer = offer
            self.eligibility = eligibility
            self.isStackable = isStackable
        }
    }

    /// An offer for users who have left.
    public struct WinBackOffer: Hashable, Codable, Sendable {
        /// What it offers.
        public var offer: Offer
        /// Whether the sandbox's users may have it once they have left.
        public var isEligible: Bool
        /// Makes an offer to those who have left.
        public init(_ offer: Offer, isEligible: Bool = true) {
            self.offer = offer
            self.isEligible = isEligible
        }
    }
}

extension SandboxProduct.Offer {
    /// Nothing to pay for a time.
    public static func freeTrial(_ period: StoreProduct.Period, identifier: String? = nil) -> Self {
        .init(terms: .init(identifier: identifier, price: 0, paymentMode: .freeTrial, period: period))
    }

    /// A lower price for each of the first periods.
    ///
    /// - Parameters:
    ///   - price: what each period costs, as in `"0.99"`. Anything but digits and a point stops the process.
    ///   - period: the subscription's own period.
    ///   - count: for how many periods.
    ///   - identifier: what names the offer; nil for an introductory one.
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

    /// The same for a price that is computed rather than written.
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

    /// How a sentence refers to an offer.
    static func name(_ identifier: String?) -> String {
        identifier.map { "the offer \"\($0)\"" } ?? "an introductory offer"
    }

    /// One price for a whole time, paid when it begins.
    ///
    /// - Parameters:
    ///   - price: what it costs in all, as in `"8.99"`. Anything but digits and a point stops the process.
    ///   - period: the whole time.
    ///   - identifier: what names the offer; nil for an introductory one.
    /// - Returns: the offer.
    public static func payUpFront(
        price: String,
        for period: StoreProduct.Period,
        identifier: String? = nil
    ) -> Self {
        let price = ExactPrice.written(price, for: Self.name(identifier))
        return .payUpFront(decimalPrice: price, for: period, identifier: identifier)
    }

    /// The same for a price that is computed rather than written.
    public static func payUpFront(
        decimalPrice price: Decimal,
        for period: StoreProduct.Period,
        identifier: String? = nil
    ) -> Self {
        .init(terms: .init(identifier: identifier, price: price, paymentMode: .payUpFront, period: period))
    }
}
