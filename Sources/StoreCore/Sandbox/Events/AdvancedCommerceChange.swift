import Foundation

/// A change that an app's server made by the Advanced Commerce API.
struct AdvancedCommerceChange: Hashable, Codable, Sendable {
    /// The effect of a change.
    enum Effect: Hashable, Codable, Sendable {
        /// Other events have the effect.
        case others
        /// The texts of a subscription changed, those of the running period and of the next ones.
        case metadata(SubscriptionIndex, now: AdvancedCommerceContent, later: AdvancedCommerceContent)
        /// The prices of the next period changed; the increases are by SKU.
        case prices(SubscriptionIndex, later: AdvancedCommerceContent, increases: [String: AdvancedCommerceIncrease])
        /// A subscription that was bought without a request goes on as one of a generic product.
        case migrated(
            SubscriptionIndex,
            to: ProductIndex,
            now: AdvancedCommerceContent,
            later: AdvancedCommerceContent
        )
        /// Items of a transaction were refunded, possibly as the whole transaction.
        case refunds([AdvancedCommerceRefund], isWhole: Bool)
    }

    /// The server's identifier of the request.
    let reference: UUID
    /// The transactions whose details change.
    let transactions: [TransactionNumber]
    let effect: Effect

    /// The subscription that changes; nil if none does.
    var subscription: SubscriptionIndex? {
        switch effect {
        case .metadata(let subscription, _, _), .prices(let subscription, _, _), .migrated(let subscription, _, _, _):
            subscription
        case .others, .refunds: nil
        }
    }
}

/// The refund of an item.
struct AdvancedCommerceRefund: Hashable, Codable, Sendable {
    let sku: String
    /// The amount in thousandths.
    let amount: Int64
    /// The reason and the type, by their names in the API.
    let reason: String
    let type: String
    /// Whether the item is revoked.
    let isRevoked: Bool
}

/// The increase of an item's price at the next renewal.
struct AdvancedCommerceIncrease: Hashable, Codable, Sendable {
    /// The new price in thousandths.
    let price: Int64
    let dependentSKUs: [String]
}
