import Foundation

/// What the App Store Server Notifications tell a server of, once.
///
/// Left out of the kinds are `EXTERNAL_PURCHASE_TOKEN`, for there are no purchases outside of the store, and
/// `METADATA_UPDATE`, `MIGRATION` and `PRICE_CHANGE`, which concern Advanced Commerce.
package struct ServerNotification: Sendable {
    /// The place of a notification: the ledger's record that it is about, and its number among those about it.
    package struct Position: Hashable, Comparable, Codable, Sendable {
        /// The number of records up to the one that it is about.
        package var record: Int
        /// The number of notifications about the same record before it.
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
        /// The identifier that the server gave the request.
        package let requestIdentifier: String
        /// The product.
        package let productIdentifier: String
        /// The countries that were meant, ISO 3166-1 alpha-3; empty for all.
        package let storefrontCountryCodes: [String]
        /// The number of extended subscriptions.
        package let succeededCount: Int
        /// The number of subscriptions that could not be extended.
        package let failedCount: Int
    }

    /// A delivery that was tried.
    package struct Attempt: Hashable, Sendable {
        /// The date.
        package let date: Date
        /// Its result, in the App Store's words: `SUCCESS`, `TIMED_OUT` and others.
        package let result: String
    }

    /// Its place.
    package let position: Position
    /// Its identifier: the same in every process that reads the ledger.
    package let identifier: UUID
    /// The kind, `notificationType`.
    package let type: String
    /// What it says more precisely, nil where there is nothing.
    package let subtype: String?
    /// The date at which it happened.
    package let date: Date
    /// The transaction as it was then, nil where it is about none.
    package var transaction: TransactionPayload?
    /// The renewal as it was then, nil where it is about no subscription.
    package var renewal: RenewalPayload?
    /// The subscription's state then, 1 to 5; nil where it is about none.
    package var status: Int?
    /// The reason for a request for a refund, where that is known.
    package var consumptionRequestReason: String?
    /// The outcome of an extension for all subscribers; nil for every other notification.
    package var summary: Summary?
    /// The token of the request for a test notification; nil for every other notification.
    package var testToken: String?
    /// The account's purchase of the app, where that is what it is about.
    package var appTransaction: AppTransactionPayload?
    /// The deliveries that were tried until now, oldest first.
    package var attempts: [Attempt] = []
}
