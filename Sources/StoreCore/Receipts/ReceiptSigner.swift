import Foundation

/// A signer of receipts; it also verifies the signatures that it has made.
///
/// The built-in signer is ``HMACReceiptSigner``. A signer with a certificate can conform too: each receipt then
/// includes the signer's ``certificate``, and ``isValid(signature:certificate:for:)`` may accept other certificates.
///
/// Every requirement may be called on any thread at any time.
public protocol ReceiptSigner: Sendable {
    /// The environment's name in receipts, such as `Sandbox` or `LocalTesting`; must not change.
    ///
    /// A transaction's receipt of the environment `Production` leaves the name out.
    var environment: String { get }

    /// The first byte of a signature blob, which determines the form of the remaining bytes; must not change.
    ///
    /// Apple's numbers are 2 (RSA with 1024 bits) and 3 (2048 bits): use another one for any other signature.
    var signatureVersion: UInt8 { get }

    /// The length of every signature in bytes; must not change.
    var signatureLength: Int { get }

    /// The certificate included with each signature, in DER; by default empty, for signers without a certificate.
    var certificate: Data { get }

    /// Signs a message.
    ///
    /// - Parameter message: for a transaction's receipt, the version byte and the purchase information; for an app
    ///   receipt, the attributes in the payload, without the tag and length of the set. A message of one kind cannot be
    ///   taken for one of the other, unless the version byte is 0x30.
    /// - Returns: the signature, of ``signatureLength`` bytes.
    /// - Throws: the reason why the signer cannot sign; no receipt is created then.
    func sign(_ message: Data) throws -> Data

    /// Returns whether a signature over a message was made with this signer's key.
    ///
    /// Both arguments are untrusted input, of any content and length. The check must take constant time.
    func isValid(signature: Data, for message: Data) -> Bool

    /// Returns whether a signature over a message was made with the key of a certificate that this signer trusts.
    ///
    /// The default implementation trusts only the signer's own ``certificate``.
    func isValid(signature: Data, certificate: Data, for message: Data) -> Bool
}

extension ReceiptSigner {
    /// Empty: the signer has no certificate.
    public var certificate: Data { Data() }

    /// Returns whether a signature was made with this signer's own certificate and key.
    public func isValid(signature: Data, certificate: Data, for message: Data) -> Bool {
        certificate == self.certificate && isValid(signature: signature, for: message)
    }
}

extension ReceiptSigner {
    /// This signer if it is an HMAC signer, which needs no copies of bytes as `Data`.
    ///
    /// A dynamic cast would take a hundredth of the time of verifying a receipt.
    var hmac: HMACReceiptSigner? {
        Self.self == HMACReceiptSigner.self ? unsafeBitCast(self, to: HMACReceiptSigner.self) : nil
    }
}

/// A signer that seals app receipts in a format of its own, such as the App Store's PKCS #7 with certificates.
///
/// `AppStoreSigner` of the module StoreCrypto conforms. A store whose signer is not an `AppReceiptSigner` issues app
/// receipts in the HMAC form of ``AppReceipt``.
package protocol AppReceiptSigner: ReceiptSigner {
    /// The environment in attribute 0 of app receipts, such as `ProductionSandbox` or `Xcode`; must not change.
    var appReceiptEnvironment: String { get }

    /// Returns the hash that binds a receipt to a device, such as SHA-1, which the App Store uses.
    ///
    /// - Parameter bytes: the device's identifier, the opaque value and the encoded bundle identifier, in that order.
    /// - Returns: the hash.
    func deviceHash(of bytes: Data) -> Data

    /// Signs a payload, and returns the receipt that contains it.
    ///
    /// - Parameter payload: a set of attributes in DER, in the order of their bytes.
    /// - Returns: the receipt.
    /// - Throws: the reason why the signer cannot sign; no receipt is created then.
    func seal(_ payload: Data) throws -> Data

    /// Verifies a receipt's signature and certificates.
    ///
    /// - Parameters:
    ///   - receipt: untrusted input, of any content and length.
    ///   - creationDate: reads a payload's date, at which certificates must have been valid; nil if there is none.
    /// - Returns: the receipt's payload.
    /// - Throws: the reason for the refusal, whose description is one sentence that quotes nothing from the receipt.
    func open(_ receipt: Data, creationDate: (Data) -> Date?) throws -> Data
}

/// A signer of receipts and JWSs with a secret that only the store has: HMAC-SHA-256 (RFC 2104).
///
/// Whoever has the key can also forge receipts. An app must therefore not have it, and asks the store to verify
/// receipts.
public struct HMACReceiptSigner: ReceiptSigner {
    private let key: HMACKey
    /// Whether the key was created at random, so no other process has it.
    let isAnonymous: Bool
    /// The environment's name: `LocalTesting` or, in a test session, `Xcode`.
    public let environment: String

    /// Creates a signer with a given key, so that a receipt signed in one process can be verified in another.
    ///
    /// - Parameter key: at least one byte, preferably 32 random ones. An empty key, which anybody could use, stops the
    ///   process.
    public init(key: Data) {
        guard !key.isEmpty else { fatalError("A receipt signer needs a key of at least one byte.") }
        self.key = HMACKey(key)
        isAnonymous = false
        environment = "LocalTesting"
    }

    /// Creates a signer with a new random key, which is lost when the process ends.
    public init() { self.init(environment: "LocalTesting") }

    /// Creates a signer with a new random key, for an environment.
    package init(environment: String) {
        key = HMACKey()
        isAnonymous = true
        self.environment = environment
    }

    /// A new, empty message, to be signed incrementally.
    var message: HMACSHA256.Message { key.hmac.message }

    /// The signature version, 72: the letter `H` in ASCII, which is not one of Apple's numbers.
    public var signatureVersion: UInt8 { 72 }

    /// The length of a signature, 32 bytes.
    public var signatureLength: Int { SHA256.digestLength }

    /// Returns the message's authentication code; never throws.
    public func sign(_ message: Data) -> Data { Data(message.withUnsafeBytes { code(for: $0) }) }

    /// Returns whether the signature is the message's authentication code, compared in constant time.
    public func isValid(signature: Data, for message: Data) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { isValid($0, for: message) } }
    }

    /// Returns the authentication code of a message in memory.
    func code(for message: UnsafeRawBufferPointer) -> [UInt8] { key.hmac.code(for: message) }

    /// Returns whether the signature is the authentication code of a message in memory, compared in constant time.
    func isValid(_ signature: UnsafeRawBufferPointer, for message: UnsafeRawBufferPointer) -> Bool {
        key.hmac.isValid(signature, for: message)
    }
}

// The key is secret, so neither printing nor `dump` may show it.
extension HMACReceiptSigner: CustomStringConvertible, CustomReflectable {
    /// The type's name, without the key.
    public var description: String { "HMACReceiptSigner" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HMACReceiptSigner: PayloadSigner {
    /// The header `{"alg":"HS256","typ":"JWT"}` in URL-safe Base64, followed by a dot.
    ///
    /// The signed message of a receipt never begins with these characters, so no signature is valid for both.
    private static let header = Array("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.".utf8)

    /// Signs a payload with the algorithm HS256; never throws.
    public func jws(of payload: Data) -> String {
        var text = Self.header + payload.withUnsafeBytes(Base64URL.encode)
        let signature = sign(Data(text))
        text.append(UInt8(ascii: "."))
        text += signature.withUnsafeBytes(Base64URL.encode)
        return String(decoding: text, as: UTF8.self)
    }

    /// Verifies a JWS signed with this signer's key; only one encoding of each JWS is accepted.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signingDate: not called, since there are no certificates.
    /// - Returns: the payload.
    /// - Throws: a ``ReceiptRefusal`` with ``ReceiptVerification/Status/malformed`` or
    ///   ``ReceiptVerification/Status/notAuthentic``.
    public func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data {
        let text = Array(jws.utf8)
        let dot = text.count - Base64URL.length(signatureLength) - 1
        guard text.starts(with: Self.header), dot >= Self.header.count, text[dot] == UInt8(ascii: "."),
            let payload = Base64URL.decode(text[Self.header.count..<dot]),
            let signature = Base64URL.decode(text[(dot + 1)...])
        else {
            throw ReceiptRefusal(.malformed, "The text is not a JWS with the algorithm HS256 in its exact form.")
        }
        guard isValid(signature: Data(signature), for: Data(text[..<dot])) else {
            throw ReceiptRefusal(.notAuthentic, "The JWS's signature is not this store's.")
        }
        return Data(payload)
    }
}

/// The bytes of a device's signed app receipt, except the entries.
///
/// With the entries, the same receipt can be assembled again without being signed.
///
/// The entries are not stored here, since a second reference would make the next addition copy them.
struct SignedReceipt: Sendable {
    private let version: ReceiptVersion
    private let creationDate: Date
    private let front: [UInt8]
    private let back: [UInt8]
    /// Whether the entries are between `front` and `back`; false for a sealed receipt, all of whose bytes are stored.
    private let hasEntries: Bool

    /// Stores the signed bytes of an image.
    ///
    /// - Parameters:
    ///   - image: the receipt.
    ///   - version: the receipt's content.
    ///   - creationDate: the receipt's creation date.
    init(_ image: ReceiptImage, version: ReceiptVersion, creationDate: Date) {
        self.version = version
        self.creationDate = creationDate
        front = image.front
        back = image.back
        hasEntries = image.entries.identity === version.entries
    }

    /// Returns the signed receipt if it has the given content and creation date.
    ///
    /// - Parameters:
    ///   - version: the required content.
    ///   - creationDate: the required creation date.
    ///   - entries: the entries of that content.
    /// - Returns: the signed receipt; nil if its content or date is another one.
    func image(version: ReceiptVersion, creationDate: Date, after entries: ReceiptEntries) -> ReceiptImage? {
        guard version == self.version, creationDate == self.creationDate else { return nil }
        return ReceiptImage(front: front, entries: hasEntries ? entries : ReceiptEntries(), back: back)
    }
}

/// A store that can report whether its app receipt has changed.
protocol ReceiptSource {
    /// Returns the device's app receipt, or ``ReceiptChange/unchanged`` if its content is the version that the caller
    /// has.
    func receipt(unless known: ReceiptVersion?) -> ReceiptChange
}

/// The result of comparing a store's app receipt with a version that the caller has.
enum ReceiptChange {
    /// The content is unchanged.
    case unchanged
    /// There is no receipt.
    case none
    case changed(ReceiptImage, ReceiptVersion)
}

/// The reason why a receipt could not be created.
public struct ReceiptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the cause, and quotes nothing from the receipt.
    package let reason: String

    init(_ reason: String) { self.reason = reason }

    /// One sentence that names the cause, and quotes nothing from the receipt.
    ///
    /// The wording is not stable.
    public var description: String { reason }
}
