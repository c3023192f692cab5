import Foundation
import StoreCore

/// A filter that selects the notifications for the response to a request for their history.
struct NotificationFilter {
    /// The body of a request for the history of notifications.
    struct Body: Decodable {
        let startDate: Lenient<Int64>?
        let endDate: Lenient<Int64>?
        let notificationType: Lenient<String>?
        let notificationSubtype: Lenient<String>?
        let transactionId: Lenient<String>?
        let onlyFailures: Lenient<Bool>?

        /// A text that binds a pagination token to its request.
        ///
        /// Only equal requests have equal texts.
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

    /// Returns how far the history of an environment goes back, in seconds.
    private static func reach(in environment: String) -> TimeInterval {
        (environment == "Production" ? 180 : 30) * 86_400
    }

    /// Creates the filter that a request describes.
    ///
    /// - Parameters:
    ///   - body: the request.
    ///   - now: the store's time.
    ///   - environment: the store's environment, which determines how far the history goes back.
    ///   - account: returns the account of a transaction, as it is identified in notifications.
    /// - Throws: an ``APIError`` that names the first invalid value.
    init(_ body: Body, now: Date, environment: String, account: (String) throws -> String?) throws {
        guard let start = body.startDate?.value, start >= 0 else { throw APIError.invalidStartDate }
        guard let end = body.endDate?.value, end >= 0 else { throw APIError.invalidEndDate }
        guard start < end else { throw APIError.startDateAfterEndDate }
        dates = PayloadDate(milliseconds: start).date..<PayloadDate(milliseconds: end).date
        guard dates.lowerBound >= now.addingTimeInterval(-Self.reach(in: environment)) else {
            throw APIError.startDateTooFarInPast
        }
        if body.transactionId != nil, body.notificationType != nil { throw APIError.multipleFiltersSupplied }
        (type, subtype) = (body.notificationType?.value, body.notificationSubtype?.value)
        guard Self.isValid(body.notificationType, body.notificationSubtype) else {
            throw APIError.invalidNotificationType
        }
        isOfOneAccount = body.transactionId != nil
        self.account = try body.transactionId.flatMap { identifier in
            guard let identifier = identifier.value else { throw APIError.invalidTransactionIdentifier }
            return try account(identifier)
        }
        onlyFailures = body.onlyFailures?.value ?? false
    }

    /// Returns whether a type is known and may have the subtype.
    private static func isValid(_ type: Lenient<String>?, _ subtype: Lenient<String>?) -> Bool {
        guard type != nil || subtype != nil else { return true }
        guard let subtypes = type?.value.flatMap({ NotificationTypes.subtypes[$0] }) else { return false }
        return subtype.map { subtypes.contains($0.value ?? "") } ?? true
    }

    /// The date before which no notification matches.
    var start: Date { dates.lowerBound }

    /// Returns whether a notification matches.
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
}
