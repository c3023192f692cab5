/// A request to extend a subscription's renewal date.
struct RenewalExtension: Hashable, Codable, Sendable {
    let days: Int
    /// The reason's code in the App Store Server API.
    let reason: Int
    /// The identifier that the server gave the request.
    let request: String
}
