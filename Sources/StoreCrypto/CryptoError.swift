/// Why something could not be signed, or a key not be read.
///
/// Holds nothing of a key.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence.
    ///
    /// Its wording is not stable.
    public let description: String

    init(_ description: String) { self.description = description }

    static let unavailable = CryptoError(Libcrypto.advice)
}
