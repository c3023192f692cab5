import Foundation

/// A notification to an app's server, as in the App Store Server Notifications.
package struct ServerNotification: Sendable {
    /// The position of a notification: its record in the ledger, and its index among that record's notifications.
    package struct Position: Hashable, Comparable, Codable, Sendable {
        /// The number of records up to and including the one that the notification is about.
        package var record: Int
        /// The number of earlier notifications about the same record.
        package var index: Int

        /// Creates a position from its parts.
        package init(record: Int, index: Int) {
            self.record = record
            self.index = index
        }

        /// Returns whether a notification comes before another.
        package static func < (left: Position, right: Position) -> Bool {
            (left.record, left.index) < (right.record, right.index)
        }
    }

    /// The outcome of an extension for all subscribers of a product.
    package struct Summary: Hashable, Codable, Sendable {
        /// The server's identifier of the request.
        package let requestIdentifier: String
        /// The product.
        package let productIdentifier: String
        /// The selected countries, ISO 3166-1 alpha-3; empty for all.
        package let storefrontCountryCodes: [String]
        /// The number of extended subscriptions.
        package let succeededCount: Int
        /// The number of subscriptions that could not be extended.
        package let failedCount: Int
    }

    /// An attempt at delivery.
    package struct Attempt: Hashable, Sendable {
        /// The date of the attempt.
        package let date: Date
        /// The result, by its name in the App Store Server API: `SUCCESS`, `TIMED_OUT` and others.
        package let result: String
    }

    /// The position of the notification.
    package let position: Position
    /// The identifier of the notification, which is the same in every process that reads the ledger.
    package let identifier: UUID
    /// The kind, `notificationType`.
    package let type: String
    /// The subtype, nil for none.
    package let subtype: String?
    /// The date of the event.
    package let date: Date
    /// The transaction as of ``date``, nil if the notification is about none.
    package var transaction: TransactionPayload?
    /// The renewal as of ``date``, nil if the notification is about no subscription.
    package var renewal: RenewalPayload?
    /// The subscription's state as of ``date``, 1 to 5; nil if the notification is about no subscription.
    package var status: Int?
    /// The reason for a refund request, if it is known.
    package var consumptionRequestReason: String?
    /// The outcome of an extension for all subscribers; nil for every other notification.
    package var summary: Summary?
    /// The token of the request for a test notification; nil for every other notification.
    package var testToken: String?
    /// The account's purchase of the app, if the notification is about that.
    package var appTransaction: AppTransactionPayload?
    /// The token for purchases outside of the store, if the notification is about one.
    package var externalPurchaseToken: ExternalPurchaseToken?
    /// The attempts at delivery so far, oldest first.
    package var attempts: [Attempt] = []
}

extension ServerNotification {
    /// The outcome of the delivery of a notification.
    package enum Outcome: String, CaseIterable, Sendable {
        /// The last attempt succeeded.
        case delivered
        /// The last attempt failed.
        case failed
        /// There was no attempt.
        case unsent

        /// Returns the outcome of an attempt with a result.
        init(_ result: String) { self = result == "SUCCESS" ? .delivered : .failed }
    }

    /// The outcome of the delivery.
    package var outcome: Outcome { attempts.last.map { Outcome($0.result) } ?? .unsent }
}

/// A query of a store's notifications.
package struct NotificationQuery: Sendable {
    /// The type; nil for all.
    package var type: String?
    /// The identifier of the transaction that the notifications are about; nil for all.
    package var transaction: String?
    /// The outcome of the delivery; nil for all.
    package var outcome: ServerNotification.Outcome?
    /// The position of the last notification on the previous page; nil for the first page.
    package var before: ServerNotification.Position?
    /// The maximum number of notifications.
    package var limit: Int

    /// Creates a query.
    package init(
        type: String? = nil,
        transaction: String? = nil,
        outcome: ServerNotification.Outcome? = nil,
        before: ServerNotification.Position? = nil,
        limit: Int
    ) {
        (self.type, self.transaction, self.outcome) = (type, transaction, outcome)
        (self.before, self.limit) = (before, limit)
    }
}
