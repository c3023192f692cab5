import Foundation

/// A request for the store's descriptions of products.
///
/// Stores compare identifiers by their code units. Of several canonically equivalent strings, such as "é" written as
/// one scalar and as two, a Swift `Set` contains only one: request them separately.
///
/// If the request succeeds, the delegate receives a response and, directly afterwards,
/// ``SKRequestDelegate/requestDidFinish(_:)``. The response has a product for each identifier that is sold, and lists
/// all other identifiers as invalid. If the request fails, the delegate receives only an error.
open class SKProductsRequest: SKRequest {
    private let productIdentifiers: Set<String>

    /// Creates a request for no products; the response is empty.
    public override init() {
        productIdentifiers = []
        super.init()
    }

    /// Creates a request for products by their identifiers, on which the app and the store have agreed.
    public init(productIdentifiers: Set<String>) {
        self.productIdentifiers = productIdentifiers
        super.init()
    }

    /// Creates a request to a given store, in a context of its own.
    ///
    /// - Parameters:
    ///   - productIdentifiers: the identifiers on which the app and the store have agreed.
    ///   - backend: the store.
    ///   - delivery: the place where the delegate is called.
    public convenience init(
        productIdentifiers: Set<String>,
        backend: any StoreBackend,
        delivery: StoreDelivery = .main
    ) {
        InitializerHandover.leave(StoreContext(backend: backend, delivery: delivery), for: Self.self)
        self.init(productIdentifiers: productIdentifiers)
    }

    /// The delegate that receives the response, held weakly.
    // A subclass cannot narrow the type of a property, but it can declare another property with the same name.
    @_nonoverride open var delegate: (any SKProductsRequestDelegate)? {
        get { target as? any SKProductsRequestDelegate }
        set { target = newValue }
    }

    override var narrowedDelegate: (any SKRequestDelegate)? {
        get { delegate ?? target }
        set {
            delegate = newValue as? any SKProductsRequestDelegate
            if delegate == nil { target = newValue }
        }
    }

    override var listener: (any SKRequestDelegate)? { delegate ?? target }

    override func send(_ reply: @escaping @Sendable (RequestAnswer) -> Void) {
        (context.core.backendOrWarning ?? NoBackend.shared).products(productIdentifiers) { result in
            switch result {
            case .success(let answer): reply(.products(answer))
            case .failure(let failure): reply(.failed(failure))
            }
        }
    }

    override func notify(_ listener: any SKRequestDelegate, _ answer: RequestAnswer) {
        guard case .products(let answer) = answer else { return }
        (listener as? any SKProductsRequestDelegate)?.productsRequest(self, didReceive: SKProductsResponse(answer))
    }
}

/// The delegate of a products request, which receives the response.
public protocol SKProductsRequestDelegate: SKRequestDelegate {
    /// Reports the store's response, directly before ``SKRequestDelegate/requestDidFinish(_:)``.
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}

/// The store's response to an ``SKProductsRequest``.
///
/// A response may be read on any thread.
// unchecked: the arrays are only written by initializers, and a lock guards the changes through key-value coding.
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
        self.init(products: answer.products.map { SKProduct($0) }, invalidProductIdentifiers: answer.invalidIdentifiers)
    }

    /// A product for each identifier that the store sells, in the order of the store's response.
    ///
    /// In ``SandboxStore``, that is the order of registration, the same in every run. Apple promises no order: an app
    /// that also uses Apple's Store Kit must find its products by their identifiers.
    open var products: [SKProduct] { changes.value("products", else: known) }

    /// The identifiers that the store does not sell, in the order of the store's response; usually none.
    ///
    /// In ``SandboxStore``, they are sorted.
    open var invalidProductIdentifiers: [String] { changes.value("invalidProductIdentifiers", else: unknown) }

    override class var properties: [String: KeyedProperty] { keys }
}

extension SKProductsResponse: ChangeStoring {
    func storeChange(_ value: Any, for key: String) { changes.set(key, to: value) }

    private static let keys = Dictionary(
        named: KeyedProperty("products", \SKProductsResponse.products, .cast("an array of SKProduct")),
        KeyedProperty(
            "invalidProductIdentifiers",
            \SKProductsResponse.invalidProductIdentifiers,
            .cast("an array of String")
        )
    )
}
