/// The outcome of extending the renewal dates of all subscribers of a product.
struct MassExtension: Hashable, Codable, Sendable {
    let product: ProductIndex
    /// The identifier that the server gave the request.
    let request: String
    /// The countries that were meant, ISO 3166-1 alpha-3; empty for all.
    let storefronts: [String]
    let succeeded: Int
    let failed: Int
}
