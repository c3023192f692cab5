import Foundation

/// A purchase without a queue's order: one made elsewhere, or one that goes through after an interruption.
struct UnorderedPurchase: Hashable, Codable, Sendable {
    let account: AccountID
    /// The device that receives it; nil for all of the account's devices, until one of them has finished it.
    let device: DeviceID?
    let transaction: TransactionNumber
    let payment: StorePayment
    let product: ProductIndex
    let charge: Decimal
    /// Its effect on a subscription.
    let subscription: SubscriptionChange?
    /// The transaction that the account holds, if it takes the place of a new one: nothing is sold then.
    var held: TransactionNumber?
}
