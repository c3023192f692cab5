import Foundation

/// A product as the store describes it to this user, with texts in their language and prices in their currency.
///
/// Products are in the response to an ``SKProductsRequest``. Tests can create them with
/// ``init(productIdentifier:localizedTitle:localizedDescription:price:priceLocale:subscriptionPeriod:subscriptionGroupIdentifier:introductoryPrice:discounts:isFamilyShareable:downloadContentVersion:downloadContentLengths:)``,
/// by subclassing, or with ``KeyValueObject/setValue(_:forKey:)``.
///
/// A product may be read on any thread. Two products are equal only if they are the same object.
// unchecked: `product` is only written by initializers, and a lock guards the changes through key-value coding.
open class SKProduct: KeyValueObject, @unchecked Sendable {
    /// The product as the store has described it.
    package private(set) final var product: StoreProduct
    private let changes = KeyedChanges()

    /// Creates a product without content, to be filled in by a subclass or by ``KeyValueObject/setValue(_:forKey:)``.
    public override init() {
        product = SKProduct.empty
        super.init()
    }

    convenience init(_ product: StoreProduct) {
        self.init()
        self.product = product
    }

    /// Creates a product, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    ///
    /// - Parameters:
    ///   - productIdentifier: the identifier on which the app and the store have agreed.
    ///   - localizedTitle: the product's name, as shown to the user.
    ///   - localizedDescription: the product's description, as shown to the user.
    ///   - price: the price of one unit.
    ///   - priceLocale: the locale that formats the price, with the currency.
    ///   - subscriptionPeriod: the period that one payment covers; nil if the product is not a subscription.
    ///   - subscriptionGroupIdentifier: the identifier of an auto-renewable subscription's group.
    ///   - introductoryPrice: the offer for first-time subscribers.
    ///   - discounts: the promotional offers that the store has set up.
    ///   - isFamilyShareable: whether the purchaser's family may also use the product.
    ///   - downloadContentVersion: the version of the product's hosted content.
    ///   - downloadContentLengths: the size of each hosted file in bytes; empty if there is no hosted content.
    public convenience init(
        productIdentifier: String,
        localizedTitle: String = "",
        localizedDescription: String = "",
        price: NSDecimalNumber = .zero,
        priceLocale: Locale = Locale(identifier: "en_US@currency=USD"),
        subscriptionPeriod: SKProductSubscriptionPeriod? = nil,
        subscriptionGroupIdentifier: String? = nil,
        introductoryPrice: SKProductDiscount? = nil,
        discounts: [SKProductDiscount] = [],
        isFamilyShareable: Bool = false,
        downloadContentVersion: String = "",
        downloadContentLengths: [NSNumber] = []
    ) {
        let lengths = downloadContentLengths.map(\.int64Value)
        self.init(
            StoreProduct(
                identifier: productIdentifier,
                localizedTitle: localizedTitle,
                localizedDescription: localizedDescription,
                price: price.decimalValue,
                priceLocaleIdentifier: priceLocale.identifier,
                isFamilyShareable: isFamilyShareable,
                hostedContent: lengths.isEmpty ? nil : .init(version: downloadContentVersion, lengths: lengths)
            )
        )
        // The objects themselves are stored, since they may be instances of subclasses in a test.
        if let subscriptionPeriod { changes.set("subscriptionPeriod", to: Optional(subscriptionPeriod)) }
        if let subscriptionGroupIdentifier {
            changes.set("subscriptionGroupIdentifier", to: Optional(subscriptionGroupIdentifier))
        }
        if let introductoryPrice { changes.set("introductoryPrice", to: Optional(introductoryPrice)) }
        if !discounts.isEmpty { changes.set("discounts", to: discounts) }
    }

    /// The product's identifier, on which the app and the store have agreed.
    open var productIdentifier: String { changes.value("productIdentifier", else: product.identifier) }

    /// The product's name, as shown to the user, in the storefront's language.
    open var localizedTitle: String { changes.value("localizedTitle", else: product.localizedTitle) }

    /// The product's description, as shown to the user, in the storefront's language.
    open var localizedDescription: String { changes.value("localizedDescription", else: product.localizedDescription) }

    /// The exact price of one unit, in the currency of ``priceLocale``.
    ///
    /// May be 0.
    open var price: NSDecimalNumber { changes.value("price", else: NSDecimalNumber(decimal: product.price)) }

    /// The locale that formats the price, with the currency: pass it to a `NumberFormatter` unchanged.
    open var priceLocale: Locale { changes.value("priceLocale", else: Locales.locale(product.priceLocaleIdentifier)) }

    /// The period that one payment covers; nil if the product is not a subscription.
    ///
    /// A ``SandboxStore`` has a period only for subscriptions that renew.
    open var subscriptionPeriod: SKProductSubscriptionPeriod? {
        changes.value("subscriptionPeriod", else: product.subscription.map { SKProductSubscriptionPeriod($0.period) })
    }

    /// The identifier of the subscription group; nil for a product that is not auto-renewable.
    ///
    /// A user subscribes to one product of a group at a time.
    open var subscriptionGroupIdentifier: String? {
        changes.value("subscriptionGroupIdentifier", else: product.subscription?.groupIdentifier)
    }

    /// The offer for first-time subscribers; nil if the store has set up none.
    ///
    /// It is present even if this user is not eligible. The app determines the eligibility from the receipt.
    open var introductoryPrice: SKProductDiscount? {
        changes.value(
            "introductoryPrice",
            else: product.subscription?.introductoryOffer.map {
                SKProductDiscount($0, type: .introductory, localeIdentifier: product.priceLocaleIdentifier)
            }
        )
    }

    /// The promotional offers that the store has set up; empty if there are none.
    ///
    /// The app decides which offer to use.
    open var discounts: [SKProductDiscount] {
        changes.value(
            "discounts",
            else: (product.subscription?.promotionalOffers ?? []).map {
                SKProductDiscount($0, type: .subscription, localeIdentifier: product.priceLocaleIdentifier)
            }
        )
    }

    /// Whether the purchaser's family may also use the product; false by default.
    open var isFamilyShareable: Bool { changes.value("isFamilyShareable", else: product.isFamilyShareable) }

    /// Whether the store hosts files for the product.
    open var isDownloadable: Bool { changes.value("isDownloadable", else: product.hostedContent != nil) }

    /// The size of each hosted file in bytes; empty if there is none.
    open var downloadContentLengths: [NSNumber] {
        changes.value(
            "downloadContentLengths",
            else: (product.hostedContent?.lengths ?? []).map { NSNumber(value: $0) }
        )
    }

    /// The version of the hosted files: integers separated by periods; empty if there are none.
    open var downloadContentVersion: String {
        changes.value("downloadContentVersion", else: product.hostedContent?.version ?? "")
    }

    /// The older name of ``isDownloadable``.
    open var downloadable: Bool { isDownloadable }
    /// The older name of ``downloadContentLengths``.
    open var contentLengths: [NSNumber] { downloadContentLengths }
    /// The older name of ``downloadContentVersion``.
    open var contentVersion: String { downloadContentVersion }

    override class var properties: [String: KeyedProperty] { keys }
}

extension SKProduct: ChangeStoring {
    func storeChange(_ value: Any, for key: String) { changes.set(key, to: value) }

    private static let empty = StoreProduct(
        identifier: "",
        localizedTitle: "",
        localizedDescription: "",
        price: 0,
        priceLocaleIdentifier: ""
    )

    private static let keys = Dictionary(
        named: KeyedProperty("productIdentifier", \SKProduct.productIdentifier, .text),
        KeyedProperty("localizedTitle", \SKProduct.localizedTitle, .text),
        KeyedProperty("localizedDescription", \SKProduct.localizedDescription, .text),
        KeyedProperty("price", \SKProduct.price, .decimal),
        KeyedProperty("priceLocale", \SKProduct.priceLocale, .cast("a Locale")),
        KeyedProperty(
            "subscriptionPeriod",
            \SKProduct.subscriptionPeriod,
            KeyedKind<SKProductSubscriptionPeriod>.cast("an SKProductSubscriptionPeriod").optional
        ),
        KeyedProperty(
            "subscriptionGroupIdentifier",
            \SKProduct.subscriptionGroupIdentifier,
            KeyedKind<String>.text.optional
        ),
        KeyedProperty(
            "introductoryPrice",
            \SKProduct.introductoryPrice,
            KeyedKind<SKProductDiscount>.cast("an SKProductDiscount").optional
        ),
        KeyedProperty("discounts", \SKProduct.discounts, .cast("an array of SKProductDiscount")),
        KeyedProperty("isFamilyShareable", or: "familyShareable", \SKProduct.isFamilyShareable, .flag),
        KeyedProperty("isDownloadable", or: "downloadable", \SKProduct.isDownloadable, .flag),
        KeyedProperty(
            "downloadContentLengths",
            or: "contentLengths",
            \SKProduct.downloadContentLengths,
            .cast("an array of NSNumber")
        ),
        KeyedProperty("downloadContentVersion", or: "contentVersion", \SKProduct.downloadContentVersion, .text)
    )
}

extension SKProduct.PeriodUnit {
    init(_ unit: StoreProduct.Period.Unit) {
        switch unit {
        case .day: self = .day
        case .week: self = .week
        case .month: self = .month
        case .year: self = .year
        }
    }

    /// The unit in the form that stores use.
    package var value: StoreProduct.Period.Unit {
        switch self {
        case .day: .day
        case .week: .week
        case .month: .month
        case .year: .year
        }
    }
}

/// A length of time in calendar units: two weeks are ``numberOfUnits`` 2 of the ``unit`` `week`.
///
/// A period may be read on any thread. Two periods are equal if their units and numbers are equal.
// unchecked: `period` is only written by initializers, and a lock guards the changes through key-value coding.
open class SKProductSubscriptionPeriod: KeyValueObject, @unchecked Sendable {
    private final var period: StoreProduct.Period
    private let changes = KeyedChanges()

    /// Creates a period of zero days, to be filled in by a subclass or by ``KeyValueObject/setValue(_:forKey:)``.
    public override init() {
        period = StoreProduct.Period(0, .day)
        super.init()
    }

    /// Creates a period of a number of units, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    public convenience init(numberOfUnits: Int, unit: SKProduct.PeriodUnit) {
        self.init(StoreProduct.Period(numberOfUnits, unit.value))
    }

    convenience init(_ period: StoreProduct.Period) {
        self.init()
        self.period = period
    }

    /// The number of units.
    open var numberOfUnits: Int { changes.value("numberOfUnits", else: period.count) }

    /// The unit.
    open var unit: SKProduct.PeriodUnit { changes.value("unit", else: SKProduct.PeriodUnit(period.unit)) }

    /// Whether the other object is a period with the same unit and number.
    override open func isEqual(_ object: Any?) -> Bool {
        (object as? SKProductSubscriptionPeriod).map { $0.unit == unit && $0.numberOfUnits == numberOfUnits } ?? false
    }

    /// A hash of the unit and the number.
    override open var hash: Int {
        var hasher = Hasher()
        hasher.combine(unit)
        hasher.combine(numberOfUnits)
        return hasher.finalize()
    }

    override class var properties: [String: KeyedProperty] { keys }
}

extension SKProductSubscriptionPeriod: ChangeStoring {
    func storeChange(_ value: Any, for key: String) { changes.set(key, to: value) }

    private static let keys = Dictionary(
        named: KeyedProperty("numberOfUnits", \SKProductSubscriptionPeriod.numberOfUnits, .integer),
        KeyedProperty("unit", \SKProductSubscriptionPeriod.unit, .cases)
    )
}
