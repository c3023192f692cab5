import Foundation

/// A change by an app's server, a change to a refund, or a notification to servers.
enum ServerChange: Hashable, Codable, Sendable {
    /// A subscription's running period was extended.
    case extended(subscription: SubscriptionIndex, SubscriptionTerm, RenewalExtension)
    /// An extension of all subscriptions to a product left out one that cannot be extended.
    case notExtended(subscription: SubscriptionIndex, RenewalExtension)
    /// An extension of all subscriptions to a product was completed.
    case extendedAll(MassExtension)
    /// A purchase, or a subscription with its future renewals, was assigned to another user of the app.
    case tokenSet(original: TransactionNumber, account: AccountID, token: UUID)
    /// A server reported on the consumption of a purchase, in JSON.
    case consumptionReported(transaction: TransactionNumber, report: Data)
    /// A refund was requested, for a reason if one is known, and awaits a decision.
    case refundRequested(transaction: TransactionNumber, reason: String?)
    /// A requested refund was declined.
    case refundDeclined(transaction: TransactionNumber)
    /// A refund was reversed.
    case refundReversed(RefundReversal)
    /// A parent's consent to the use of the app was withdrawn for an account.
    case consentRescinded(account: AccountID)
    /// Servers are notified of all changes from now on.
    case notificationsBegun
    /// A server requested a test notification.
    case testRequested(token: String)
    /// The delivery of a notification was attempted; `index` is its place among the record's notifications.
    case attempted(record: Int, index: Int, result: String)
    /// A server finished a transaction, for all devices.
    case finished(Deletion.Withdrawn)
    /// A retention message or an image was changed, or a message was shown.
    case retention(RetentionChange)
    /// A server made a request of the Advanced Commerce API.
    indirect case advancedCommerce(AdvancedCommerceChange)
}

/// A refunded purchase.
struct Refund: Hashable, Codable, Sendable {
    /// The account that paid.
    let account: AccountID
    /// The revoked transactions: the purchase and its free repetitions.
    let transactions: [TransactionNumber]
    /// The product.
    let product: ProductIndex
    /// The products to which the refund ended access, as reported to the app; empty if access had ended before.
    let revoked: [String]
    /// The subscription that the refund ended; nil if none, or if an older version of the store recorded the refund.
    var ended: SubscriptionIndex?
    /// The share of the price that was refunded, in thousandths of a percent; nil for the whole price.
    var percentage: Int?
    /// The reason in signed payloads; nil for any other reason than a problem with the app.
    var reason: Int?

    /// The whole price, in thousandths of a percent.
    static let whole = 100_000
    /// The reason, in signed payloads, of the refund of a subscription whose account has bought a bundle that includes
    /// it.
    static let upgradedToBundle = 2

    /// Returns the amount refunded of a charge, rounded to thousandths of the currency's unit.
    func amount(of charge: Decimal) -> Decimal {
        guard let percentage else { return charge }
        var (exact, rounded) = (charge * Decimal(percentage) / Decimal(Self.whole), Decimal())
        NSDecimalRound(&rounded, &exact, 3, .plain)
        return rounded
    }
}

/// The reversal of a refund.
struct RefundReversal: Hashable, Codable, Sendable {
    /// The account that paid, and is charged again.
    let account: AccountID
    /// The transactions that the refund had revoked.
    let transactions: [TransactionNumber]
    /// The product.
    let product: ProductIndex
    /// The subscription whose period continues, nil for none.
    let resumed: SubscriptionIndex?
}

/// A request to extend a subscription's renewal date.
struct RenewalExtension: Hashable, Codable, Sendable {
    let days: Int
    /// The reason's code in the App Store Server API.
    let reason: Int
    /// The server's identifier of the request.
    let request: String
}

/// The outcome of extending the renewal dates of all subscribers to a product.
struct MassExtension: Hashable, Codable, Sendable {
    let product: ProductIndex
    /// The server's identifier of the request.
    let request: String
    /// The selected countries, ISO 3166-1 alpha-3; empty for all.
    let storefronts: [String]
    let succeeded: Int
    let failed: Int
}
