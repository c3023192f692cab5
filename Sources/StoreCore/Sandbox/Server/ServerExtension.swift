import Foundation

/// The outcome of extending a subscription's renewal date.
package struct ServerExtension: Hashable, Sendable {
    /// The transaction that the subscription began with.
    package let originalTransactionIdentifier: String
    /// The extended period's identifier.
    package let webOrderLineItemIdentifier: String?
    /// The new renewal date.
    package let effectiveDate: Date
}
