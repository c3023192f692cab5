/// An error of signing, or of reading a key.
///
/// It contains nothing of a key.
public struct CryptoError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A sentence that describes the error.
    ///
    /// Its wording is not stable.
    public let description: String

    init(_ description: String) { self.description = description }

    static let unavailable = CryptoError(Libcrypto.advice)
}
