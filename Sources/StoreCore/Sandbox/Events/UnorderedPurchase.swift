import Foundation

/// A purchase that no queue ordered: one made elsewhere, or one that goes through after an interruption.
struct UnorderedPurchase: Hashable, Codable, Sendable {
    let account: Int
    /// Where it is heard of; nil for all of the account's devices, until one of them has finished it.
    let device: Int?
    let transaction: Int
    let payment: StorePayment
    /// The product's number in the catalog.
    let product: Int
    let charge: Decimal
    /// What it did to a subscription.
    let subscription: SubscriptionChange?
}
