import Foundation

/// What a server asks of an account's history.
package struct ServerHistoryQuery: Hashable, Sendable {
    /// The order of the answer, by the date at which a transaction last changed.
    package enum Sort: Hashable, Sendable {
        /// Oldest first.
        case ascending
        /// Newest first.
        case descending
    }

    /// Any transaction of the account.
    package var anyTransaction: String
    /// The revision of the page before, nil for the first.
    package var revision: String?
    /// The greatest number of transactions in a page.
    package var limit: Int
    /// The first purchase date of what is meant, nil for any.
    package var startDate: Date?
    /// The first purchase date after what is meant, nil for any.
    package var endDate: Date?
    /// The products that are meant; empty for all.
    package var productIdentifiers: Set<String>
    /// The kinds of products that are meant; empty for all.
    package var productTypes: Set<TransactionPayload.ProductType>
    /// The order of the answer.
    package var sort: Sort
    /// The subscription groups that are meant; empty for all, and for products that are in none.
    package var groups: Set<String>
    /// Whether the account bought it or has it from its family; nil for both.
    package var ownership: TransactionPayload.OwnershipType?
    /// Whether it is revoked; nil for both.
    package var isRevoked: Bool?
    /// Whether revoked ones are left out, whatever ``isRevoked`` says.
    package var excludesRevoked: Bool
    /// Whether finished consumables that are not revoked are there too.
    package var isComplete: Bool

    /// Creates a query; without more it is for everything, oldest first.
    package init(
        of anyTransaction: String,
        revision: String? = nil,
        limit: Int = 20,
        startDate: Date? = nil,
        endDate: Date? = nil,
        productIdentifiers: Set<String> = [],
        productTypes: Set<TransactionPayload.ProductType> = [],
        sort: Sort = .ascending,
        groups: Set<String> = [],
        ownership: TransactionPayload.OwnershipType? = nil,
        isRevoked: Bool? = nil,
        excludesRevoked: Bool = false,
        isComplete: Bool = true
    ) {
        self.anyTransaction = anyTransaction
        self.revision = revision
        self.limit = limit
        self.startDate = startDate
        self.endDate = endDate
        self.productIdentifiers = productIdentifiers
        self.productTypes = productTypes
        self.sort = sort
        self.groups = groups
        self.ownership = ownership
        self.isRevoked = isRevoked
        self.excludesRevoked = excludesRevoked
        self.isComplete = isComplete
    }
}
