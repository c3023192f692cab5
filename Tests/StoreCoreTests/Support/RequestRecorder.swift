import Foundation
import StoreCore

/// A request's delegate that records all it hears.
final class RequestRecorder: NSObject, SKProductsRequestDelegate, @unchecked Sendable {
    // unchecked: everything is behind the lock or constant.
    enum Event: Equatable {
        case response([String], invalid: [String])
        case finished
        case failed(Trouble)
    }

    private struct State {
        var history: [Event] = []
        var responses: [SKProductsResponse] = []
        var errors: [any Error] = []
        var requests: [ObjectIdentifier] = []
    }

    private let state = Locked(State())
    private let onResponse: (@Sendable (SKProductsRequest) -> Void)?
    private let onEnd: (@Sendable (SKRequest) -> Void)?

    init(onResponse: (@Sendable (SKProductsRequest) -> Void)? = nil, onEnd: (@Sendable (SKRequest) -> Void)? = nil) {
        self.onResponse = onResponse
        self.onEnd = onEnd
    }

    /// Everything heard, in order; identifiers sorted.
    var history: [Event] { state.withLock { $0.history } }
    var responses: [SKProductsResponse] { state.withLock { $0.responses } }
    var errors: [any Error] { state.withLock { $0.errors } }
    /// Which request each message was about.
    var requests: [ObjectIdentifier] { state.withLock { $0.requests } }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        state.withLock { state in
            let products = response.products.map(\.productIdentifier).sorted()
            state.history.append(.response(products, invalid: response.invalidProductIdentifiers.sorted()))
            state.responses.append(response)
            state.requests.append(ObjectIdentifier(request))
        }
        onResponse?(request)
    }

    func requestDidFinish(_ request: SKRequest) {
        state.withLock { state in
            state.history.append(.finished)
            state.requests.append(ObjectIdentifier(request))
        }
        onEnd?(request)
    }

    func request(_ request: SKRequest, didFailWithError error: any Error) {
        state.withLock { state in
            state.history.append(.failed(Trouble(error)))
            state.errors.append(error)
            state.requests.append(ObjectIdentifier(request))
        }
        onEnd?(request)
    }
}
