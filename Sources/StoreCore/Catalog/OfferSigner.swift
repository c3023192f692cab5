import Foundation

/// A signer of offers with one of a developer's keys; it also verifies signatures made with the key.
///
/// A test, or the developer's server, creates signatures with a signer, and the sandbox store verifies them.
/// ``HMACOfferSigner`` is built in. Store Kit's own servers require ECDSA over P-256 with SHA-256: use
/// `P256OfferSigner` of the module StoreCrypto. Set the signers whose offers the store accepts in
/// ``SandboxStore/offerSigners``.
///
/// The store may use every requirement on any thread. It uses them without a lock, when a payment is submitted.
public protocol OfferSigner: Sendable {
    /// The key's identifier in signed offers; never empty, and always the same.
    var keyIdentifier: String { get }

    /// Signs a message.
    ///
    /// - Parameter message: the ``PromotionalOfferPayload/data`` of an offer.
    /// - Returns: the bytes of the signature, which a payment contains in Base64.
    /// - Throws: the reason why the signer cannot sign, for example because it has only the public key.
    func sign(_ message: Data) throws -> Data

    /// Returns whether a signature over a message was made with this key.
    ///
    /// The signature is untrusted input, of any content and length.
    func isValid(signature: Data, for message: Data) -> Bool

    /// The algorithm of the signer's JWS signatures, as in the header's `alg`; nil if it does not sign JWSs.
    ///
    /// By default nil.
    var jwsAlgorithm: String? { get }

    /// Signs the header and payload of a JWS.
    ///
    /// The default implementation throws an error.
    ///
    /// - Parameter input: the header and the payload in URL-safe Base64, with a dot between them.
    /// - Returns: the bytes of the signature, in the form that JWS prescribes for ``jwsAlgorithm``.
    /// - Throws: the reason why the signer cannot sign.
    func jwsSignature(of input: Data) throws -> Data

    /// Returns whether a JWS whose header names ``jwsAlgorithm`` was signed with this key.
    ///
    /// The signature is untrusted input, of any content and length. The default implementation returns false.
    func isValid(jwsSignature signature: Data, of input: Data) -> Bool
}

extension OfferSigner {
    /// Nil: the signer does not sign JWSs.
    public var jwsAlgorithm: String? { nil }

    /// Throws an error: the signer does not sign JWSs.
    public func jwsSignature(of input: Data) throws -> Data {
        throw StoreFailure.storeKit(.invalidSignature, "the key \"\(keyIdentifier)\" signs no JWS")
    }

    /// Returns false: the signer does not sign JWSs.
    public func isValid(jwsSignature signature: Data, of input: Data) -> Bool { false }
}

/// A signer of offers with a secret that the store and the developer's server share: HMAC-SHA-256 (RFC 2104).
///
/// For tests on machines without a cryptographic library. Store Kit's own servers accept only ECDSA signatures, as
/// created by `P256OfferSigner` of the module StoreCrypto.
public struct HMACOfferSigner: OfferSigner {
    /// The identifier of the key.
    public let keyIdentifier: String
    private let key: HMACKey

    /// Creates a signer with a given key, so that an offer signed in one process can be verified in another.
    ///
    /// - Parameters:
    ///   - keyIdentifier: the key's identifier in signed offers. An empty one stops the process.
    ///   - key: at least one byte, preferably 32 random ones. An empty key, which anybody could use, stops the process.
    public init(keyIdentifier: String = "sandbox", key: Data) {
        guard !key.isEmpty else { fatalError("An offer signer needs a key of at least one byte.") }
        self.init(keyIdentifier, HMACKey(key))
    }

    /// Creates a signer with a new random key, which is lost when the process ends.
    ///
    /// - Parameter keyIdentifier: the key's identifier in signed offers. An empty one stops the process.
    public init(keyIdentifier: String = "sandbox") { self.init(keyIdentifier, HMACKey()) }

    private init(_ keyIdentifier: String, _ key: HMACKey) {
        guard !keyIdentifier.isEmpty else { fatalError("An offer signer's key needs an identifier.") }
        self.keyIdentifier = keyIdentifier
        self.key = key
    }

    /// Returns the message's authentication code of 32 bytes; never throws.
    public func sign(_ message: Data) -> Data { Data(message.withUnsafeBytes { key.hmac.code(for: $0) }) }

    /// Returns whether the signature is the message's authentication code, compared in constant time.
    public func isValid(signature: Data, for message: Data) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { key.hmac.isValid($0, for: message) } }
    }

    /// HS256, HMAC with SHA-256.
    public var jwsAlgorithm: String? { "HS256" }

    /// Returns the input's authentication code of 32 bytes; never throws.
    public func jwsSignature(of input: Data) -> Data { sign(input) }

    /// Returns whether the signature is the input's authentication code.
    public func isValid(jwsSignature signature: Data, of input: Data) -> Bool {
        isValid(signature: signature, for: input)
    }
}

// The key is secret, so neither printing nor `dump` may show it.
extension HMACOfferSigner: CustomStringConvertible, CustomReflectable {
    /// The key's identifier, without the key.
    public var description: String { "HMACOfferSigner \(keyIdentifier)" }

    /// The key's identifier, without the key.
    public var customMirror: Mirror { Mirror(self, children: ["keyIdentifier": keyIdentifier]) }
}

/// The parts of an offer's proof.
typealias OfferProof = SignedClaims<OfferClaims>

/// The parts of a developer's server's JWS in compact serialization, before it is verified.
struct SignedClaims<Claims: Codable & Sendable>: Sendable {
    /// The header's fields.
    struct Header: Codable, Sendable {
        let alg: String
        let kid: String
        var typ: String?
    }

    let header: Header
    let claims: Claims
    /// The signed bytes: header and payload as received, with the dot between them.
    let signingInput: Data
    let signature: Data

    /// The maximum length of a JWS, which is untrusted input.
    private static var maximumLength: Int { 65_536 }

    /// Reads a JWS; returns nil unless it has claims of the type.
    init?(_ jws: String) {
        guard jws.utf8.count <= Self.maximumLength else { return nil }
        let parts = Array(jws.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Base64URL.decode(parts[0]).flatMap({ Self.read(Header.self, $0) }),
            let claims = Base64URL.decode(parts[1]).flatMap({ Self.read(Claims.self, $0) }),
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        signingInput = Data(jws.utf8.prefix(parts[0].count + 1 + parts[1].count))
        self.signature = Data(signature)
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ json: [UInt8]) -> Value? {
        try? UntrustedJSON.decode(type, from: Data(json))
    }

    /// Returns a JWS of claims, whose header has `alg`, `kid` and `typ`.
    ///
    /// - Throws: the reason why the signer cannot sign, or a ``StoreFailure`` if it does not sign JWSs.
    static func jws(of claims: Claims, by signer: any OfferSigner) throws -> String {
        guard let algorithm = signer.jwsAlgorithm else {
            throw StoreFailure.storeKit(.invalidSignature, "the key \"\(signer.keyIdentifier)\" signs no JWS")
        }
        let header = Header(alg: algorithm, kid: signer.keyIdentifier, typ: "JWT")
        let input = "\(try text(header)).\(try text(claims))"
        return "\(input).\(base64(try signer.jwsSignature(of: Data(input.utf8))))"
    }

    private static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return base64(try encoder.encode(value))
    }

    private static func base64(_ data: Data) -> String {
        String(decoding: data.withUnsafeBytes(Base64URL.encode), as: UTF8.self)
    }
}

extension StoreOffer {
    /// Whether an app needs a proof to request this kind of offer; a test does not need one.
    var needsProof: Bool {
        switch kind {
        case .promotional, .introductory, .noIntroductory: true
        // The store decides who is eligible for a win-back offer, and no server can grant a code.
        case .winBack, .code: false
        }
    }

    /// Whether only a test can request this offer: it is redeemed with a code, or lacks the proof that an app needs.
    var isOfTest: Bool { kind == .code || needsProof && proof == nil }

    /// The parsed proof; nil if there is none, if it is malformed, or if the kind needs none.
    var readProof: OfferProof? { needsProof ? proof.flatMap { OfferProof($0) } : nil }

    /// Whether the buyer gets an introductory offer; nil for other kinds of offers.
    ///
    /// The proof decides; without a readable one, the kind decides.
    var allowsIntroductoryOffer: Bool? {
        switch kind {
        case .promotional, .winBack, .code: return nil
        case .introductory, .noIntroductory:
            if case .introductoryOffer(let isAllowed) = readProof?.claims.grant { return isAllowed }
            return kind == .introductory
        }
    }
}

/// The payload that a developer's server signs to grant a user a promotional offer.
///
/// The store derives the same payload from the payment and its offer. An offer is therefore valid only for the app,
/// product and user for which it was signed. The message to sign is ``data``: a server that builds its own message can
/// compare it with this one.
///
/// ```swift
/// let payload = PromotionalOfferPayload(
///     bundleIdentifier: "com.example.app",
///     keyIdentifier: "ABC123",
///     productIdentifier: "pro.monthly",
///     offerIdentifier: "winter",
///     nonce: UUID(),
///     timestamp: 1_735_689_600_000
/// )
/// ```
public struct PromotionalOfferPayload: Hashable, Sendable {
    /// The app's bundle identifier.
    public var bundleIdentifier: String
    /// The identifier of the developer's key.
    public var keyIdentifier: String
    /// The product identifier of the subscription to which the offer applies.
    public var productIdentifier: String
    /// The offer's identifier in the store.
    public var offerIdentifier: String
    /// The payment's application username; empty if the payment has none.
    public var applicationUsername: String
    /// The nonce, which may be used for one payment only.
    public var nonce: UUID
    /// The date of the signature, in milliseconds since 1970.
    ///
    /// A sandbox store accepts the offer within 24 hours before or after this date, by its own clock.
    public var timestamp: Int64

    /// Creates a payload.
    public init(
        bundleIdentifier: String,
        keyIdentifier: String,
        productIdentifier: String,
        offerIdentifier: String,
        applicationUsername: String = "",
        nonce: UUID,
        timestamp: Int64
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.keyIdentifier = keyIdentifier
        self.productIdentifier = productIdentifier
        self.offerIdentifier = offerIdentifier
        self.applicationUsername = applicationUsername
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// The bytes to sign: the properties in the order above, joined by U+2063, in UTF-8.
    ///
    /// The nonce is in lowercase; all other properties are unchanged.
    public var data: Data {
        let fields = [
            bundleIdentifier, keyIdentifier, productIdentifier, offerIdentifier, applicationUsername,
            nonce.uuidString.lowercased(), String(timestamp),
        ]
        return Data(fields.joined(separator: "\u{2063}").utf8)
    }

    /// Returns the signed offer, to be set in a payment.
    ///
    /// - Throws: the reason why the signer cannot sign.
    public func signed(by signer: any OfferSigner) throws -> StoreDiscount {
        StoreDiscount(
            identifier: offerIdentifier,
            keyIdentifier: keyIdentifier,
            nonce: nonce,
            signature: try signer.sign(data).base64EncodedString(),
            timestamp: timestamp
        )
    }
}
