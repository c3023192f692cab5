import Foundation
import StoreCore

/// A store's content: requests pass at ``FaultInjector/Point/downloadRequest``, and the bytes at
/// ``FaultInjector/Point/downloadChunk``.
final class FaultyContent: ContentService {
    private let service: any ContentService
    private let injector: FaultInjector

    init(_ service: any ContentService, _ injector: FaultInjector) {
        self.service = service
        self.injector = injector
    }

    func fetchContent(_ request: ContentRequest, reply: @escaping @Sendable (Result<Data, StoreFailure>) -> Void) {
        injector.call(
            .downloadRequest(request),
            reply: reply,
            failed: { .failure($0) },
            answered: { .downloadChunk($0, to: request) },
            ask: { [service] in service.fetchContent(request, reply: $0) }
        )
    }
}
