/// A request to extend a subscription's renewal date.
struct RenewalExtension: Hashable, Codable, Sendable {
    let days: Int
    /// The reason's code in the App Store Server API.
    let reason: Int
    /// The server's identifier of the request.
    let request: String
}

/// The outcome of extending the renewal dates of all subscribers to a product.
struct MassExtension: Hashable, Codable, Sendable {
    let product: ProductIndex
    /// The server's identifier of the request.
    let request: String
    /// The selected countries, ISO 3166-1 alpha-3; empty for all.
    let storefronts: [String]
    let succeeded: Int
    let failed: Int
}
