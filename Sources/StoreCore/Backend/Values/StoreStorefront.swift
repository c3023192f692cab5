/// The country that a store sells for.
public struct StoreStorefront: Hashable, Codable, Sendable {
    /// The country's code in ISO 3166-1 alpha-3, as in `USA`.
    public var countryCode: String
    /// The store's own name for the storefront.
    public var identifier: String
    /// Makes a storefront.
    public init(countryCode: String, identifier: String) {
        self.countryCode = countryCode
        self.identifier = identifier
    }
}
