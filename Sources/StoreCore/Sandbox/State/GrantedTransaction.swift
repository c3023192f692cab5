import Foundation

/// A transaction that gave an account something: a purchase, a renewal, a share in the family, or a restored purchase.
///
/// Failed and undecided orders are none. All that can change later is in the state.
struct GrantedTransaction: Sendable {
    let number: TransactionNumber
    /// The place among all granted transactions, which later ones have behind it.
    var sequence = 0
    /// The place among all changes of granted transactions of the last one to this; the later ones have it behind them.
    var modification = 0
    let account: AccountID
    let product: ProductIndex
    let payment: StorePayment
    let date: Date
    /// The purchase in the account's history, which a restored one shares with its original; nil for a consumable.
    let purchase: PurchaseIndex?
    /// The purchase that it restores, nil for any other.
    var restored: TransactionNumber?
    /// The transaction that began the period of a subscription, nil without one.
    var period: TransactionNumber?
    /// The storefront's country at the time, nil for one that is not known.
    let country: Storefronts.Country?
    /// The amount charged in thousandths; nil where the account did not buy it, and if no whole number of 64 bits holds it.
    var price: Int64?
    var isRenewal = false
}
