import Foundation

/// The country in which the store sells on this device.
///
/// A storefront may be read on any thread. Two storefronts are equal if their countries and identifiers are equal.
// unchecked: `storefront` is only written by initializers, and a lock guards the changes through key-value coding.
open class SKStorefront: KeyValueObject, @unchecked Sendable {
    private final var storefront: StoreStorefront
    private let changes = KeyedChanges()

    /// Creates an empty storefront, to be filled in by a subclass or by ``KeyValueObject/setValue(_:forKey:)``.
    public override init() {
        storefront = StoreStorefront(countryCode: "", identifier: "")
        super.init()
    }

    /// Creates a storefront, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    public convenience init(countryCode: String, identifier: String) {
        self.init(StoreStorefront(countryCode: countryCode, identifier: identifier))
    }

    convenience init(_ storefront: StoreStorefront) {
        self.init()
        self.storefront = storefront
    }

    /// The country's code in ISO 3166-1 alpha-3: three letters, as in `USA`.
    open var countryCode: String { changes.value("countryCode", else: storefront.countryCode) }

    /// The store's identifier of the storefront.
    open var identifier: String { changes.value("identifier", else: storefront.identifier) }

    private final var value: StoreStorefront { StoreStorefront(countryCode: countryCode, identifier: identifier) }

    /// Whether the other object is a storefront with the same country and identifier.
    override open func isEqual(_ object: Any?) -> Bool {
        (object as? SKStorefront).map { $0.value == value } ?? false
    }

    /// A hash of the country and the identifier.
    override open var hash: Int { value.hashValue }

    override class var properties: [String: KeyedProperty] { keys }
}

extension SKStorefront: ChangeStoring {
    func storeChange(_ value: Any, for key: String) { changes.set(key, to: value) }

    private static let keys = Dictionary(
        named: KeyedProperty("countryCode", \SKStorefront.countryCode, .text),
        KeyedProperty("identifier", \SKStorefront.identifier, .text)
    )
}

extension NSNotification.Name {
    /// The name of a notification of another storefront.
    ///
    /// The default notification center posts it after the calls of
    /// ``SKPaymentTransactionObserver/paymentQueueDidChangeStorefront(_:)``, on the same thread and in the same
    /// ``StoreContext``. Its object is the payment queue. It is posted while the queue has an observer, or Store Kit 2 is
    /// in use. A block that the notification center runs on an operation queue ends before the next callback.
    public static let SKStorefrontCountryCodeDidChange =
        NSNotification.Name("SKStorefrontCountryCodeDidChangeNotification")
}
