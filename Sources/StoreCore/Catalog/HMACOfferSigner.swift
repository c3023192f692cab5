import Foundation

/// A signer of offers with a secret that the store and the developer's server share: HMAC-SHA-256 (RFC
/// 2104).
///
/// It is for tests on machines without a cryptographic library. Store Kit's own servers take ECDSA signatures only,
/// which the module StoreCrypto makes.
public struct HMACOfferSigner: OfferSigner {
    /// The identifier of the key.
    public let keyIdentifier: String
    private let key: HMACKey

    /// Creates a signer with a key; the same key verifies the same offers in every process.
    ///
    /// - Parameters:
    ///   - keyIdentifier: the key's identifier in signed offers. An empty one stops the process.
    ///   - key: at least one byte, 32 random ones at best. An empty key stops the process: anybody could make its
    ///     signatures.
    public init(keyIdentifier: String = "sandbox", key: Data) {
        guard !key.isEmpty else { fatalError("An offer signer needs a key of at least one byte.") }
        self.init(keyIdentifier, HMACKey(key))
    }

    /// Creates a signer with a new random key, for a store that lives no longer than the process.
    ///
    /// - Parameter keyIdentifier: the key's identifier in signed offers. An empty one stops the process.
    public init(keyIdentifier: String = "sandbox") {
        self.init(keyIdentifier, HMACKey())
    }

    private init(_ keyIdentifier: String, _ key: HMACKey) {
        guard !keyIdentifier.isEmpty else { fatalError("An offer signer's key needs an identifier.") }
        self.keyIdentifier = keyIdentifier
        self.key = key
    }

    /// Returns the message's authentication code, 32 bytes; never throws.
    public func sign(_ message: Data) -> Data { Data(message.withUnsafeBytes { key.hmac.code(for: $0) }) }

    /// Returns whether the signature is the message's authentication code, comparing all of it wherever they differ.
    public func isValid(signature: Data, for message: Data) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { key.hmac.isValid($0, for: message) } }
    }

    /// HS256, HMAC with SHA-256.
    public var jwsAlgorithm: String? { "HS256" }

    /// Returns the input's authentication code, 32 bytes; never throws.
    public func jwsSignature(of input: Data) -> Data { sign(input) }

    /// Returns whether the signature is the input's authentication code.
    public func isValid(jwsSignature signature: Data, of input: Data) -> Bool {
        isValid(signature: signature, for: input)
    }
}

// The stored key is secret: neither printing nor `dump` may show it.
extension HMACOfferSigner: CustomStringConvertible, CustomReflectable {
    /// The key's identifier, without the key.
    public var description: String { "HMACOfferSigner \(keyIdentifier)" }

    /// The key's identifier, without the key.
    public var customMirror: Mirror { Mirror(self, children: ["keyIdentifier": keyIdentifier]) }
}
