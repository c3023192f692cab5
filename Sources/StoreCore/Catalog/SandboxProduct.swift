import Foundation

/// A product as the store's operator registers it, with all of its languages and offers.
///
/// A device receives it as a ``StoreProduct``, in one language and with one currency.
///
/// ```swift
/// let products: [SandboxProduct] = [
///     .consumable("coins.100", price: "0.99", title: "100 coins"),
///     .nonConsumable("full.game", price: "4.99", title: "Full game", description: "Every level, for good."),
///     .autoRenewable("pro.monthly", price: "4.99", period: .init(1, .month), group: "pro", title: "Pro"),
/// ]
/// ```
///
/// A mistake, such as `price: "4,99"`, stops the process with a message, or throws in ``makeThrowing(_:)``.
public struct SandboxProduct: Hashable, Codable, Sendable {
    /// The kind of a product.
    public typealias Kind = StoreProduct.Kind

    /// A localization: the product's texts in one language.
    package struct Localization: Hashable, Codable, Sendable {
        /// The language, with a script or a country if necessary, as in `en_US`, `zh_Hans` and `ar`.
        package var locale: String
        /// The product's name, as shown to the user.
        ///
        /// May be empty.
        package var title: String
        /// The product's description, as shown to the user.
        ///
        /// May be empty.
        package var description: String
        /// Creates texts in one language.
        package init(locale: String, title: String, description: String = "") {
            self.locale = locale
            self.title = title
            self.description = description
        }
    }

    /// The product's identifier, in the app and in the store.
    ///
    /// Never empty.
    public let identifier: String
    /// The product's kind.
    public let kind: Kind
    /// Whether the purchaser's family may also use the product.
    public var isFamilyShareable: Bool
    /// True for a generic product of Advanced Commerce; nil, as in records of older versions, for any other.
    private var advancedCommerce: Bool?
    /// The operator's name for the product.
    ///
    /// Users see this name if the product has no localization.
    public var referenceName: String
    /// The exact price of one item: a multiple of 0.001, at least 0 and less than 2^63 / 1000.
    ///
    /// The storefront determines the currency. ``priced(_:in:file:line:)`` sets another price in one country.
    public var price: Decimal
    /// The localizations, one for each language, the operator's preferred one first.
    package var localizations: [Localization]
    /// The store's internal identifier of the product, as in a `.storekit` file; nil if there is none.
    package var internalIdentifier: String?
    /// The properties of an auto-renewable subscription, a suite or a bundle; nil for every other kind.
    public var subscription: Subscription?
    /// The content that the store hosts for the product; nil if there is none.
    package var hostedContent: HostedContent?
    /// The countries in which the product is sold, and its prices there; nil for all countries, at ``price``.
    var storefrontTerms: StorefrontTerms?
    /// The content of ``offerCodes``; nil for none, so that a product without them is encoded as before.
    var oneTimeCodeOffers: [OneTimeCodeOffer]?

    init(
        identifier: String,
        kind: Kind,
        referenceName: String,
        price: Decimal,
        localizations: [Localization],
        isFamilyShareable: Bool = false,
        internalIdentifier: String? = nil,
        subscription: Subscription? = nil
    ) {
        self.identifier = identifier
        self.kind = kind
        self.referenceName = referenceName
        self.price = price
        self.localizations = localizations
        self.isFamilyShareable = isFamilyShareable
        self.internalIdentifier = internalIdentifier
        self.subscription = subscription
    }
}

extension SandboxProduct {
    /// Whether the product is a generic one, which is sold by a signed request of the Advanced Commerce API.
    ///
    /// The request has the prices, texts and periods; those of the product are placeholders. A generic product is a
    /// consumable, for one-time charges, or an auto-renewable subscription. In a `.storekit` file, the products have
    /// the identifiers that Apple prescribes, such as `com.example.app.aca.generic.consumable`.
    public var isAdvancedCommerce: Bool {
        get { advancedCommerce ?? false }
        set { advancedCommerce = newValue ? true : nil }
    }

    /// The ends of the identifiers that Apple prescribes for generic products.
    private static let genericSuffixes = [
        ".aca.generic.consumable", ".aca.mini.consumable", ".aca.generic.subscription",
        ".aca.mini.generic.subscription",
    ]

    /// Returns the product, which is generic if it has an identifier that Apple prescribes for generic products.
    package var genericByName: SandboxProduct {
        var product = self
        let isGeneric = kind == .consumable || kind == .autoRenewable && !isFamilyShareable
        product.isAdvancedCommerce = isGeneric && Self.genericSuffixes.contains(where: identifier.hasSuffix)
        return product
    }
}

extension StoreProduct.Kind {
    /// Whether the product can be restored, and can be bought again for free (behaviors 104 to 106).
    var isRestorable: Bool {
        switch self {
        case .nonConsumable, .autoRenewable, .freeSubscription, .subscriptionSuite, .subscriptionBundle: true
        case .consumable, .nonRenewing: false
        }
    }
}

extension SandboxProduct {
    /// The reason why the product cannot be sold, as the end of a sentence about it; nil if it is valid.
    var fault: String? {
        if identifier.isEmpty { return "has no identifier" }
        if let rule = Self.rule(brokenBy: price) { return "costs \(price): \(rule)" }
        if kind == .freeSubscription, price != 0 { return "is a free subscription and costs \(price)" }
        if let fault = hostedContent?.fault(for: identifier) { return fault }
        if let storefrontFault { return storefrontFault }
        if let codeOfferFault { return codeOfferFault }
        if isAdvancedCommerce, kind != .consumable, kind != .autoRenewable || isFamilyShareable {
            return "is generic, but no consumable, and no auto-renewable subscription that families do not share"
        }
        guard let subscription else {
            return kind.renews ? "renews by itself but has no subscription period" : nil
        }
        guard kind.renews else { return "has a subscription period but does not renew by itself" }
        return subscription.fault ?? memberFault(of: subscription)
    }

    private func memberFault(of subscription: Subscription) -> String? {
        switch kind {
        case .subscriptionSuite: return nil
        case .subscriptionBundle where subscription.members.isEmpty: return "is a bundle of no subscriptions"
        case .subscriptionBundle:
            var seen: Set<ExactText> = []
            return subscription.members.first { !seen.insert(ExactText($0)).inserted }.map {
                "includes \"\($0)\" twice"
            }
        default:
            return subscription.members.isEmpty ? nil : "includes subscriptions but is neither a suite nor a bundle"
        }
    }

    /// Reports the fault of the product, if there is one, as a programmer's mistake.
    func reportFault(file: StaticString, line: UInt) {
        guard let fault else { return }
        ProductMistake.report("the product \"\(identifier)\" \(fault)", in: identifier, file: file, line: line)
    }

    /// Returns the rule that a price violates; nil if the price is valid.
    static func rule(brokenBy price: Decimal) -> String? {
        guard price.isFinite, price >= 0 else { return "a price is at least 0" }
        // Signed payloads have thousandths in a 64-bit integer. Multiplying a larger price may yield NaN.
        guard price <= Decimal(Int64.max) / 1000 else { return "a price is below 2^63 / 1000" }
        var (thousandths, whole) = (price * 1000, Decimal())
        NSDecimalRound(&whole, &thousandths, 0, .plain)
        return whole == thousandths ? nil : "a price has at most three digits behind the point"
    }
}

extension SandboxProduct.Subscription {
    fileprivate var fault: String? {
        if groupIdentifier.isEmpty { return "belongs to a subscription group without a name" }
        if level < 1 { return "has level \(level) in its subscription group: 1 is the highest" }
        if period.count < 1 { return "has a subscription period of \(period.count) units" }
        if period.isTooLong() { return "has a subscription period of more than 100 years" }
        let named = promotionalOffers + offerCodes.map(\.offer) + winBackOffers.map(\.offer)
        if named.contains(where: { ($0.terms.identifier ?? "").isEmpty }) {
            return "has an offer without an identifier that is not introductory"
        }
        if let terms = billingPlans.first(where: { $0.hasFault }) {
            return "has a billing plan that costs \(terms.price), \(terms.commitmentPrice) in all"
        }
        return (introductoryOffers + named).lazy.compactMap(\.fault).first
    }
}

extension SandboxProduct.Offer {
    fileprivate var fault: String? {
        let name = Self.name(terms.identifier)
        if SandboxProduct.rule(brokenBy: terms.price) != nil { return "has \(name) that costs \(terms.price)" }
        if terms.paymentMode == .freeTrial, terms.price != 0 { return "has \(name), a free trial that costs something" }
        if terms.period.count < 1 || terms.periodCount < 1 { return "has \(name) that lasts no time" }
        if terms.period.isTooLong(times: terms.periodCount) { return "has \(name) that lasts more than 100 years" }
        return nil
    }
}

extension StoreProduct.BillingTerms {
    fileprivate var hasFault: Bool { [price, commitmentPrice].contains { SandboxProduct.rule(brokenBy: $0) != nil } }
}

extension StoreProduct.Period {
    /// Returns whether a number of periods of this length together last more than 100 years.
    ///
    /// Dates have an upper bound: a period beyond it would never end, and be renewed forever.
    fileprivate func isTooLong(times: Int = 1) -> Bool {
        let maximum =
            switch unit {
            case .day: 36_525
            case .week: 5218
            case .month: 1200
            case .year: 100
            }
        return count > maximum / times
    }
}

extension SandboxProduct: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let price = ShortDecimal(price)
        let plain = SandboxProduct(
            identifier: identifier,
            kind: kind,
            referenceName: referenceName,
            price: self.price,
            localizations: localizations,
            isFamilyShareable: isFamilyShareable
        )
        guard let price, self == plain else {
            pack.add(Form.json.rawValue)
            return pack.add(json: self)
        }
        pack.add(Form(kind).rawValue)
        pack.add(identifier)
        pack.add(referenceName)
        price.pack(into: &pack)
        pack.add(localizations.count)
        for texts in localizations {
            pack.add(texts.locale)
            pack.add(texts.title)
            pack.add(texts.description)
        }
        isFamilyShareable.pack(into: &pack)
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        guard let form = Form(rawValue: try pack.byte()) else { throw BinaryDecoder.Trouble() }
        guard let kind = form.kind else {
            self = try pack.json(Self.self)
            return
        }
        self.init(
            identifier: try pack.text(),
            kind: kind,
            referenceName: try pack.text(),
            price: try ShortDecimal(unpacking: &pack).value,
            localizations: []
        )
        // Appended one by one, since a damaged count must not cause a large reservation of memory.
        for _ in try pack.count() {
            let locale = try pack.text()
            localizations.append(Localization(locale: locale, title: try pack.text(), description: try pack.text()))
        }
        isFamilyShareable = try Bool(unpacking: &pack)
    }
}

extension SandboxProduct {
    /// The first byte of an encoded product, which determines its format; the values never change.
    private enum Form: UInt8 {
        /// A product with a rare property, encoded as JSON.
        case json = 0
        case consumable = 1
        case nonConsumable = 2
        case autoRenewable = 3
        case nonRenewing = 4
        case freeSubscription = 5
        case subscriptionSuite = 6
        case subscriptionBundle = 7

        init(_ kind: Kind) {
            self =
                switch kind {
                case .consumable: .consumable
                case .nonConsumable: .nonConsumable
                case .autoRenewable: .autoRenewable
                case .nonRenewing: .nonRenewing
                case .freeSubscription: .freeSubscription
                case .subscriptionSuite: .subscriptionSuite
                case .subscriptionBundle: .subscriptionBundle
                }
        }

        /// The kind of a product in the compact format; nil for JSON.
        var kind: Kind? {
            switch self {
            case .json: nil
            case .consumable: .consumable
            case .nonConsumable: .nonConsumable
            case .autoRenewable: .autoRenewable
            case .nonRenewing: .nonRenewing
            case .freeSubscription: .freeSubscription
            case .subscriptionSuite: .subscriptionSuite
            case .subscriptionBundle: .subscriptionBundle
            }
        }
    }
}
