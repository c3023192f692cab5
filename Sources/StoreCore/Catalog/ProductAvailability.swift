import Foundation

/// Whether a registered product can be bought.
///
/// A look-up answers with what is on sale; every other identifier is invalid to it, like one that nobody registered.
public enum ProductAvailability: Hashable, Codable, Sendable {
    /// It can be bought.
    case onSale
    /// Its owner has taken it off the market.
    case withdrawn
    /// It is new, and not all of the store's servers know it before that moment.
    case notYetPropagated(until: Date)
}
