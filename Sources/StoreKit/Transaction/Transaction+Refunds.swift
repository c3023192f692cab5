import Foundation
import StoreCore

extension Transaction {
    /// Requests a refund from the store's operator, without a sheet in which the user gives a reason.
    ///
    /// - Parameter transactionID: the ``id`` of the transaction.
    /// - Returns: what became of the request. What becomes of the refund is the operator's decision; a refund is an
    ///   update with a ``revocationDate``.
    /// - Throws: the ``RefundRequestError`` that says why the store has taken no request, a ``StoreKitError`` if it could not be
    ///   asked or has no history, and a `CancellationError` in a task that is canceled.
    public static func beginRefundRequest(for transactionID: UInt64) async throws -> RefundRequestStatus {
        try await StoreFace.current.requestRefund(String(transactionID))
    }

    /// The outcome of a request for a refund.
    public enum RefundRequestStatus: Equatable, Hashable, Sendable {
        /// The user canceled the request.
        case userCancelled
        /// The operator has the request.
        case success
    }

    /// The reason why no refund was requested.
    public enum RefundRequestError: Error, Equatable, Hashable, Sendable {
        /// The transaction is refunded already, or a request for it waits or was refused.
        case duplicateRequest
        /// The store took no request.
        case failed
        /// The transaction cannot be refunded: it cost nothing, or another member of the family bought it.
        case ineligible
    }
}

extension Transaction.RefundRequestError: LocalizedError, _BridgedError {
    /// A sentence for the user, in English.
    public var errorDescription: String? { "The refund could not be requested." }

    /// A sentence that names the cause, in English.
    public var failureReason: String? {
        switch self {
        case .duplicateRequest: "A refund for this purchase has been requested before."
        case .failed: "The store did not take the request."
        case .ineligible: "This purchase cannot be refunded."
        }
    }

    /// A sentence that says what the user can do, in English; nil if that is nothing.
    public var recoverySuggestion: String? {
        switch self {
        case .duplicateRequest, .ineligible: nil
        case .failed: "Try again later."
        }
    }

    /// Returns the error that an `NSError` with the domain and a number of this type stands for.
    public static func _bridged(from error: NSError) -> Self? {
        [.duplicateRequest, .failed, .ineligible].first { $0._domain == error.domain && $0._code == error.code }
    }
}
