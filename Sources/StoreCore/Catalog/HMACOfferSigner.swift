import Foundation

/// Signs promotional offers with a secret that the store and the developer's server share: HMAC-SHA-256 (RFC 2104).
///
/// For tests on machines without a cryptographic library. Store Kit's own servers take ECDSA signatures only, which the
/// module StoreCrypto makes.
public struct HMACOfferSigner: OfferSigner {
    /// Names the key.
    public let keyIdentifier: String
    private let hmac: HMACSHA256

    /// Signs with a key of one's own; the same key verifies the same offers in every process.
    ///
    /// - Parameters:
    ///   - keyIdentifier: names the key in signed offers. An empty one stops the process.
    ///   - key: at least one byte, 32 random ones at best. An empty key stops the process: its signatures would be
    ///     anybody's.
    public init(keyIdentifier: String = "sandbox", key: Data) {
        guard !keyIdentifier.isEmpty else { fatalError("An offer signer's key needs an identifier.") }
        guard !key.isEmpty else { fatalError("An offer signer needs a key of at least one byte.") }
        self.keyIdentifier = keyIdentifier
        hmac = HMACSHA256(key: key)
    }

    /// Signs with a fresh random key, for a store that lives no longer than the process.
    ///
    /// - Parameter keyIdentifier: names the key in signed offers. An empty one stops the process.
    public init(keyIdentifier: String = "sandbox") {
        var random = SystemRandomNumberGenerator()
        self.init(
            keyIdentifier: keyIdentifier,
            key: Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        )
    }

    /// The message's authentication code, 32 bytes; never throws.
    public func sign(_ message: Data) -> Data { Data(message.withUnsafeBytes { hmac.code(for: $0) }) }

    /// Whether the signature is the message's authentication code; compares all of it, whatever differs.
    public func isValid(signature: Data, for message: Data) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { hmac.isValid($0, for: message) } }
    }
}

// What is stored is worth as much as the key: neither printing nor `dump` may show it.
extension HMACOfferSigner: CustomStringConvertible, CustomReflectable {
    /// The key's identifier, and nothing of the key.
    public var description: String { "HMACOfferSigner \(keyIdentifier)" }

    /// The key's identifier, and nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: ["keyIdentifier": keyIdentifier]) }
}
