import Foundation

/// Signs promotional offers with one of a developer's keys, and tells that key's signatures from others.
///
/// A test, or the developer's server, signs with it; the sandbox store verifies with it. ``HMACOfferSigner`` is the one in
/// the box; the one that Store Kit's own servers ask for, ECDSA over P-256 with SHA-256, is `P256OfferSigner` in the module
/// StoreCrypto. Give the store the keys that it is to know in ``SandboxStore/offerSigners``.
///
/// Any thread may call any member at any time; each answers before it returns. The store asks on the thread that hands it a
/// payment, and holds no lock meanwhile.
public protocol OfferSigner: Sendable {
    /// Names the key, as a signed offer does. Not empty, and does not change.
    var keyIdentifier: String { get }

    /// Signs a message.
    ///
    /// - Parameter message: ``PromotionalOfferPayload/data``.
    /// - Returns: the signature's bytes; a payment carries them in Base64.
    /// - Throws: what keeps it from signing, such as a key of which only the public half is known.
    func sign(_ message: Data) throws -> Data

    /// Whether a signature over a message was made with this key.
    ///
    /// The signature comes from outside and may be anything, of any length.
    func isValid(signature: Data, for message: Data) -> Bool
}
