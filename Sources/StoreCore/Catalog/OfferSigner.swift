import Foundation

/// A signer of offers with one of a developer's keys, which also verifies that key's signatures.
///
/// A test, or the developer's server, signs with it; the sandbox store verifies with it. ``HMACOfferSigner`` is built
/// in; the one that Store Kit's own servers require, ECDSA over P-256 with SHA-256, is `P256OfferSigner` in the module
/// StoreCrypto. Set the keys that the store accepts in ``SandboxStore/offerSigners``.
///
/// Any thread may call any member at any time; each answers before it returns. The store calls it on the thread that
/// submits a payment, and holds no lock meanwhile.
public protocol OfferSigner: Sendable {
    /// The key's identifier in signed offers, not empty and constant.
    var keyIdentifier: String { get }

    /// Signs a message.
    ///
    /// - Parameter message: ``PromotionalOfferPayload/data``.
    /// - Returns: the signature's bytes; a payment carries them in Base64.
    /// - Throws: the error that keeps it from signing, such as a key of which only the public half is known.
    func sign(_ message: Data) throws -> Data

    /// Returns whether a signature over a message was made with this key.
    ///
    /// The signature is untrusted input, of any content and length.
    func isValid(signature: Data, for message: Data) -> Bool

    /// The algorithm of its signatures in a JWS, as the header's `alg` names it; nil if it signs none.
    ///
    /// Default: nil.
    var jwsAlgorithm: String? { get }

    /// Signs the beginning of a JWS.
    ///
    /// Default: throws.
    ///
    /// - Parameter input: header and payload in Base64 for URLs, with a dot between them.
    /// - Returns: the signature's bytes, in the form that ``jwsAlgorithm`` has in a JWS.
    /// - Throws: the error that keeps it from signing.
    func jwsSignature(of input: Data) throws -> Data

    /// Returns whether a JWS whose header names ``jwsAlgorithm`` was signed with this key.
    ///
    /// The signature is untrusted input, of any content and length. Default: false.
    func isValid(jwsSignature signature: Data, of input: Data) -> Bool
}

extension OfferSigner {
    /// Returns nil: the signer signs no JWS.
    public var jwsAlgorithm: String? { nil }

    /// Throws: the signer signs no JWS.
    public func jwsSignature(of input: Data) throws -> Data {
        throw StoreFailure.storeKit(.invalidSignature, "the key \"\(keyIdentifier)\" signs no JWS")
    }

    /// Returns false: the signer signs no JWS.
    public func isValid(jwsSignature signature: Data, of input: Data) -> Bool { false }
}
