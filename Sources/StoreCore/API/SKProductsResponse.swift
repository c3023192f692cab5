import Foundation

/// The store's response to an ``SKProductsRequest``.
///
/// May be read on any thread.
// unchecked: the arrays are written by initializers only, and what key-value coding changes is behind a lock.
open class SKProductsResponse: NSObject, @unchecked Sendable {
    private final var known: [SKProduct] = []
    private final var unknown: [String] = []
    private let changes = KeyedChanges()

    /// Creates a response without products, to be filled in by a subclass or by ``setValue(_:forKey:)``.
    public override init() { super.init() }

    /// Creates a response, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    public convenience init(products: [SKProduct], invalidProductIdentifiers: [String] = []) {
        self.init()
        known = products
        unknown = invalidProductIdentifiers
    }

    convenience init(_ answer: ProductsAnswer) {
        self.init(
            products: answer.products.map { SKProduct($0) },
            invalidProductIdentifiers: answer.invalidIdentifiers
        )
    }

    /// One product for each identifier that the store sells, in the order of the store's answer.
    ///
    /// ``SandboxStore`` returns them in order of registration, the same in every run. Apple promises no order: an app
    /// that runs there too looks its products up by their identifiers.
    open var products: [SKProduct] { changes.value("products", else: known) }

    /// The identifiers that the store does not sell, in the order of the store's answer; usually none.
    ///
    /// ``SandboxStore`` sorts them.
    open var invalidProductIdentifiers: [String] { changes.value("invalidProductIdentifiers", else: unknown) }

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

extension SKProductsResponse: KeyValueCoded {
    private static let keys: [String: KeyedProperty<SKProductsResponse>] = [
        "products": KeyedProperty(\.products, .cast("an array of SKProduct")) { $0.changes.set("products", to: $1) },
        "invalidProductIdentifiers": KeyedProperty(\.invalidProductIdentifiers, .cast("an array of String")) {
            $0.changes.set("invalidProductIdentifiers", to: $1)
        },
    ]
}
