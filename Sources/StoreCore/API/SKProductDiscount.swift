import Foundation

/// A reduced price for a subscription: the introductory one, or a promotional offer.
///
/// It lasts ``numberOfPeriods`` times its own ``subscriptionPeriod``, which need not be the product's.
///
/// May be read on any thread. Two are equal if all their properties are.
// unchecked: `terms` is written by initializers only, and what key-value coding changes is guarded by a lock.
open class SKProductDiscount: KeyValueObject, @unchecked Sendable {
    private final var terms: Terms
    private let changes = KeyedChanges()

    /// Creates an offer without content, to be filled in by a subclass or by ``KeyValueObject/setValue(_:forKey:)``.
    public override init() {
        terms = Terms(
            offer: StoreProduct.Offer(price: 0, paymentMode: .payAsYouGo, period: .init(0, .day), periodCount: 0),
            type: .introductory,
            localeIdentifier: ""
        )
        super.init()
    }

    convenience init(_ offer: StoreProduct.Offer, type: `Type`, localeIdentifier: String) {
        self.init()
        terms = Terms(offer: offer, type: type, localeIdentifier: localeIdentifier)
    }

    /// Creates an offer, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    ///
    /// - Parameters:
    ///   - identifier: the identifier of a promotional offer; nil makes this an introductory one.
    ///   - price: the reduced price.
    ///   - priceLocale: the locale that formats the price, with its currency.
    ///   - paymentMode: the way in which it is paid.
    ///   - subscriptionPeriod: the offer's own period.
    ///   - numberOfPeriods: the number of periods that it lasts.
    public convenience init(
        identifier: String? = nil,
        price: NSDecimalNumber,
        priceLocale: Locale = Locale(identifier: "en_US@currency=USD"),
        paymentMode: PaymentMode,
        subscriptionPeriod: SKProductSubscriptionPeriod,
        numberOfPeriods: Int = 1
    ) {
        self.init(
            StoreProduct.Offer(
                identifier: identifier,
                price: price.decimalValue,
                paymentMode: paymentMode.value,
                period: StoreProduct.Period(0, .day),
                periodCount: numberOfPeriods
            ),
            type: identifier == nil ? .introductory : .subscription,
            localeIdentifier: priceLocale.identifier
        )
        // Stored as it is: it may be of a test's own subclass.
        changes.set("subscriptionPeriod", to: subscriptionPeriod)
    }

    /// The identifier of a promotional offer; nil for an introductory one.
    open var identifier: String? { changes.value("identifier", else: terms.offer.identifier) }

    /// The type of the offer: introductory or promotional.
    open var type: SKProductDiscount.`Type` { changes.value("type", else: terms.type) }

    /// The reduced price, in the currency of ``priceLocale``: paid each period, once or not at all, see
    /// ``paymentMode``.
    open var price: NSDecimalNumber { changes.value("price", else: NSDecimalNumber(decimal: terms.offer.price)) }

    /// The locale that formats the price, with its currency.
    open var priceLocale: Locale { changes.value("priceLocale", else: Locales.locale(terms.localeIdentifier)) }

    /// The way in which the reduced price is paid.
    open var paymentMode: SKProductDiscount.PaymentMode {
        changes.value("paymentMode", else: PaymentMode(terms.offer.paymentMode))
    }

    /// The number of its periods that the offer lasts.
    open var numberOfPeriods: Int { changes.value("numberOfPeriods", else: terms.offer.periodCount) }

    /// The offer's own period.
    open var subscriptionPeriod: SKProductSubscriptionPeriod {
        changes.value("subscriptionPeriod", else: SKProductSubscriptionPeriod(terms.offer.period))
    }

    /// The properties that are compared.
    private struct Value: Hashable {
        let identifier: String?
        let type: `Type`
        let price: Decimal
        let localeIdentifier: String
        let paymentMode: PaymentMode
        let numberOfPeriods: Int
        let subscriptionPeriod: SKProductSubscriptionPeriod
    }

    private final var value: Value {
        Value(
            identifier: identifier,
            type: type,
            price: price.decimalValue,
            localeIdentifier: priceLocale.identifier,
            paymentMode: paymentMode,
            numberOfPeriods: numberOfPeriods,
            subscriptionPeriod: subscriptionPeriod
        )
    }

    /// Whether the other object is an offer with equal properties.
    override open func isEqual(_ object: Any?) -> Bool {
        (object as? SKProductDiscount).map { $0.value == value } ?? false
    }

    /// A hash of the properties.
    override open var hash: Int { value.hashValue }

    override class var properties: [String: KeyedProperty] { keys }
}

extension SKProductDiscount {
    fileprivate struct Terms {
        var offer: StoreProduct.Offer
        var type: `Type`
        var localeIdentifier: String
    }
}

extension SKProductDiscount.PaymentMode {
    fileprivate init(_ mode: StoreProduct.Offer.PaymentMode) {
        switch mode {
        case .payAsYouGo: self = .payAsYouGo
        case .payUpFront: self = .payUpFront
        case .freeTrial: self = .freeTrial
        }
    }

    /// The mode as stores represent it.
    fileprivate var value: StoreProduct.Offer.PaymentMode {
        switch self {
        case .payAsYouGo: .payAsYouGo
        case .payUpFront: .payUpFront
        case .freeTrial: .freeTrial
        }
    }
}

extension SKProductDiscount: ChangeKeeper {
    func keep(_ value: Any, for key: String) { changes.set(key, to: value) }

    private static let keys = Dictionary(
        named: KeyedProperty("identifier", \SKProductDiscount.identifier, KeyedKind<String>.text.optional),
        KeyedProperty("type", \SKProductDiscount.type, .cases),
        KeyedProperty("price", \SKProductDiscount.price, .decimal),
        KeyedProperty("priceLocale", \SKProductDiscount.priceLocale, .cast("a Locale")),
        KeyedProperty("paymentMode", \SKProductDiscount.paymentMode, .cases),
        KeyedProperty("numberOfPeriods", \SKProductDiscount.numberOfPeriods, .integer),
        KeyedProperty(
            "subscriptionPeriod",
            \SKProductDiscount.subscriptionPeriod,
            .cast("an SKProductSubscriptionPeriod")
        )
    )
}
