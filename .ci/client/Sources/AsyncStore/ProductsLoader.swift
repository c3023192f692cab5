import StoreKit

/// Asks for products once; cancelling the task cancels the request.
final class ProductsLoader: NSObject, @unchecked Sendable {
    // unchecked: the continuation is touched under the lock only, and a request may be cancelled on any thread.
    private let request: SKProductsRequest
    private let lock = NSLock()
    private var continuation: CheckedContinuation<[SKProduct], any Error>?

    init(_ identifiers: Set<String>) {
        request = SKProductsRequest(productIdentifiers: identifiers)
        super.init()
        request.delegate = self
    }

    func products() async throws -> [SKProduct] {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                lock.withLock { self.continuation = continuation }
                guard !Task.isCancelled else { return cancel() }
                request.start()
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        request.cancel()
        end(.failure(CancellationError()))
    }

    private func end(_ result: Result<[SKProduct], any Error>) {
        let continuation = lock.withLock {
            defer { self.continuation = nil }
            return self.continuation
        }
        continuation?.resume(with: result)
    }
}

extension ProductsLoader: SKProductsRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        end(.success(response.products))
    }

    func request(_ request: SKRequest, didFailWithError error: any Error) { end(.failure(error)) }
}
