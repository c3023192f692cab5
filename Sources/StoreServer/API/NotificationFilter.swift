import Foundation
import StoreCore

/// The notifications that a request for their history is about.
struct NotificationFilter {
    /// The body of a request.
    struct Body: Decodable {
        let startDate: Lenient<Int64>?
        let endDate: Lenient<Int64>?
        let notificationType: Lenient<String>?
        let notificationSubtype: Lenient<String>?
        let transactionId: Lenient<String>?
        let onlyFailures: Lenient<Bool>?

        /// The same for the same request, and no other.
        var fingerprint: String {
            let parts: [String?] = [
                startDate?.value.map { String($0) }, endDate?.value.map { String($0) }, notificationType?.value,
                notificationSubtype?.value, transactionId?.value, onlyFailures?.value.map { String($0) },
            ]
            return parts.map { $0.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined()
        }
    }

    private let dates: Range<Date>
    private let type: String?
    private let subtype: String?
    private let account: String?
    private let isOfOneAccount: Bool
    private let onlyFailures: Bool

    /// The most seconds that a history goes back.
    static let reach: TimeInterval = 180 * 86_400

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - body: the request.
    ///   - now: the store's time.
    ///   - account: returns the account of a transaction, as notifications name it.
    /// - Throws: an ``APIError`` that names the first value that makes no sense.
    init(_ body: Body, now: Date, account: (String) throws -> String?) throws {
        guard let start = body.startDate?.value, start >= 0 else { throw APIError.invalidStartDate }
        guard let end = body.endDate?.value, end >= 0 else { throw APIError.invalidEndDate }
        guard start < end else { throw APIError.startDateAfterEndDate }
        dates = PayloadDate(milliseconds: start).date..<PayloadDate(milliseconds: end).date
        guard dates.lowerBound >= now.addingTimeInterval(-Self.reach) else { throw APIError.startDateTooFarInPast }
        if body.transactionId != nil, body.notificationType != nil { throw APIError.multipleFiltersSupplied }
        type = try body.notificationType.map { try Self.checked($0, Self.types) }
        subtype = try body.notificationSubtype.map { try Self.checked($0, Self.subtypes) }
        isOfOneAccount = body.transactionId != nil
        self.account = try body.transactionId.flatMap { identifier in
            guard let identifier = identifier.value else { throw APIError.invalidTransactionIdentifier }
            return try account(identifier)
        }
        onlyFailures = body.onlyFailures?.value ?? false
    }

    private static func checked(_ value: Lenient<String>, _ known: Set<String>) throws -> String {
        guard let text = value.value, known.contains(text) else { throw APIError.invalidNotificationType }
        return text
    }

    /// The date before which no notification is meant.
    var start: Date { dates.lowerBound }

    /// Returns whether a notification is meant.
    func contains(_ notification: ServerNotification) -> Bool {
        guard dates.contains(notification.date) else { return false }
        if let type, notification.type != type { return false }
        if let subtype, notification.subtype != subtype { return false }
        if isOfOneAccount {
            let own = notification.transaction?.appTransactionId ?? notification.appTransaction?.appTransactionId
            guard own != nil, own == account else { return false }
        }
        return !onlyFailures
            || notification.attempts.last.map { $0.result != SendAttemptResult.success.rawValue } ?? false
    }

    private static let types: Set = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW", "DID_RENEW",
        "EXPIRED", "EXTERNAL_PURCHASE_TOKEN", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION", "OFFER_REDEEMED",
        "ONE_TIME_CHARGE", "PRICE_CHANGE", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "RESCIND_CONSENT", "REVOKE", "SUBSCRIBED", "TEST",
    ]
    private static let subtypes: Set = [
        "ACCEPTED", "ACTIVE_TOKEN_REMINDER", "AUTO_RENEW_DISABLED", "AUTO_RENEW_ENABLED", "BILLING_RECOVERY",
        "BILLING_RETRY", "CREATED", "DOWNGRADE", "FAILURE", "GRACE_PERIOD", "INITIAL_BUY", "PENDING", "PRICE_INCREASE",
        "PRODUCT_NOT_FOR_SALE", "RESUBSCRIBE", "SUMMARY", "UNREPORTED", "UPGRADE", "VOLUNTARY",
    ]
}
