import Foundation

/// A refunded purchase.
struct Refund: Hashable, Codable, Sendable {
    /// The account that had paid.
    let account: AccountID
    /// The revoked transactions: the purchase, and those that repeated it at no charge.
    let transactions: [TransactionNumber]
    /// The product.
    let product: ProductIndex
    /// The products whose access ended with it, as the app is told; empty where there was no access any more.
    let revoked: [String]
    /// The subscription that ended with it; nil for none, and in records of older versions of the store.
    var ended: SubscriptionIndex?
}
