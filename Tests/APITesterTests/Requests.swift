import StoreKit

// Compiles, and so shows that what a client may write about requests compiles: `delegate` above all, which has one type in
// SKRequest and another in SKProductsRequest.

class ClientRequest: SKRequest {
    override init() { super.init() }
    override var delegate: SKRequestDelegate? {
        get { super.delegate }
        set { super.delegate = newValue }
    }
    override func start() { delegate?.requestDidFinish(self) }
    override func cancel() {}
}

class ClientProductsRequest: SKProductsRequest {
    private let identifiers: Set<String>
    private weak var own: SKProductsRequestDelegate?
    override init(productIdentifiers: Set<String>) {
        identifiers = productIdentifiers
        super.init(productIdentifiers: productIdentifiers)
    }
    override init() {
        identifiers = []
        super.init()
    }
    override var delegate: SKProductsRequestDelegate? {
        get { own }
        set { own = newValue }
    }
    override func start() {
        delegate?.productsRequest(self, didReceive: SKProductsResponse())
        delegate?.requestDidFinish(self)
    }
    override func cancel() { super.cancel() }
}

class GrandchildRequest: ClientProductsRequest {
    override var delegate: (any SKProductsRequestDelegate)? { didSet {} }
}

class ClientRefreshRequest: SKReceiptRefreshRequest {
    override init() { super.init() }
    override init(receiptProperties properties: [String: Any]?) { super.init(receiptProperties: properties) }
    override var delegate: SKRequestDelegate? {
        get { super.delegate }
        set { super.delegate = newValue }
    }
    override var receiptProperties: [String: Any]? { nil }
    override func start() {}
    override func cancel() {}
}

class PlainProductsRequest: SKProductsRequest {}
class PlainRefreshRequest: SKReceiptRefreshRequest {}

protocol MyProductsRequestProtocol: AnyObject {
    var delegate: SKProductsRequestDelegate? { get set }
    func start()
    func cancel()
}
extension SKProductsRequest: MyProductsRequestProtocol {}

protocol MyRefreshRequestProtocol: AnyObject {
    var delegate: SKRequestDelegate? { get set }
    func start()
}
extension SKReceiptRefreshRequest: MyRefreshRequestProtocol {}

final class Shop: NSObject, SKProductsRequestDelegate {
    var request: SKProductsRequest?
    var found: [SKProduct] = []
    func load() {
        let request = SKProductsRequest(productIdentifiers: ["coins.100"])
        request.delegate = self
        self.request = request
        request.start()
    }
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        found = response.products
        if self.request?.delegate === self { request.delegate = nil }
    }
    func request(_ request: SKRequest, didFailWithError error: Error) { print(error.localizedDescription) }
    func requestDidFinish(_ request: SKRequest) {
        request.delegate = nil
        if request is SKReceiptRefreshRequest || request === self.request { request.cancel() }
    }
}

final class Silent: NSObject, SKRequestDelegate {}

func useRequests(_ silent: Silent, _ shop: Shop) {
    let refresh = SKReceiptRefreshRequest()
    refresh.delegate = silent
    refresh.start()
    let _: [String: Any]? = SKReceiptRefreshRequest(receiptProperties: nil).receiptProperties
    let requests: [SKRequest] = [
        refresh, SKRequest(), SKProductsRequest(), PlainProductsRequest(productIdentifiers: []), PlainRefreshRequest(),
    ]
    for request in requests { request.delegate = shop }
    let request = SKProductsRequest(productIdentifiers: [])
    let delegate = request.delegate
    delegate?.productsRequest(request, didReceive: SKProductsResponse())
    let _: ReferenceWritableKeyPath<SKProductsRequest, SKProductsRequestDelegate?> = \SKProductsRequest.delegate
}
