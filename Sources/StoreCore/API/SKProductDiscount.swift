import Foundation

/// An offer of a subscription at a reduced price: the introductory offer, or a promotional one.
///
/// The offer lasts for ``numberOfPeriods`` of its own ``subscriptionPeriod``, which need not be the product's period.
///
/// An offer may be read on any thread. Two offers are equal if all their properties are equal.
// unchecked: `terms` is only written by initializers, and a lock guards the changes through key-value coding.
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
    ///   - identifier: the identifier of a promotional offer; nil creates an introductory offer.
    ///   - price: the reduced price.
    ///   - priceLocale: the locale that formats the price, with the currency.
    ///   - paymentMode: the way in which the reduced price is paid.
    ///   - subscriptionPeriod: the period of the offer, which may differ from the product's.
    ///   - numberOfPeriods: the number of periods for which the offer lasts.
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
        // The object itself is stored, since it may be an instance of a subclass in a test.
        changes.set("subscriptionPeriod", to: subscriptionPeriod)
    }

    /// The identifier of a promotional offer; nil for an introductory offer.
    open var identifier: String? { changes.value("identifier", else: terms.offer.identifier) }

    /// The type of the offer: introductory or promotional.
    open var type: SKProductDiscount.`Type` { changes.value("type", else: terms.type) }

    /// The reduced price, in the currency of ``priceLocale``.
    ///
    /// Whether it is paid every period, once or not at all depends on the ``paymentMode``.
    open var price: NSDecimalNumber { changes.value("price", else: NSDecimalNumber(decimal: terms.offer.price)) }

    /// The locale that formats the price, with the currency.
    open var priceLocale: Locale { changes.value("priceLocale", else: Locales.locale(terms.localeIdentifier)) }

    /// The way in which the reduced price is paid.
    open var paymentMode: SKProductDiscount.PaymentMode {
        changes.value("paymentMode", else: PaymentMode(terms.offer.paymentMode))
    }

    /// The number of periods for which the offer lasts.
    open var numberOfPeriods: Int { changes.value("numberOfPeriods", else: terms.offer.periodCount) }

    /// The period of the offer, which may differ from the product's.
    open var subscriptionPeriod: SKProductSubscriptionPeriod {
        changes.value("subscriptionPeriod", else: SKProductSubscriptionPeriod(terms.offer.period))
    }

    /// The properties by which two offers are compared.
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

    /// The payment mode in the form that stores use.
    fileprivate var value: StoreProduct.Offer.PaymentMode {
        switch self {
        case .payAsYouGo: .payAsYouGo
        case .payUpFront: .payUpFront
        case .freeTrial: .freeTrial
        }
    }
}

extension SKProductDiscount: ChangeStoring {
    func storeChange(_ value: Any, for key: String) { changes.set(key, to: value) }

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
