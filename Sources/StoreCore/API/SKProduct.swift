import Foundation

/// A product as the store describes it to this user: texts in their language, the price in their currency.
///
/// Part of the response to an ``SKProductsRequest``. Tests create their own, with
/// ``init(productIdentifier:localizedTitle:localizedDescription:price:priceLocale:subscriptionPeriod:subscriptionGroupIdentifier:introductoryPrice:discounts:isFamilyShareable:downloadContentVersion:downloadContentLengths:)``,
/// by subclassing, or with ``KeyValueObject/setValue(_:forKey:)``.
///
/// May be read on any thread. Two products are equal only if they are the same object.
// unchecked: `product` is written by initializers only, and what key-value coding changes is guarded by a lock.
open class SKProduct: KeyValueObject, @unchecked Sendable {
    /// The product as the store described it.
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
    ///   - productIdentifier: the identifier that the app and the store use.
    ///   - localizedTitle: its name for the user.
    ///   - localizedDescription: its description for the user.
    ///   - price: the price of one unit.
    ///   - priceLocale: the locale that formats the price, with its currency.
    ///   - subscriptionPeriod: the duration that one payment covers, nil unless it is a subscription.
    ///   - subscriptionGroupIdentifier: the group of an auto-renewable subscription.
    ///   - introductoryPrice: the offer for first-time subscribers.
    ///   - discounts: the other offers that are set up.
    ///   - isFamilyShareable: whether the buyer's family may use it too.
    ///   - downloadContentVersion: the version of its hosted content.
    ///   - downloadContentLengths: the size of each hosted file in bytes; none means that nothing is hosted.
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
        // Stored as they are: they may be objects of a test's own subclass.
        if let subscriptionPeriod { changes.set("subscriptionPeriod", to: Optional(subscriptionPeriod)) }
        if let subscriptionGroupIdentifier {
            changes.set("subscriptionGroupIdentifier", to: Optional(subscriptionGroupIdentifier))
        }
        if let introductoryPrice { changes.set("introductoryPrice", to: Optional(introductoryPrice)) }
        if !discounts.isEmpty { changes.set("discounts", to: discounts) }
    }

    /// The identifier that the app and the store use.
    open var productIdentifier: String { changes.value("productIdentifier", else: product.identifier) }

    /// Its name for the user, in the storefront's language.
    open var localizedTitle: String { changes.value("localizedTitle", else: product.localizedTitle) }

    /// Its description for the user, in the storefront's language.
    open var localizedDescription: String { changes.value("localizedDescription", else: product.localizedDescription) }

    /// The price of one unit, exact, in the currency of ``priceLocale``.
    ///
    /// May be 0.
    open var price: NSDecimalNumber { changes.value("price", else: NSDecimalNumber(decimal: product.price)) }

    /// The locale that formats the price, with its currency: pass it to a `NumberFormatter` unchanged.
    open var priceLocale: Locale { changes.value("priceLocale", else: Locales.locale(product.priceLocaleIdentifier)) }

    /// The duration that one payment covers, nil unless it is a subscription.
    open var subscriptionPeriod: SKProductSubscriptionPeriod? {
        changes.value("subscriptionPeriod", else: product.subscription.map { SKProductSubscriptionPeriod($0.period) })
    }

    /// The group, in which a user can subscribe to one product at a time; nil unless the product is auto-renewable.
    open var subscriptionGroupIdentifier: String? {
        changes.value("subscriptionGroupIdentifier", else: product.subscription?.groupIdentifier)
    }

    /// The offer for first-time subscribers, nil if none is set up.
    ///
    /// It is present whether or not this user is eligible, which the app determines from the receipt.
    open var introductoryPrice: SKProductDiscount? {
        changes.value(
            "introductoryPrice",
            else: product.subscription?.introductoryOffer.map {
                SKProductDiscount($0, type: .introductory, localeIdentifier: product.priceLocaleIdentifier)
            }
        )
    }

    /// The promotional offers that are set up, empty without any.
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

    /// Whether the buyer's family may use it too, false by default.
    open var isFamilyShareable: Bool { changes.value("isFamilyShareable", else: product.isFamilyShareable) }

    /// Whether the store hosts files for it.
    open var isDownloadable: Bool { changes.value("isDownloadable", else: product.hostedContent != nil) }

    /// The size of each hosted file in bytes, empty when there is none.
    open var downloadContentLengths: [NSNumber] {
        changes.value(
            "downloadContentLengths",
            else: (product.hostedContent?.lengths ?? []).map { NSNumber(value: $0) }
        )
    }

    /// The version of the hosted files, integers separated by periods; empty when there is none.
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

extension SKProduct: ChangeKeeper {
    func keep(_ value: Any, for key: String) { changes.set(key, to: value) }

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

    /// The unit as stores represent it.
    package var value: StoreProduct.Period.Unit {
        switch self {
        case .day: .day
        case .week: .week
        case .month: .month
        case .year: .year
        }
    }
}

/// A duration in calendar units: two weeks are the unit ``SKProductPeriodUnit/week``, twice.
///
/// May be read on any thread. Two are equal if unit and number are.
// unchecked: `period` is written by initializers only, and what key-value coding changes is guarded by a lock.
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

    /// Whether the other object is a period of the same unit and number.
    override open func isEqual(_ object: Any?) -> Bool {
        (object as? SKProductSubscriptionPeriod).map { $0.unit == unit && $0.numberOfUnits == numberOfUnits } ?? false
    }

    /// A hash of unit and number.
    override open var hash: Int {
        var hasher = Hasher()
        hasher.combine(unit)
        hasher.combine(numberOfUnits)
        return hasher.finalize()
    }

    override class var properties: [String: KeyedProperty] { keys }
}

extension SKProductSubscriptionPeriod: ChangeKeeper {
    func keep(_ value: Any, for key: String) { changes.set(key, to: value) }

    private static let keys = Dictionary(
        named: KeyedProperty("numberOfUnits", \SKProductSubscriptionPeriod.numberOfUnits, .integer),
        KeyedProperty("unit", \SKProductSubscriptionPeriod.unit, .cases)
    )
}
