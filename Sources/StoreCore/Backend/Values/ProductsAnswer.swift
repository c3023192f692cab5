/// A store's answer to a product look-up.
public struct ProductsAnswer: Hashable, Codable, Sendable {
    /// The products for the identifiers that are sold, in the store's order, which ``SKProductsResponse`` keeps.
    public var products: [StoreProduct]
    /// The identifiers that are not sold, in the store's order too.
    public var invalidIdentifiers: [String]
    /// Makes an answer.
    public init(products: [StoreProduct], invalidIdentifiers: [String] = []) {
        self.products = products
        self.invalidIdentifiers = invalidIdentifiers
    }
}
