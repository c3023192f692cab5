import Foundation

/// The availability of a registered product.
///
/// A product request returns the products on sale; every other identifier is invalid to it, like an unregistered one.
public enum ProductAvailability: Hashable, Codable, Sendable {
    /// The product can be bought.
    case onSale
    /// The operator has withdrawn the product from sale.
    case withdrawn
    /// The product is new, and not all of the store's servers know it before that moment.
    case notYetPropagated(until: Date)
}
