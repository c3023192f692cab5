import Foundation

/// A product as the store describes it to this user: texts in their language, the price in their currency.
///
/// Comes with the answer to an ``SKProductsRequest``. Tests make their own, with
/// ``init(productIdentifier:localizedTitle:localizedDescription:price:priceLocale:subscriptionPeriod:subscriptionGroupIdentifier:introductoryPrice:discounts:isFamilyShareable:downloadContentVersion:downloadContentLengths:)``,
/// by subclassing, or with ``setValue(_:forKey:)``.
///
/// May be read on any thread. Two products are equal only if they are the same object.
// unchecked: `product` is written by initializers only, and what key-value coding changes is behind a lock.
open class SKProduct: NSObject, @unchecked Sendable {
    private final var product: StoreProduct
    private let changes = KeyedChanges()

    /// A product without content, to be filled in by a subclass or by ``setValue(_:forKey:)``.
    public override init() {
        product = SKProduct.empty
        super.init()
    }

    convenience init(_ product: StoreProduct) {
        self.init()
        self.product = product
    }

    /// Describes a product, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    ///
    /// - Parameters:
    ///   - productIdentifier: what the app and the store call it.
    ///   - localizedTitle: its name for the user.
    ///   - localizedDescription: what it is, for the user.
    ///   - price: the price of one.
    ///   - priceLocale: the locale that formats the price, with its currency.
    ///   - subscriptionPeriod: how long one payment lasts, nil unless it is a subscription.
    ///   - subscriptionGroupIdentifier: the group of a subscription that renews by itself.
    ///   - introductoryPrice: what first-time subscribers pay.
    ///   - discounts: the other offers that are set up.
    ///   - isFamilyShareable: whether the buyer's family may use it too.
    ///   - downloadContentVersion: the version of what the store hosts for it.
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

    /// What the app and the store call it.
    open var productIdentifier: String { changes.value(Name.identifier, else: product.identifier) }

    /// Its name for the user, in the storefront's language.
    open var localizedTitle: String { changes.value(Name.title, else: product.localizedTitle) }

    /// What it is, for the user, in the storefront's language.
    open var localizedDescription: String { changes.value(Name.description, else: product.localizedDescription) }

    /// The price of one, exact, in the currency of ``priceLocale``.
    ///
    /// May be 0.
    open var price: NSDecimalNumber { changes.value(Name.price, else: NSDecimalNumber(decimal: product.price)) }

    /// The locale that formats the price, with its currency: give it to a `NumberFormatter` as it is.
    open var priceLocale: Locale { changes.value(Name.locale, else: Locales.locale(product.priceLocaleIdentifier)) }

    /// How long one payment lasts, nil unless it is a subscription.
    open var subscriptionPeriod: SKProductSubscriptionPeriod? {
        changes.value(Name.period, else: product.subscription.map { SKProductSubscriptionPeriod($0.period) })
    }

    /// The group, one of whose products a user can be subscribed to; nil unless it renews by itself.
    open var subscriptionGroupIdentifier: String? {
        changes.value(Name.group, else: product.subscription?.groupIdentifier)
    }

    /// What first-time subscribers pay, nil if nothing is set up.
    ///
    /// It is given whether or not this user may have it, which the app works out from the receipt.
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
        /// Changes a property by its name, for tests that prepare products that way.
        ///
        /// A name that is not a property's, or a value of another type, stops the process.
        open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        /// A property by its name.
        ///
        /// A name that is not a property's stops the process.
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
