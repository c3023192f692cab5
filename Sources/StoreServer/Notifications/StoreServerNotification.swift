import Foundation
import StoreCore

/// A decoded notification of the App Store's servers about an event in a store.
///
/// The article on notifications lists the types with their subtypes. A property is nil if the notification lacks it.
public struct StoreServerNotification: Sendable {
    /// The outcome of an extension of renewal dates for all subscribers of a product.
    public struct Summary: Hashable, Sendable {
        /// The identifier of the request for the extension, chosen by the app's server.
        public let requestIdentifier: String
        /// The product's identifier.
        public let productIdentifier: String
        /// The countries in the request, ISO 3166-1 alpha-3; empty for all countries.
        public let storefrontCountryCodes: [String]
        /// The number of subscriptions that were extended.
        public let succeededCount: Int
        /// The number of subscriptions that could not be extended.
        public let failedCount: Int
    }

    /// The identifier, `notificationUUID`.
    ///
    /// It is the same at each delivery, and in every process that reads the ledger.
    public let identifier: UUID
    /// The type, `notificationType`, such as `DID_RENEW`.
    public let type: String
    /// The subtype, such as `BILLING_RECOVERY`; nil if the notification has none, as most renewals do not.
    public let subtype: String?
    /// The date of the event that the notification reports.
    public let date: Date
    /// The transaction, as it was at the date of the event.
    public let transaction: TransactionPayload?
    /// The renewal of the subscription, as it was at the date of the event.
    public let renewal: RenewalPayload?
    /// The subscription's state at the date of the event.
    public let state: SubscriptionState?
    /// The customer's reason for requesting a refund.
    public let consumptionRequestReason: String?
    /// The outcome of an extension of renewal dates for all subscribers of a product.
    public let summary: Summary?
    /// The purchase of the app, in a notification that consent for an account was withdrawn.
    public let appTransaction: AppTransactionPayload?
    /// The token for purchases outside of the store, in a notification about one.
    public let externalPurchaseToken: ExternalPurchaseToken?
    /// The JWS that is posted to the app's server.
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
        externalPurchaseToken = notification.externalPurchaseToken
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
    /// The type and the subtype, as in `DID_RENEW BILLING_RECOVERY`.
    public var description: String { [type, subtype].compactMap { $0 }.joined(separator: " ") }
}
