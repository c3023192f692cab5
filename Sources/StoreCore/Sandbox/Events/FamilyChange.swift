import Foundation

/// A change in a family and its effects.
enum FamilyChange: Hashable, Codable, Sendable {
    /// A family was founded, with the account that organizes it.
    case founded(name: String, organiser: Int)
    /// An account joined.
    case joined(family: Int, account: Int)
    /// Accounts left.
    case left(family: Int, accounts: [Int])
    /// An account turned the sharing of its purchases on or off.
    case sharing(account: Int, Bool)
    /// A member received a share in another member's purchase.
    case shared(Sharing)
    /// A member lost a share.
    case unshared(FamilyChange.Key, transactions: [Int], revoked: [String])

    /// The identity of a share: one item that one member has from another.
    struct Key: Hashable, Codable, Sendable {
        let purchaser: Int
        let member: Int
        let item: Item

        private enum CodingKeys: String, CodingKey {
            case purchaser = "owner"
            case member, item
        }
    }

    enum Item: Hashable, Codable, Sendable {
        /// A product bought for good, by its number in the catalog.
        case product(Int)
        /// The subscription that began with the purchaser's transaction.
        case subscription(original: Int)
    }

    /// A share that a member receives, with a transaction of its own.
    struct Sharing: Hashable, Codable, Sendable {
        let key: FamilyChange.Key
        let transaction: Int
        /// The product's number in the catalog.
        let product: Int
        /// The period of an auto-renewable subscription, under the member's own first transaction.
        let term: SubscriptionTerm?
        /// Whether only a restore brings it.
        let isSilent: Bool
    }
}
