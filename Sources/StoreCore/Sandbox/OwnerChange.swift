import Foundation

/// What the store's owner changed about what happens around orders, and what came of it.
enum OwnerChange: Hashable, Codable, Sendable {
    /// Somebody else is asked about what an account orders, or no longer.
    case asksToBuy(account: Int, Bool)
}
