import Foundation

/// A programmer's mistake in the source code that describes a product.
///
/// A mistake stops the process. Inside the closure of ``SandboxProduct/makeThrowing(_:)``, it is thrown instead.
enum ProductMistake {
    @TaskLocal private static var catcher: Catcher?

    /// Collects the first mistake instead of stopping the process; the code that made the mistake continues.
    private final class Catcher: Sendable {
        let first = Locked<CatalogError?>(nil)
    }

    /// Reports a mistake; returns only if a collector catches it.
    ///
    /// - Parameters:
    ///   - reason: one sentence that names the product and the rule.
    ///   - product: the product's identifier; empty for an offer that is not part of a product yet.
    ///   - file: the file that made the mistake.
    ///   - line: the line that made it.
    static func report(_ reason: String, in product: String, file: StaticString, line: UInt) {
        guard let catcher else { fatalError(reason, file: file, line: line) }
        catcher.first.withLock { first in
            first = first ?? CatalogError(productIdentifier: product, reason: reason)
        }
    }

    /// Returns the result of a closure, or throws the first mistake that it reports.
    static func catching<Made>(_ make: () -> Made) throws(CatalogError) -> Made {
        let catcher = Catcher()
        let made = $catcher.withValue(catcher) { make() }
        if let mistake = catcher.first.withLock({ $0 }) { throw mistake }
        return made
    }
}

extension SandboxProduct {
    /// Creates products or offers, and throws an error for a mistake that would otherwise stop the process.
    ///
    /// By default, the factories and modifiers of products stop the process with a message if source code has a
    /// mistake: a malformed price, an empty identifier, content that cannot be hosted. If the values come from
    /// elsewhere, such as a file, call the factories and modifiers inside the closure:
    ///
    /// ```swift
    /// let sword: SandboxProduct = try .makeThrowing { .consumable("sword", price: text) }
    /// ```
    ///
    /// - Parameter make: a closure that returns products, offers or a list of them.
    /// - Returns: the closure's result.
    /// - Throws: ``CatalogError`` with the message of the first mistake. Mistakes that a store finds when it registers
    ///   a product, such as a country that does not exist, are thrown by the store.
    public static func makeThrowing<Made>(_ make: () -> Made) throws(CatalogError) -> Made {
        try ProductMistake.catching(make)
    }
}

/// The error of products that cannot be described or registered: one is invalid, or two have the same identifier.
public struct CatalogError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
    /// The identifier of the invalid product; empty for an offer that is not part of a product yet.
    package let productIdentifier: String
    /// One sentence that names the product and the violated rule.
    ///
    /// The wording is not stable.
    package let reason: String

    init(productIdentifier: String, reason: String) {
        self.productIdentifier = productIdentifier
        self.reason = reason
    }

    /// The same as `reason`.
    public var description: String { reason }
    /// The same as `reason`.
    public var errorDescription: String? { reason }
}
