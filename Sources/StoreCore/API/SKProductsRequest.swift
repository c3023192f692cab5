import Foundation

/// A request for the store's descriptions of products.
///
/// Stores compare identifiers by their code units. A Swift `Set` holds only one of several that are canonically
/// equivalent, such as "é" written as one scalar and as two: request those separately.
///
/// The delegate receives a response, with a product for each identifier that is sold and the rest as invalid, directly
/// followed by the message that the request has finished; or else an error, and nothing more.
open class SKProductsRequest: SKRequest {
    private let productIdentifiers: Set<String>

    /// Creates a request for no products, which is answered with an empty response.
    public override init() {
        productIdentifiers = []
        super.init()
    }

    /// Creates a request for products by the identifiers agreed with the store.
    public init(productIdentifiers: Set<String>) {
        self.productIdentifiers = productIdentifiers
        super.init()
    }

    /// Creates a request to a store, in a context of its own.
    ///
    /// - Parameters:
    ///   - productIdentifiers: the identifiers agreed with the store.
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

    /// The receiver of the response, held weakly.
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
        (listener as? any SKProductsRequestDelegate)?.productsRequest(self, didReceive: SKProductsResponse(answer))
    }
}
