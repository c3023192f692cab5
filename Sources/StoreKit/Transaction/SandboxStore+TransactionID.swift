import Foundation
import StoreCore

extension SandboxStore {
    /// Refunds a transaction of Store Kit 2, as `refund(_:percentage:reason:)` does with a transaction's identifier.
    ///
    /// - Parameters:
    ///   - transactionID: the ``Transaction/id`` of a purchase or a renewal.
    ///   - percentage: the share of the price: above 0, at most 100, with at most three digits behind the point.
    ///   - reason: the reason in signed payloads and receipts.
    /// - Throws: as that function.
    public func refund(
        _ transactionID: UInt64,
        percentage: Decimal = 100,
        reason: TransactionPayload.RevocationReason = .other
    ) throws {
        try refund(String(transactionID), percentage: percentage, reason: reason)
    }
}
