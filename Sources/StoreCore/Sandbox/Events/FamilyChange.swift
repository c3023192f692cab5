import Foundation

/// A change in a family and its effects.
enum FamilyChange: Hashable, Codable, Sendable {
    /// A family was founded, with the account that organizes it.
    case founded(name: String, organizer: AccountID)
    /// An account joined.
    case joined(family: FamilyID, account: AccountID)
    /// Accounts left.
    case left(family: FamilyID, accounts: [AccountID])
    /// An account turned the sharing of its purchases on or off.
    case sharing(account: AccountID, Bool)
    /// A member received a share in another member's purchase.
    case shared(Sharing)
    /// A member lost a share.
    case unshared(FamilyChange.Key, transactions: [TransactionNumber], revoked: [String])

    /// The keys of ``founded(name:organizer:)`` in a ledger, where the organizer has kept its first spelling.
    private enum FoundedCodingKeys: String, CodingKey {
        case name
        case organizer = "organiser"
    }

    /// The identity of a share: the purchaser, the member who receives the share, and the shared item.
    struct Key: Hashable, Codable, Sendable {
        let purchaser: AccountID
        let member: AccountID
        let item: Item

        private enum CodingKeys: String, CodingKey {
            case purchaser = "owner"
            case member, item
        }
    }

    enum Item: Hashable, Codable, Sendable {
        /// A non-consumable product.
        case product(ProductIndex)
        /// The subscription that began with the purchaser's transaction.
        case subscription(original: TransactionNumber)
    }

    /// A share that a member receives, with a transaction of its own.
    struct Sharing: Hashable, Codable, Sendable {
        let key: FamilyChange.Key
        let transaction: TransactionNumber
        let product: ProductIndex
        /// The period of an auto-renewable subscription, with the member's own first transaction as its original.
        let term: SubscriptionTerm?
        /// Whether the member's app receives the share only through a restore.
        let isSilent: Bool
    }
}
