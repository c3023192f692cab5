/// The tokens of a store's devices, as digests.
struct DeviceTokens: Hashable, Codable, Sendable {
    private struct Entry: Hashable, Codable, Sendable {
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
