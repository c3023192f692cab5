import Foundation

/// A promotional offer, signed by the app's server.
public struct StoreDiscount: Hashable, Codable, Sendable {
    /// The offer's identifier in the store's set-up.
    public var identifier: String
    /// The identifier of the developer's key that signed.
    public var keyIdentifier: String
    /// A number used for one payment only.
    public var nonce: UUID
    /// Base64 of the signature.
    public var signature: String
    /// The time of signing, in milliseconds since 1970.
    public var timestamp: Int64

    /// Makes an offer from the parts that the app's server sent.
    public init(identifier: String, keyIdentifier: String, nonce: UUID, signature: String, timestamp: Int64) {
        self.identifier = identifier
        self.keyIdentifier = keyIdentifier
        self.nonce = nonce
        self.signature = signature
        self.timestamp = timestamp
    }
}
