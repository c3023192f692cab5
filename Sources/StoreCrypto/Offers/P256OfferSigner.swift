import Foundation
import StoreCore

/// A signer of offers in Store Kit's format, ECDSA over P-256 with SHA-256: in DER or, in a JWS, as ES256.
///
/// The key comes from a `.storekit` file or from App Store Connect, or is a new one:
///
/// ```swift
/// let signer = try P256OfferSigner(keyIdentifier: "ABC123")
/// store.offerSigners = [signer]
/// ```
///
/// A store that verifies signatures made by another server needs only the public key. A signer may be used on any
/// thread. The initializers throw ``CryptoError`` if the module was built without libcrypto, see ``Libcrypto``.
public struct P256OfferSigner: OfferSigner {
    /// The identifier of the key, as in signed offers.
    public let keyIdentifier: String
    private let key: Key
    private let context: SignatureContext

    /// Creates a signer with a new random key, for the lifetime of the process.
    ///
    /// - Throws: a ``CryptoError`` for an empty identifier, and if no key can be generated.
    public init(keyIdentifier: String) throws(CryptoError) { try self.init(keyIdentifier, .generated(.p256)) }

    /// Creates a signer with a private key.
    ///
    /// - Parameters:
    ///   - keyIdentifier: the key's identifier in signed offers. Not empty.
    ///   - privateKey: the key in DER: PKCS #8, or SEC 1 as older tools write it.
    /// - Throws: a ``CryptoError`` for an empty identifier, and for anything other than a private key on P-256.
    public init(keyIdentifier: String, privateKey: Data) throws(CryptoError) {
        try self.init(keyIdentifier, .private(privateKey))
    }

    /// Creates a signer that only verifies, with a public key; signing throws.
    ///
    /// - Parameters:
    ///   - keyIdentifier: the key's identifier in signed offers. Not empty.
    ///   - publicKey: the key in DER, as a SubjectPublicKeyInfo.
    /// - Throws: a ``CryptoError`` for an empty identifier, and for anything other than a public key on P-256.
    public init(keyIdentifier: String, publicKey: Data) throws(CryptoError) {
        try self.init(keyIdentifier, .public(publicKey))
    }

    /// Creates a signer with a key in PEM, such as the content of a `.p8` file.
    ///
    /// - Parameters:
    ///   - keyIdentifier: the key's identifier in signed offers. Not empty.
    ///   - pem: text with a `PRIVATE KEY`, `EC PRIVATE KEY` or `PUBLIC KEY` in it, of which the first is read. An
    ///     encrypted key is not read.
    /// - Throws: a ``CryptoError`` for an empty identifier, and if there is no such key on P-256.
    public init(keyIdentifier: String, pem: String) throws(CryptoError) {
        let block = try PEMBlock(first: [.privateKey, .ellipticCurveKey, .publicKey], in: pem)
        try self.init(keyIdentifier, block.label == .publicKey ? .public(block.data) : .private(block.data))
    }

    /// Creates a signer with the key in a `.storekit` file.
    ///
    /// - Throws: a ``CryptoError`` for a key without an identifier, and for one that is not on P-256.
    public init(_ keyPair: StoreConfiguration.OffersKeyPair) throws(CryptoError) {
        try self.init(keyIdentifier: keyPair.identifier, privateKey: keyPair.privateKey)
    }

    private init(_ keyIdentifier: String, _ key: @autoclosure () throws(CryptoError) -> Key) throws(CryptoError) {
        guard !keyIdentifier.isEmpty else { throw CryptoError("an offer signer's key needs an identifier") }
        self.keyIdentifier = keyIdentifier
        self.key = try key()
        guard self.key.kind == .p256 else { throw CryptoError("the key is not on the curve P-256") }
        context = try SignatureContext(self.key, .sha256)
    }

    /// The public key, a SubjectPublicKeyInfo in DER: a store needs only this to verify the signatures.
    ///
    /// Empty only if libcrypto is out of memory.
    public var publicKey: Data { key.publicKey }

    /// The private key in PEM, PKCS #8, as in a `.p8` file; nil if only the public key is known.
    package var privateKeyPEM: String? { key.canSign ? PEMBlock(.privateKey, key.privateKey).text : nil }

    /// Signs a message: the result is an ECDSA signature value in DER, usually of 70 to 72 bytes, different each time.
    ///
    /// - Throws: a ``CryptoError`` if only the public key is known.
    public func sign(_ message: Data) throws -> Data { Data(try context.sign(message)) }

    /// Returns whether the signature is this key's for the message.
    public func isValid(signature: Data, for message: Data) -> Bool { context.isValid(signature, for: message) }

    /// ES256, ECDSA over P-256 with SHA-256.
    public var jwsAlgorithm: String? { JWSHeader.algorithm }

    /// Signs the header and payload of a JWS: the result is r followed by s, 64 bytes, different each time.
    ///
    /// - Throws: a ``CryptoError`` if only the public key is known.
    public func jwsSignature(of input: Data) throws -> Data {
        guard let signature = ECDSASignature.raw(try context.sign(input)) else {
            throw CryptoError("libcrypto made a signature that is none on P-256")
        }
        return Data(signature)
    }

    /// Returns whether the signature, of 64 bytes, is this key's for the header and payload of a JWS.
    public func isValid(jwsSignature signature: Data, of input: Data) -> Bool {
        signature.count == 2 * ECDSASignature.size
            && context.isValid(ECDSASignature.der(Array(signature)), for: input)
    }
}

// The key itself is not reachable by reflection, and its identifier is no secret.
extension P256OfferSigner: CustomStringConvertible, CustomReflectable {
    /// The key's identifier.
    public var description: String { "P256OfferSigner \(keyIdentifier)" }

    /// The key's identifier.
    public var customMirror: Mirror { Mirror(self, children: ["keyIdentifier": keyIdentifier]) }
}
