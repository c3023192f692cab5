import Foundation

/// The digest of a device's token, which is all that a store keeps of it: 32 bytes.
struct TokenDigest: Hashable, Codable, Sendable {
    let bytes: Data

    /// Hashes a token with SHA-256.
    init(_ token: DeviceToken) { bytes = Data(SHA256.digest(of: token.text.utf8)) }

    init(from decoder: any Decoder) throws { bytes = try decoder.singleValueContainer().decode(Data.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }

    /// The first bytes, by which digests are looked up.
    var prefix: String { bytes.prefix(8).base64EncodedString() }

    /// Returns whether two digests are equal, in a time that does not depend on where they differ.
    func isEqual(to other: TokenDigest) -> Bool {
        bytes.count == other.bytes.count && zip(bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
