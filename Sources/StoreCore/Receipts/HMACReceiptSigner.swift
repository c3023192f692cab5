import Foundation

/// A signer of receipts and JWS with a secret that only the store holds: HMAC-SHA-256 (RFC 2104), 32 bytes a signature.
///
/// The key that verifies such a receipt can also forge one, so keep it in the store: an app has its receipts verified
/// by the store, not by itself.
public struct HMACReceiptSigner: ReceiptSigner {
    private let key: HMACKey
    /// Whether nobody else has the key.
    let isAnonymous: Bool
    /// The environment's name, `LocalTesting`; in a test session `Xcode`.
    public let environment: String

    /// Creates a signer with the store's own key; the same key verifies the same receipts in every process.
    ///
    /// - Parameter key: At least one byte, 32 random ones at best. An empty key stops the process: anybody could make
    ///   its signatures.
    public init(key: Data) {
        guard !key.isEmpty else { fatalError("A receipt signer needs a key of at least one byte.") }
        self.key = HMACKey(key)
        isAnonymous = false
        environment = "LocalTesting"
    }

    /// Creates a signer with a new random key, for a store that lives no longer than the process.
    public init() { self.init(environment: "LocalTesting") }

    /// Creates a signer with a new random key in an environment.
    package init(environment: String) {
        key = HMACKey()
        isAnonymous = true
        self.environment = environment
    }

    /// A message for signing piece by piece.
    var message: HMACSHA256.Message { key.hmac.message }

    /// The signature version, 72: an ASCII `H`, which is none of Apple's numbers.
    public var signatureVersion: UInt8 { 72 }

    /// The length of a signature, 32 bytes.
    public var signatureLength: Int { SHA256.digestLength }

    /// Returns the message's authentication code; never throws.
    public func sign(_ message: Data) -> Data {
        Data(message.withUnsafeBytes { key.hmac.code(for: $0) })
    }

    /// Returns whether the signature is the message's authentication code, comparing all of it wherever they differ.
    public func isValid(signature: Data, for message: Data) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { key.hmac.isValid($0, for: message) } }
    }
}

// The stored key is secret: neither printing nor `dump` may show it.
extension HMACReceiptSigner: CustomStringConvertible, CustomReflectable {
    /// The type's name, without the key.
    public var description: String { "HMACReceiptSigner" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
