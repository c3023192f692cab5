/// A refund that was taken back.
struct RefundReversal: Hashable, Codable, Sendable {
    /// The account that had paid, and pays again.
    let account: AccountID
    /// The transactions that the refund had revoked.
    let transactions: [TransactionNumber]
    /// The product.
    let product: ProductIndex
    /// The subscription whose period continues, nil where none does.
    let resumed: SubscriptionIndex?
}
