/// The availability of libcrypto in this module.
public enum Libcrypto {
    /// Whether the headers of libcrypto 3 or newer were available when this was built.
    ///
    /// Without them, everything in this module that needs libcrypto throws ``CryptoError``.
    public static var isAvailable: Bool { Key.isAvailable }

    /// One line of advice for when ``isAvailable`` is false.
    package static let advice =
        "libcrypto's headers are missing: run `apt install libssl-dev` and build again from scratch"
}

/// An error in creating, reading or storing keys and certificates, or in signing.
///
/// An error contains no part of a key.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that describes the error.
    ///
    /// Its wording is not stable.
    public let description: String

    init(_ description: String) { self.description = description }

    static let unavailable = CryptoError(Libcrypto.advice)
}

/// The kind of a key: a curve, or RSA with a number of bits.
enum KeyKind: Hashable, Sendable, CustomStringConvertible {
    case p256
    case p384
    case rsa(bits: Int)

    var description: String {
        switch self {
        case .p256: "P-256"
        case .p384: "P-384"
        case .rsa(let bits): "RSA with \(bits) bits"
        }
    }
}

/// A hash algorithm of signatures.
enum Digest: Hashable, Sendable {
    case sha1
    case sha256
    case sha384
}
