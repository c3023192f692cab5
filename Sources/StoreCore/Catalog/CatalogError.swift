import Foundation

/// Why products cannot be registered or described: one of them has a fault, or two have the same identifier.
public struct CatalogError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The product that is refused; empty for an offer that is part of no product yet.
    public let productIdentifier: String
    /// One sentence that names the product and the rule.
    ///
    /// Its wording is not stable.
    public let reason: String

    init(productIdentifier: String, reason: String) {
        self.productIdentifier = productIdentifier
        self.reason = reason
    }

    /// The sentence.
    public var description: String { reason }
    /// The sentence.
    public var errorDescription: String? { reason }
}
