import Foundation

/// A programmer's mistake in the description of a product.
///
/// It stops the process, or is thrown by ``SandboxProduct/makeThrowing(_:)`` around the description.
enum ProductMistake {
    @TaskLocal private static var catcher: Catcher?

    /// A collector of the first mistake, which lets the description continue to its end.
    private final class Catcher: Sendable {
        let first = Locked<CatalogError?>(nil)
    }

    /// Reports a mistake; returns only where it is caught.
    ///
    /// - Parameters:
    ///   - reason: one sentence that names the product and the rule.
    ///   - product: the product's identifier, empty for an offer that is part of no product yet.
    static func report(_ reason: String, in product: String) {
        guard let catcher else { fatalError(reason) }
        catcher.first.withLock { first in
            first = first ?? CatalogError(productIdentifier: product, reason: reason)
        }
    }

    /// Returns a closure's result, or throws the first mistake in it.
    static func catching<Made>(_ make: () -> Made) throws(CatalogError) -> Made {
        let catcher = Catcher()
        let made = $catcher.withValue(catcher) { make() }
        if let mistake = catcher.first.withLock({ $0 }) { throw mistake }
        return made
    }
}

extension SandboxProduct {
    /// Creates products or offers, and throws where a mistake in them stops the process.
    ///
    /// The factories and modifiers stop the process with a message for a mistake in a program's source: a malformed price,
    /// an empty identifier, content that cannot be hosted. Wrap descriptions from elsewhere, such as a file of the app's
    /// own, in this method:
    ///
    /// ```swift
    /// let sword: SandboxProduct = try .makeThrowing { .consumable("sword", price: text) }
    /// ```
    ///
    /// - Parameter make: a closure that returns products, offers or a list of them.
    /// - Returns: the closure's result.
    /// - Throws: ``CatalogError`` with the sentence of the first mistake. A mistake that a store finds at registration,
    ///   such as a country that does not exist, is thrown by the store.
    public static func makeThrowing<Made>(_ make: () -> Made) throws(CatalogError) -> Made {
        try ProductMistake.catching(make)
    }
}

/// The error for products that cannot be registered or described: one is invalid, or two have the same identifier.
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
