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
    fileprivate var prefix: String { bytes.prefix(8).base64EncodedString() }

    /// Returns whether two digests are equal, in a time that does not depend on where they differ.
    fileprivate func isEqual(to other: TokenDigest) -> Bool {
        bytes.count == other.bytes.count && zip(bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The tokens of a store's devices, as digests.
struct DeviceTokens: Codable, Sendable {
    private struct Entry: Codable, Sendable {
        let digest: TokenDigest
        let device: DeviceID
    }

    /// The tokens by the beginning of their digests.
    private var entries: [String: [Entry]] = [:]

    /// Returns the device that a token is for; nil for one that was never made, or was revoked.
    func device(of digest: TokenDigest) -> DeviceID? {
        entries[digest.prefix]?.first { $0.digest.isEqual(to: digest) }?.device
    }

    /// Returns the number of a device's tokens.
    func count(of device: DeviceID) -> Int { entries.values.joined().count { $0.device == device } }

    mutating func add(_ digest: TokenDigest, for device: DeviceID) {
        entries[digest.prefix, default: []].append(Entry(digest: digest, device: device))
    }

    mutating func revoke(allOf device: DeviceID) {
        entries = entries.compactMapValues { entries in
            let left = entries.filter { $0.device != device }
            return left.isEmpty ? nil : left
        }
    }
}
