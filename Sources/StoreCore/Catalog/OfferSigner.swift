import Foundation

/// A signer of offers with one of a developer's keys, which also verifies that key's signatures.
///
/// A test, or the developer's server, signs with it; the sandbox store verifies with it. ``HMACOfferSigner`` is built in;
/// the one that Store Kit's own servers require, ECDSA over P-256 with SHA-256, is `P256OfferSigner` in the module
/// StoreCrypto. Set the keys that the store accepts in ``SandboxStore/offerSigners``.
///
/// Every member may be called on any thread at any time, and returns its result directly. The store calls it on the thread
/// that submits a payment, without a lock.
public protocol OfferSigner: Sendable {
    /// The key's identifier in signed offers, not empty and constant.
    var keyIdentifier: String { get }

    /// Signs a message.
    ///
    /// - Parameter message: ``PromotionalOfferPayload/data``.
    /// - Returns: the signature's bytes; a payment contains them in Base64.
    /// - Throws: the reason why it cannot sign, such as a key of which only the public half is known.
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
    /// - Throws: the reason why it cannot sign.
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

/// A signer of offers with a secret that the store and the developer's server share: HMAC-SHA-256 (RFC 2104).
///
/// For tests on machines without a cryptographic library. Store Kit's own servers accept only ECDSA signatures, which the
/// module StoreCrypto creates.
public struct HMACOfferSigner: OfferSigner {
    /// The identifier of the key.
    public let keyIdentifier: String
    private let key: HMACKey

    /// Creates a signer with a key; the same key verifies the same offers in every process.
    ///
    /// - Parameters:
    ///   - keyIdentifier: the key's identifier in signed offers. An empty one stops the process.
    ///   - key: at least one byte, preferably 32 random ones. An empty key stops the process: anybody could create its
    ///     signatures.
    public init(keyIdentifier: String = "sandbox", key: Data) {
        guard !key.isEmpty else { fatalError("An offer signer needs a key of at least one byte.") }
        self.init(keyIdentifier, HMACKey(key))
    }

    /// Creates a signer with a new random key, for a store that does not outlive the process.
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

    /// Returns whether the signature is the message's authentication code, compared in constant time.
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

/// The parts of an offer's proof, a compact JWS; not verified yet.
struct OfferProof: Sendable {
    /// The header's fields.
    struct Header: Codable, Sendable {
        let alg: String
        let kid: String
        var typ: String?
    }

    let header: Header
    let claims: OfferClaims
    /// The signed part: header and payload as received, with the dot between them.
    let signingInput: Data
    let signature: Data

    /// The longest proof that is read: a proof is untrusted input.
    private static let maximumLength = 16_384

    /// Reads a proof; nil unless it is a JWS with an offer's claims.
    init?(_ jws: String) {
        guard jws.utf8.count <= Self.maximumLength else { return nil }
        let parts = Array(jws.utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header = Base64URL.decode(parts[0]).flatMap({ Self.read(Header.self, $0) }),
            let claims = Base64URL.decode(parts[1]).flatMap({ Self.read(OfferClaims.self, $0) }),
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
}

extension StoreOffer {
    /// Whether this kind of offer needs a proof, except in a test.
    var needsProof: Bool {
        switch kind {
        case .promotional, .introductory, .noIntroductory: true
        // The store decides who is eligible for a win-back offer, and no server can grant a code.
        case .winBack, .code: false
        }
    }

    /// Whether only a test can request this offer, and no app.
    var isOfTest: Bool { kind == .code || needsProof && proof == nil }

    /// The proof's parts; nil without a proof, for a malformed one, and for a kind that needs none.
    var readProof: OfferProof? { needsProof ? proof.flatMap { OfferProof($0) } : nil }

    /// Whether the buyer gets the introductory offer, according to the proof or, without one, the kind; nil for another
    /// kind of offer.
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
/// The store builds the same payload from the payment with the offer, so an offer is valid only for the app, the product
/// and the user that it was signed for. ``data`` is the message to sign: compare it with that of a server's own code.
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
    /// The identifier of the developer's key that signs.
    public var keyIdentifier: String
    /// The product identifier of the offer's subscription.
    public var productIdentifier: String
    /// The offer's identifier in the store's set-up.
    public var offerIdentifier: String
    /// The payment's application username; empty where it has none.
    public var applicationUsername: String
    /// A nonce, used for one payment only.
    public var nonce: UUID
    /// The date of the signature, in milliseconds since 1970.
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
    /// The nonce is in lowercase, everything else unchanged.
    public var data: Data {
        let fields = [
            bundleIdentifier, keyIdentifier, productIdentifier, offerIdentifier, applicationUsername,
            nonce.uuidString.lowercased(), String(timestamp),
        ]
        return Data(fields.joined(separator: "\u{2063}").utf8)
    }

    /// Returns the signed offer for a payment.
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
