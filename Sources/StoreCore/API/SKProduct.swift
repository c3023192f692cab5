import Foundation

/// A product as the store describes it to this user: texts in their language, the price in their currency.
///
/// Part of the response to an ``SKProductsRequest``. Tests create their own, with
/// ``init(productIdentifier:localizedTitle:localizedDescription:price:priceLocale:subscriptionPeriod:subscriptionGroupIdentifier:introductoryPrice:discounts:isFamilyShareable:downloadContentVersion:downloadContentLengths:)``,
/// by subclassing, or with ``setValue(_:forKey:)``.
///
/// May be read on any thread. Two products are equal only if they are the same object.
// unchecked: `product` is written by initializers only, and what key-value coding changes is behind a lock.
open class SKProduct: NSObject, @unchecked Sendable {
    private final var product: StoreProduct
    private let changes = KeyedChanges()

    /// Creates a product without content, to be filled in by a subclass or by ``setValue(_:forKey:)``.
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
        // Kept as they are: they may be objects of a test's own subclass.
        if let subscriptionPeriod { changes.set(Name.period, to: Optional(subscriptionPeriod)) }
        if let subscriptionGroupIdentifier { changes.set(Name.group, to: Optional(subscriptionGroupIdentifier)) }
        if let introductoryPrice { changes.set(Name.introductory, to: Optional(introductoryPrice)) }
        if !discounts.isEmpty { changes.set(Name.discounts, to: discounts) }
    }

    /// The identifier that the app and the store use.
    open var productIdentifier: String { changes.value(Name.identifier, else: product.identifier) }

    /// Its name for the user, in the storefront's language.
    open var localizedTitle: String { changes.value(Name.title, else: product.localizedTitle) }

    /// Its description for the user, in the storefront's language.
    open var localizedDescription: String { changes.value(Name.description, else: product.localizedDescription) }

    /// The price of one unit, exact, in the currency of ``priceLocale``.
    ///
    /// May be 0.
    open var price: NSDecimalNumber { changes.value(Name.price, else: NSDecimalNumber(decimal: product.price)) }

    /// The locale that formats the price, with its currency: give it to a `NumberFormatter` as it is.
    open var priceLocale: Locale { changes.value(Name.locale, else: Locales.locale(product.priceLocaleIdentifier)) }

    /// The duration that one payment covers, nil unless it is a subscription.
    open var subscriptionPeriod: SKProductSubscriptionPeriod? {
        changes.value(Name.period, else: product.subscription.map { SKProductSubscriptionPeriod($0.period) })
    }

    /// The group, in which a user can subscribe to one product at a time; nil unless it is auto-renewable.
    open var subscriptionGroupIdentifier: String? {
        changes.value(Name.group, else: product.subscription?.groupIdentifier)
    }

    /// The offer for first-time subscribers, nil if none is set up.
    ///
    /// It is present whether or not this user is eligible, which the app determines from the receipt.
    open var introductoryPrice: SKProductDiscount? {
        changes.value(
            Name.introductory,
            else: product.subscription?.introductoryOffer.map {
                SKProductDiscount($0, type: .introductory, localeIdentifier: product.priceLocaleIdentifier)
            }
        )
    }

    /// The promotional offers that are set up, empty without any.
    ///
    /// The app decides which to make.
    open var discounts: [SKProductDiscount] {
        changes.value(
            Name.discounts,
            else: (product.subscription?.promotionalOffers ?? []).map {
                SKProductDiscount($0, type: .subscription, localeIdentifier: product.priceLocaleIdentifier)
            }
        )
    }

    /// Whether the buyer's family may use it too, false by default.
    open var isFamilyShareable: Bool { changes.value(Name.family, else: product.isFamilyShareable) }

    /// Whether the store hosts files for it.
    open var isDownloadable: Bool { changes.value(Name.downloadable, else: product.hostedContent != nil) }

    /// The size of each hosted file in bytes, empty when there is none.
    open var downloadContentLengths: [NSNumber] {
        changes.value(Name.lengths, else: (product.hostedContent?.lengths ?? []).map { NSNumber(value: $0) })
    }

    /// The version of the hosted files, integers separated by periods; empty when there is none.
    open var downloadContentVersion: String {
        changes.value(Name.version, else: product.hostedContent?.version ?? "")
    }

    /// The older name of ``isDownloadable``.
    open var downloadable: Bool { isDownloadable }
    /// The older name of ``downloadContentLengths``.
    open var contentLengths: [NSNumber] { downloadContentLengths }
    /// The older name of ``downloadContentVersion``.
    open var contentVersion: String { downloadContentVersion }

    #if canImport(ObjectiveC)
        override open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        override open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #else
        /// Sets a property by its name, for tests that prepare products that way.
        ///
        /// An unknown name or a value of another type traps.
        open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        /// Returns the value of a property by its name.
        ///
        /// An unknown name traps.
        open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #endif
}

extension SKProduct: KeyValueCoded {
    private static let empty = StoreProduct(
        identifier: "",
        localizedTitle: "",
        localizedDescription: "",
        price: 0,
        priceLocaleIdentifier: ""
    )

    private enum Name {
        static let identifier = "productIdentifier"
        static let title = "localizedTitle"
        static let description = "localizedDescription"
        static let price = "price"
        static let locale = "priceLocale"
        static let period = "subscriptionPeriod"
        static let group = "subscriptionGroupIdentifier"
        static let introductory = "introductoryPrice"
        static let discounts = "discounts"
        static let family = "isFamilyShareable"
        static let downloadable = "isDownloadable"
        static let lengths = "downloadContentLengths"
        static let version = "downloadContentVersion"
    }

    private static let keys: [String: KeyedProperty<SKProduct>] = {
        let family = key(Name.family, \.isFamilyShareable, .flag)
        let downloadable = key(Name.downloadable, \.isDownloadable, .flag)
        let lengths = key(Name.lengths, \.downloadContentLengths, .cast("an array of NSNumber"))
        let version = key(Name.version, \.downloadContentVersion, .text)
        return [
            Name.identifier: key(Name.identifier, \.productIdentifier, .text),
            Name.title: key(Name.title, \.localizedTitle, .text),
            Name.description: key(Name.description, \.localizedDescription, .text),
            Name.price: key(Name.price, \.price, .decimal),
            Name.locale: key(Name.locale, \.priceLocale, .cast("a Locale")),
            Name.period: key(
                Name.period,
                \.subscriptionPeriod,
                KeyedKind<SKProductSubscriptionPeriod>.cast("an SKProductSubscriptionPeriod").optional
            ),
            Name.group: key(Name.group, \.subscriptionGroupIdentifier, KeyedKind<String>.text.optional),
            Name.introductory: key(
                Name.introductory,
                \.introductoryPrice,
                KeyedKind<SKProductDiscount>.cast("an SKProductDiscount").optional
            ),
            Name.discounts: key(Name.discounts, \.discounts, .cast("an array of SKProductDiscount")),
            Name.family: family,
            "familyShareable": family,
            Name.downloadable: downloadable,
            "downloadable": downloadable,
            Name.lengths: lengths,
            "contentLengths": lengths,
            Name.version: version,
            "contentVersion": version,
        ]
    }()

    private static func key<Value: SendableMetatype>(
        _ name: String,
        _ path: any KeyPath<SKProduct, Value> & Sendable,
        _ kind: KeyedKind<Value>
    ) -> KeyedProperty<SKProduct> {
        KeyedProperty(path, kind) { $0.changes.set(name, to: $1) }
    }
}
