import Foundation

/// The store's response to an ``SKProductsRequest``.
///
/// May be read on any thread.
// unchecked: the arrays are written by initializers only, and what key-value coding changes is behind a lock.
open class SKProductsResponse: KeyValueObject, @unchecked Sendable {
    private final var known: [SKProduct] = []
    private final var unknown: [String] = []
    private let changes = KeyedChanges()

    /// Creates a response without products, to be filled in by a subclass or by ``KeyValueObject/setValue(_:forKey:)``.
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

    override class var properties: [String: KeyedProperty] { keys }
}

extension SKProductsResponse: ChangeKeeper {
    func keep(_ value: Any, for key: String) { changes.set(key, to: value) }

    private static let keys = Dictionary(
        named: KeyedProperty("products", \SKProductsResponse.products, .cast("an array of SKProduct")),
        KeyedProperty(
            "invalidProductIdentifiers",
            \SKProductsResponse.invalidProductIdentifiers,
            .cast("an array of String")
        )
    )
}
