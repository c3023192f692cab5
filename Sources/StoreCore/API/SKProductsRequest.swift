import Foundation

/// Asks the store to describe products.
///
/// Stores compare identifiers by their code units. A Swift `Set` holds only one of several that are canonically
/// equivalent, such as "é" written as one scalar and as two: ask for those in requests of their own.
///
/// The delegate gets a response, with a product for each identifier that is sold and the rest as invalid, and right
/// after it that the request has finished; or else an error, and nothing more.
open class SKProductsRequest: SKRequest {
    private let productIdentifiers: Set<String>

    /// Makes a request for nothing, which is answered with an empty response.
    public override init() {
        productIdentifiers = []
        super.init()
    }

    /// Makes a request for products by the identifiers agreed with the store.
    public init(productIdentifiers: Set<String>) {
        self.productIdentifiers = productIdentifiers
        super.init()
    }

    /// Makes a request to a store, in a context of its own.
    ///
    /// - Parameters:
    ///   - productIdentifiers: the identifiers agreed with the store.
    ///   - backend: the store.
    ///   - delivery: where the delegate is called.
    public convenience init(
        productIdentifiers: Set<String>,
        backend: any StoreBackend,
        delivery: StoreDelivery = .main
    ) {
        InitializerHandover.leave(StoreContext(backend: backend, delivery: delivery), for: Self.self)
        self.init(productIdentifiers: productIdentifiers)
    }

    /// Gets the response. Not kept alive.
    // A subclass cannot narrow a property's type, but it can declare another one of the same name.
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

    override func tell(_ listener: any SKRequestDelegate, _ answer: RequestAnswer) {
        guard case .products(let answer) = answer else { return }
        let response = SKProductsResponse(
            products: answer.products.map { SKProduct($0) },
            invalidProductIdentifiers: answer.invalidIdentifiers
        )
        (listener as? any SKProductsRequestDelegate)?.productsRequest(self, didReceive: response)
    }
}
