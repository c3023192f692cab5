import Foundation

/// What the store's owner changed about what happens around orders, and what came of it.
enum OwnerChange: Hashable, Codable, Sendable {
    /// Somebody else is asked about what an account orders, or no longer.
    case asksToBuy(account: Int, Bool)
    /// What an account orders is interrupted, or no longer.
    case interruptsPurchases(account: Int, Bool)
    /// An order was taken and interrupted.
    case interrupted(StoreEvent.Order, StoreFailure)
    /// An order that waited was interrupted when it was to be paid for.
    case interruptedLater(transaction: Int, StoreFailure)
    /// What was interrupted has gone through.
    case resolved(transaction: Int, UnorderedPurchase)
    /// An account bought something that no queue ordered.
    case bought(UnorderedPurchase)
    /// The store sells for another country, ISO 3166-1 alpha-3.
    case storefront(String)
    /// A device's user began a purchase on the store's own page.
    case promoted(device: Int, String)
    /// A device's app has heard of everything that is no transaction up to a position in the ledger.
    case newsTold(device: Int, through: Int)
    /// A device's app changed what the store's page shows there.
    case promotionChanged(device: Int, PromotionChange)
    /// A purchase was paid back.
    case refunded(Refund)
    /// Transactions were made as if they had never been.
    case deleted(Deletion)
    /// All transactions were.
    case cleared(withdrawn: [Deletion.Withdrawn])
    /// Something changed in a family.
    case family(FamilyChange)

    /// What an account was charged for it.
    func charge(to account: Int) -> Decimal {
        switch self {
        case .bought(let purchase), .resolved(_, let purchase): purchase.account == account ? purchase.charge : 0
        default: 0
        }
    }
}
