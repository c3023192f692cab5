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

extension StoreDiscount {
    private enum CodingKeys: String, CodingKey { case identifier, keyIdentifier, nonce, signature, timestamp }

    /// Decodes an offer, whose time of signing is text, or a number as the first version wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identifier: try container.decode(String.self, forKey: .identifier),
            keyIdentifier: try container.decode(String.self, forKey: .keyIdentifier),
            nonce: try container.decode(UUID.self, forKey: .nonce),
            signature: try container.decode(String.self, forKey: .signature),
            timestamp: try container.decode(LongText.self, forKey: .timestamp).value
        )
    }

    /// Encodes all parts, the time of signing as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identifier, forKey: .identifier)
        try container.encode(keyIdentifier, forKey: .keyIdentifier)
        try container.encode(nonce, forKey: .nonce)
        try container.encode(signature, forKey: .signature)
        try container.encode(LongText(timestamp), forKey: .timestamp)
    }
}
