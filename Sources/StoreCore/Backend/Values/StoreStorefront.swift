/// The country that a store sells for.
public struct StoreStorefront: Hashable, Codable, Sendable {
    /// ISO 3166-1 alpha-3, as in `USA`.
    public var countryCode: String
    /// The store's own name for the storefront.
    public var identifier: String
    /// Names a storefront.
    public init(countryCode: String, identifier: String) {
        self.countryCode = countryCode
        self.identifier = identifier
    }
}
