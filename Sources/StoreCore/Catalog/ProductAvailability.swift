import Foundation

/// The availability of a registered product.
///
/// A product request returns the products that are on sale; it reports all other identifiers as invalid.
public enum ProductAvailability: Hashable, Codable, Sendable {
    /// The product can be bought, in the countries in which it is sold.
    case onSale
    /// The operator has withdrawn the product from sale.
    case withdrawn
    /// The product is new, and cannot be bought until this moment of the store's clock.
    ///
    /// All of the store's servers have the product by then.
    case notYetPropagated(until: Date)
}
