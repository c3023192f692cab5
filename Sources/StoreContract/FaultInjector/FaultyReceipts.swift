import Foundation
import StoreCore

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
