import Foundation

/// The country that the store sells for on this device.
///
/// May be read on any thread. Two are equal if country and identifier are.
// unchecked: `storefront` is written by initializers only, and what key-value coding changes is behind a lock.
open class SKStorefront: NSObject, @unchecked Sendable {
    private final var storefront: StoreStorefront
    private let changes = KeyedChanges()

    /// Creates a storefront without content, to be filled in by a subclass or by ``setValue(_:forKey:)``.
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

    /// The country, ISO 3166-1 alpha-3: three letters, as in `USA`.
    open var countryCode: String { changes.value("countryCode", else: storefront.countryCode) }

    /// The store's identifier for the storefront.
    open var identifier: String { changes.value("identifier", else: storefront.identifier) }

    private final var value: StoreStorefront { StoreStorefront(countryCode: countryCode, identifier: identifier) }

    /// Whether the other object is a storefront with the same country and identifier.
    override open func isEqual(_ object: Any?) -> Bool {
        (object as? SKStorefront).map { $0.value == value } ?? false
    }

    /// A hash of country and identifier.
    override open var hash: Int { value.hashValue }

    #if canImport(ObjectiveC)
        override open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        override open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #else
        /// Sets a property by its name, for tests that prepare objects that way.
        ///
        /// An unknown name or a value of another type traps.
        open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        /// Returns the value of a property by its name.
        ///
        /// An unknown name traps.
        open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #endif
}

extension SKStorefront: KeyValueCoded {
    private static let keys: [String: KeyedProperty<SKStorefront>] = [
        "countryCode": KeyedProperty(\.countryCode, .text) { $0.changes.set("countryCode", to: $1) },
        "identifier": KeyedProperty(\.identifier, .text) { $0.changes.set("identifier", to: $1) },
    ]
}
