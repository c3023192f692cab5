import Foundation
import StoreCore

extension Transaction {
    /// Requests a refund from the store's operator, without a sheet in which the user gives a reason.
    ///
    /// - Parameter transactionID: the ``id`` of the transaction.
    /// - Returns: the outcome of the request. The operator decides about the refund later; a refund is reported as an
    ///   update with a ``revocationDate``.
    /// - Throws: a ``RefundRequestError`` with the reason why the store did not accept the request, a ``StoreKitError``
    ///   if it could not be reached or has no history, and a `CancellationError` in a task that is canceled.
    public static func beginRefundRequest(for transactionID: UInt64) async throws -> RefundRequestStatus {
        try await StoreKit2Driver.current.requestRefund(String(transactionID))
    }

    /// The outcome of a request for a refund.
    public enum RefundRequestStatus: Equatable, Hashable, Sendable {
        /// The user canceled the request; no store of this library reports that, since there is no sheet.
        case userCancelled
        /// The store accepted the request, and its operator decides about the refund later.
        case success
    }

    /// The reason why no refund was requested.
    public enum RefundRequestError: Error, Equatable, Hashable, Sendable {
        /// The transaction is refunded already, or a request for it is pending or was refused.
        case duplicateRequest
        /// The store did not accept the request.
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

    /// A sentence that suggests what the user can do, in English; nil if there is nothing to do.
    public var recoverySuggestion: String? {
        switch self {
        case .duplicateRequest, .ineligible: nil
        case .failed: "Try again later."
        }
    }

    /// Returns the error that an `NSError` represents; nil if its domain and code are not those of this type.
    public static func _bridged(from error: NSError) -> Self? {
        [.duplicateRequest, .failed, .ineligible].first { $0._domain == error.domain && $0._code == error.code }
    }
}

extension Transaction {
    /// The date on which the purchase was refunded or sharing ended; nil if neither happened.
    public var revocationDate: Date? { payload.revocationDate?.date }

    /// The reason for the refund or for the end of sharing; nil if there is neither.
    public var revocationReason: RevocationReason? {
        payload.revocationReason.map { RevocationReason(rawValue: $0.rawValue) }
    }

    /// The kind of the revocation; nil if there is none.
    public var revocationType: RevocationType? { payload.revocationType.map { RevocationType(rawValue: $0.rawValue) } }

    /// The raw value of ``revocationType``.
    public var revocationTypeStringRepresentation: String? { payload.revocationType?.rawValue }

    /// The part of the price that was refunded, in percent: 0 to 100; nil if the store does not report it.
    public var revocationPercentage: Decimal? { payload.revocationPercentage.map { Decimal(thousandths: $0) } }

    /// The reason for a refund or for the end of sharing.
    public struct RevocationReason: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in the payload.
        public let rawValue: Int
        /// Creates a reason, which may be one that is not listed here.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A problem with the app.
        public static let developerIssue = RevocationReason(rawValue: 1)
        /// Anything but a problem with the app.
        public static let other = RevocationReason(rawValue: 0)
        /// The subscription became a part of a bundle.
        ///
        /// The number is this library's choice: Apple does not publish its own.
        public static var upgradedToBundle: RevocationReason { RevocationReason(rawValue: 2) }

        /// The reason in words, in English.
        public var localizedDescription: String {
            switch self {
            case .developerIssue: "Problem with the app"
            case .other: "Other reason"
            case .upgradedToBundle: "Upgraded to a bundle"
            default: "Unknown"
            }
        }
    }

    /// The kind of a revocation.
    public struct RevocationType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in the payload.
        public let rawValue: String
        /// Creates a kind, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The whole price was refunded.
        public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
        /// A part of the price was refunded.
        public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
        /// The family no longer shares the purchase.
        public static let familyRevocation = RevocationType(rawValue: "FAMILY_REVOKE")
        /// An organization withdrew what it had assigned.
        public static var assignmentRevocation: RevocationType { RevocationType(rawValue: "ASSIGNMENT_REVOKE") }
    }
}
