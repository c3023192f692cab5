import Foundation
import StoreCore

/// A decoded notification of the App Store's servers about an event in a store.
///
/// The article on notifications has the table of kinds and subtypes. Each property is nil if the notification has no such
/// member.
public struct StoreServerNotification: Sendable {
    /// The outcome of an extension of renewal dates for all subscribers of a product.
    public struct Summary: Hashable, Sendable {
        /// The identifier that the server gave the request.
        public let requestIdentifier: String
        /// The product.
        public let productIdentifier: String
        /// The countries of the request, ISO 3166-1 alpha-3; empty for all.
        public let storefrontCountryCodes: [String]
        /// The number of extended subscriptions.
        public let succeededCount: Int
        /// The number of subscriptions that could not be extended.
        public let failedCount: Int
    }

    /// The identifier, `notificationUUID`: the same at each delivery, and in every process that reads the ledger.
    public let identifier: UUID
    /// The kind, `notificationType`, such as `DID_RENEW`.
    public let type: String
    /// The subtype, such as `BILLING_RECOVERY`.
    public let subtype: String?
    /// The date of the event.
    public let date: Date
    /// The transaction at that date.
    public let transaction: TransactionPayload?
    /// The renewal at that date.
    public let renewal: RenewalPayload?
    /// The subscription's state at that date.
    public let state: SubscriptionState?
    /// The customer's reason for a request for a refund.
    public let consumptionRequestReason: String?
    /// The outcome of an extension for all subscribers.
    public let summary: Summary?
    /// The purchase of the app, for an account that withdraws its consent.
    public let appTransaction: AppTransactionPayload?
    /// The JWS that is posted.
    public let signedPayload: String

    init(_ notification: ServerNotification, signedPayload: String) {
        identifier = notification.identifier
        type = notification.type
        subtype = notification.subtype
        date = notification.date
        transaction = notification.transaction
        renewal = notification.renewal
        state = notification.status.flatMap { SubscriptionState(rawValue: $0) }
        consumptionRequestReason = notification.consumptionRequestReason
        summary = notification.summary.map { Summary($0) }
        appTransaction = notification.appTransaction
        self.signedPayload = signedPayload
    }
}

extension StoreServerNotification.Summary {
    fileprivate init(_ summary: ServerNotification.Summary) {
        requestIdentifier = summary.requestIdentifier
        productIdentifier = summary.productIdentifier
        storefrontCountryCodes = summary.storefrontCountryCodes
        succeededCount = summary.succeededCount
        failedCount = summary.failedCount
    }
}

extension StoreServerNotification: CustomStringConvertible {
    /// Kind and subtype, as in `DID_RENEW BILLING_RECOVERY`.
    public var description: String { [type, subtype].compactMap { $0 }.joined(separator: " ") }
}
