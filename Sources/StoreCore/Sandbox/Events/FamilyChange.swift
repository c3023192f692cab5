import Foundation

/// What changed in a family, and what came of it.
enum FamilyChange: Hashable, Codable, Sendable {
    /// A family began, with the account that organises it.
    case founded(name: String, organiser: Int)
    /// An account joined.
    case joined(family: Int, account: Int)
    /// Accounts left.
    case left(family: Int, accounts: [Int])
    /// An account shares what it buys from now on, or nothing any more.
    case sharing(account: Int, Bool)
    /// A member got what another one bought.
    case shared(Sharing)
    /// A member does not have it any more.
    case unshared(FamilyChange.Key, transactions: [Int], revoked: [String])

    /// What a member has from another.
    struct Key: Hashable, Codable, Sendable {
        let owner: Int
        let member: Int
        let item: Item
    }

    enum Item: Hashable, Codable, Sendable {
        /// What is owned for good, by its number in the catalog.
        case product(Int)
        /// The subscription that began with the owner's transaction.
        case subscription(original: Int)
    }

    /// What a member gets: a transaction of its own.
    struct Sharing: Hashable, Codable, Sendable {
        let key: FamilyChange.Key
        let transaction: Int
        /// The product's number in the catalog.
        let product: Int
        /// The period, of an auto-renewable subscription, under the member's own first transaction.
        let term: SubscriptionTerm?
        /// Only a restore brings it.
        let isSilent: Bool
    }
}
