import Foundation

/// Signs receipts with a secret that only the store holds: HMAC-SHA-256 (RFC 2104), 32 bytes a signature.
///
/// Who can verify such a receipt can also forge one, so keep the key where the store is: an app gets its receipts
/// verified by the store, not by itself.
public struct HMACReceiptSigner: ReceiptSigner {
    private let hmac: HMACSHA256

    /// Signs with a key of the store's own; the same key verifies the same receipts in every process.
    ///
    /// - Parameter key: At least one byte, 32 random ones at best. An empty key stops the process: its signatures would
    ///   be anybody's.
    public init(key: Data) {
        guard !key.isEmpty else { fatalError("A receipt signer needs a key of at least one byte.") }
        hmac = HMACSHA256(key: key)
    }

    /// Signs with a fresh random key, for a store that lives no longer than the process.
    public init() {
        var random = SystemRandomNumberGenerator()
        hmac = HMACSHA256(key: (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// A message that is signed piece by piece.
    var message: HMACSHA256.Message { hmac.message }

    /// `LocalTesting`.
    public var environment: String { "LocalTesting" }

    /// 72, an ASCII `H`, which is none of Apple's numbers.
    public var signatureVersion: UInt8 { 72 }

    /// 32 bytes.
    public var signatureLength: Int { SHA256.digestLength }

    /// The message's authentication code; never throws.
    public func sign(_ message: Data) -> Data {
        Data(message.withUnsafeBytes { hmac.code(for: $0) })
    }

    /// Whether the signature is the message's authentication code; compares all of it, whatever differs.
    public func isValid(signature: Data, for message: Data) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { hmac.isValid($0, for: message) } }
    }
}

// What is stored is worth as much as the key: neither printing nor `dump` may show it.
extension HMACReceiptSigner: CustomStringConvertible, CustomReflectable {
    /// The type's name, and nothing of the key.
    public var description: String { "HMACReceiptSigner" }

    /// No children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
