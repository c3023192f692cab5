import Foundation

/// The error for products that cannot be registered or described: a fault in one, or an identifier that two have.
public struct CatalogError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The refused product; empty for an offer that is part of no product yet.
    public let productIdentifier: String
    /// One sentence that names the product and the rule.
    ///
    /// Its wording is not stable.
    public let reason: String

    init(productIdentifier: String, reason: String) {
        self.productIdentifier = productIdentifier
        self.reason = reason
    }

    /// The reason.
    public var description: String { reason }
    /// The reason.
    public var errorDescription: String? { reason }
}
