import Foundation
import StoreCore

/// A store's storefront, whose reads pass at ``FaultInjector/Point/storefrontRead``.
final class FaultyStorefront: StorefrontService {
    private let service: any StorefrontService
    private let injector: FaultInjector

    init(_ service: any StorefrontService, _ injector: FaultInjector) {
        self.service = service
        self.injector = injector
    }

    /// The store's value if the read passes, else nil.
    var storefront: StoreStorefront? {
        injector.perform { $0.read(.storefrontRead, &$1) } ? service.storefront : nil
    }

    func decideAfterStorefrontChange(transaction identifier: String, shouldContinue: Bool) {
        service.decideAfterStorefrontChange(transaction: identifier, shouldContinue: shouldContinue)
    }
}

/// A store's receipts, whose refreshes pass at ``FaultInjector/Point/receiptRequest``, and the answers at
/// ``FaultInjector/Point/receiptAnswer``.
final class FaultyReceipts: ReceiptService {
    private let service: any ReceiptService
    private let injector: FaultInjector

    init(_ service: any ReceiptService, _ injector: FaultInjector) {
        self.service = service
        self.injector = injector
    }

    func receipt(forTransaction identifier: String) -> Data? { service.receipt(forTransaction: identifier) }
    var appReceipt: Data? { service.appReceipt }

    func refreshReceipt(_ properties: ReceiptProperties, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        injector.call(
            .receiptRequest(properties),
            reply: reply,
            failed: { $0 },
            answered: { .receiptAnswer($0) },
            ask: { [service] in service.refreshReceipt(properties, reply: $0) }
        )
    }
}

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
