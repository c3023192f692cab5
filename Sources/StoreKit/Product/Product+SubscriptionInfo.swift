import Foundation
import StoreCore

extension Product {
    /// The terms of an auto-renewable subscription.
    public struct SubscriptionInfo: Equatable, Hashable, Sendable {
        private let product: StoreProduct
        private let terms: StoreProduct.Subscription

        init(_ product: StoreProduct, _ terms: StoreProduct.Subscription) {
            (self.product, self.terms) = (product, terms)
        }

        /// The identifier of the group; a user subscribes to one product of it at a time.
        public var subscriptionGroupID: String { terms.groupIdentifier ?? "" }
        /// The group's name, in the user's language; it may be empty.
        public var groupDisplayName: String { terms.groupName ?? "" }
        /// The level of service in the group, 1 for the highest.
        public var groupLevel: Int { terms.groupLevel ?? 1 }
        /// The length of the subscription's period, at the end of which it renews.
        ///
        /// One payment covers the period, unless the buyer chooses monthly payments: ``PricingTerms/billingPeriod`` is
        /// the time between two payments.
        public var subscriptionPeriod: SubscriptionPeriod { SubscriptionPeriod(terms.period) }
        /// The offer for first-time subscribers, whether or not this user is eligible; nil for none.
        public var introductoryOffer: SubscriptionOffer? {
            terms.introductoryOffer.map { SubscriptionOffer($0, .introductory, of: product) }
        }
        /// The promotional offers that are set up, whether or not this user is eligible.
        public var promotionalOffers: [SubscriptionOffer] {
            terms.promotionalOffers.map { SubscriptionOffer($0, .promotional, of: product) }
        }
        /// The win-back offers that are set up for lapsed subscribers.
        ///
        /// ``RenewalInfo/eligibleWinBackOfferIDs`` has those that the user is eligible for.
        public var winBackOffers: [SubscriptionOffer] {
            terms.winBackOffers.map { SubscriptionOffer($0, .winBack, of: product) }
        }
        /// Returns all offers that are set up for a billing plan.
        func offers(_ plan: StoreProduct.BillingPlan) -> [SubscriptionOffer] {
            guard plan == .monthly else {
                return [introductoryOffer].compactMap(\.self) + promotionalOffers + winBackOffers
            }
            guard let monthly = terms.monthlyOffers else { return [] }
            return [monthly.introductory].compactMap(\.self).map { SubscriptionOffer($0, .introductory, of: product) }
                + monthly.promotional.map { SubscriptionOffer($0, .promotional, of: product) }
                + monthly.winBack.map { SubscriptionOffer($0, .winBack, of: product) }
        }

        /// The terms of payment: those that are set up, and always those of the whole period at once.
        public var pricingTerms: [PricingTerms] {
            var plans = terms.billingPlans
            if !plans.contains(where: { $0.plan == .upFront }) {
                plans.insert(.init(plan: .upFront, price: product.price, commitmentPrice: product.price), at: 0)
            }
            return plans.map { PricingTerms($0, self, product) }
        }

        /// The subscriptions that a bundle includes, as they are sold separately; empty for every other product.
        public var bundledSubscriptions: [BundledSubscription] {
            terms.bundledSubscriptions.map { BundledSubscription($0, product) }
        }
    }
}

extension Product.SubscriptionInfo {
    /// Whether the user is eligible for an introductory offer of the group, whether or not the product has one.
    public var isEligibleForIntroOffer: Bool {
        get async { await Self.isEligibleForIntroOffer(for: subscriptionGroupID) }
    }

    /// Returns whether the user is eligible for an introductory offer of a group; false if no one is signed in, and if
    /// the store does not respond.
    ///
    /// A task that is canceled receives the result too.
    public static func isEligibleForIntroOffer(for groupID: String) async -> Bool {
        await StoreKit2Driver.current.isEligibleForIntroductoryOffer(groupID)
    }

    /// The statuses in the group: of the user's own subscription, and of those that the family shares; none for a user
    /// who never subscribed, and in a task that is canceled.
    ///
    /// - Throws: a ``StoreKitError`` if the store does not respond.
    public var status: [Status] { get async throws { try await Self.status(for: subscriptionGroupID) } }

    /// Returns the statuses of the user's subscriptions in a group; none, and no error, in a task that is canceled.
    ///
    /// - Throws: a ``StoreKitError`` if the store does not respond.
    public static func status(for groupID: String) async throws -> [Status] {
        try await StoreKit2Driver.current.statuses(.group(groupID))
    }

    /// Returns the status of the subscription that a transaction belongs to; nil for a transaction of a product that
    /// does not renew, for an unknown transaction, and in a task that is canceled.
    ///
    /// - Throws: a ``StoreKitError`` if the store does not respond.
    public static func status(transactionID: UInt64) async throws -> SubscriptionStatus? {
        try await StoreKit2Driver.current.statuses(.transaction(String(transactionID))).first
    }
}

extension Product.SubscriptionInfo {
    /// The length of time between two payments.
    public typealias BillingPeriod = Product.SubscriptionPeriod

    /// A way in which a subscription is billed; other values than those listed are possible.
    public struct BillingPlanType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in signed transactions.
        public let rawValue: String
        /// Creates a way of billing, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The whole period at once.
        public static let upFront = BillingPlanType(rawValue: "BILLED_UPFRONT")
        /// A year in monthly payments, with a commitment to all of them.
        public static let monthly = BillingPlanType(rawValue: "MONTHLY")
    }

    /// A subscriber's commitment to several billing periods.
    public struct CommitmentInfo: Equatable, Hashable, Sendable {
        /// The total price of the commitment, in the product's currency.
        public let price: Decimal
        /// The price as text.
        public let displayPrice: String
        /// The length of the commitment.
        public let period: Product.SubscriptionPeriod
    }

    /// The terms of one way of billing.
    public struct PricingTerms: Equatable, Hashable, Sendable {
        /// The way of billing.
        public let billingPlanType: BillingPlanType
        /// The length of time between two payments.
        public let billingPeriod: BillingPeriod
        /// The price of one payment.
        public let billingPrice: Decimal
        /// The price of one payment as text.
        public let billingDisplayPrice: String
        /// The commitment that the subscriber makes.
        public let commitmentInfo: CommitmentInfo
        /// The offers on these terms.
        public let subscriptionOffers: [Product.SubscriptionOffer]

        /// The offers of one kind.
        public subscript(offers type: Product.SubscriptionOffer.OfferType) -> [Product.SubscriptionOffer] {
            subscriptionOffers.filter { $0.type == type }
        }

        init(_ plan: StoreProduct.BillingTerms, _ subscription: Product.SubscriptionInfo, _ product: StoreProduct) {
            let style = product.priceFormatStyle
            billingPlanType = plan.plan == .monthly ? .monthly : .upFront
            billingPeriod = plan.plan == .monthly ? .monthly : subscription.subscriptionPeriod
            billingPrice = plan.price
            billingDisplayPrice = style.format(plan.price)
            commitmentInfo = CommitmentInfo(
                price: plan.commitmentPrice,
                displayPrice: style.format(plan.commitmentPrice),
                period: subscription.subscriptionPeriod
            )
            subscriptionOffers = subscription.offers(plan.plan)
        }
    }

    /// A subscription that a bundle includes, as it is sold separately.
    public struct BundledSubscription: Equatable, Hashable, Sendable, Identifiable {
        /// The product's identifier.
        public let id: Product.ID
        /// The product's name.
        public let displayName: String
        /// The product's description.
        public let description: String
        /// The product's price by itself.
        public let price: Decimal
        /// The price as text.
        public let displayPrice: String
        /// Whether the purchaser's family may use it too.
        public let isFamilyShareable: Bool
        /// The product's group.
        public let subscriptionGroupID: String
        /// The group's name.
        public let subscriptionGroupDisplayName: String
        /// The level of service in the group, 1 for the highest.
        public let subscriptionGroupLevel: Int

        init(_ subscription: StoreProduct.BundledSubscription, _ bundle: StoreProduct) {
            id = subscription.identifier
            displayName = subscription.localizedTitle
            description = subscription.localizedDescription
            price = subscription.price
            displayPrice = bundle.priceFormatStyle.format(subscription.price)
            isFamilyShareable = subscription.isFamilyShareable
            subscriptionGroupID = subscription.groupIdentifier
            subscriptionGroupDisplayName = subscription.groupName ?? ""
            subscriptionGroupLevel = subscription.groupLevel
        }
    }
}

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
        /// The offer's own period, which may differ from the subscription's.
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
    /// The kind of an offer; other values than those listed are possible.
    public struct OfferType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The kind's name.
        public let rawValue: String
        /// Creates a kind, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// For first-time subscribers.
        public static let introductory = OfferType(rawValue: "Introductory")
        /// For subscribers chosen by the app.
        public static let promotional = OfferType(rawValue: "Promotional")
        /// For lapsed subscribers.
        public static let winBack = OfferType(rawValue: "WinBack")

        /// The kind in English.
        public var localizedDescription: String { rawValue }
        /// The kind's name in a product's JSON.
        var catalogName: String { self == .introductory ? "IntroOffer" : "\(rawValue)Offer" }
    }

    /// A way in which an offer is paid; other values than those listed are possible.
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
