import Foundation

/// A signer of receipts, which also verifies its own signatures.
///
/// It separates a receipt's content from its authentication. ``HMACReceiptSigner`` is built in. A signer with a certificate
/// conforms too: its ``certificate`` is included in every receipt, and it may accept other certificates in
/// ``isValid(signature:certificate:for:)``.
///
/// Every member may be called on any thread at any time, and returns its result directly.
public protocol ReceiptSigner: Sendable {
    /// The environment's name in receipts, constant: `Sandbox`, `LocalTesting`, … Receipts of `Production` leave the name
    /// out.
    var environment: String { get }

    /// The first byte of a signature blob, constant, which determines the form of the remainder. Apple's numbers are 2 (RSA
    /// with 1024 bits) and 3 (2048 bits); use another for any other signature.
    var signatureVersion: UInt8 { get }

    /// The length of every signature in bytes, constant.
    var signatureLength: Int { get }

    /// The certificate included with each signature, DER; empty by default, for signers that need none.
    var certificate: Data { get }

    /// Signs a message.
    ///
    /// - Parameter message: For a transaction's receipt the version byte, then the purchase information; for an app receipt
    ///   the attributes in its payload, without the tag and the length of the set. No message can be both, unless the
    ///   version byte is 0x30.
    /// - Returns: ``signatureLength`` bytes.
    /// - Throws: The reason why it cannot sign; no receipt is created then.
    func sign(_ message: Data) throws -> Data

    /// Returns whether a signature over a message was made with this signer's key.
    ///
    /// Both are untrusted input, of any content and length; the check takes constant time.
    func isValid(signature: Data, for message: Data) -> Bool

    /// Returns whether a signature over a message was made with the key of a certificate that this signer trusts.
    ///
    /// Default: trusts ``certificate`` alone.
    func isValid(signature: Data, certificate: Data, for message: Data) -> Bool
}

extension ReceiptSigner {
    /// An empty certificate, for signers that need none.
    public var certificate: Data { Data() }

    /// Returns whether a signature was made with this signer's own certificate and key.
    public func isValid(signature: Data, certificate: Data, for message: Data) -> Bool {
        certificate == self.certificate && isValid(signature: signature, for: message)
    }
}

/// A signer that seals app receipts in its own format, such as the App Store's PKCS #7 with a chain of certificates.
///
/// `AppStoreSigner`, in the module StoreCrypto, is one. A store whose signer is only a ``ReceiptSigner`` issues app
/// receipts in the HMAC form of ``AppReceipt``.
public protocol AppReceiptSigner: ReceiptSigner {
    /// The environment's name in attribute 0 of app receipts, constant: `ProductionSandbox`, `Production`, `Xcode`.
    var appReceiptEnvironment: String { get }

    /// Returns the hash that ties a receipt to a device: SHA-1 at the App Store.
    ///
    /// - Parameter bytes: the device's identifier, the opaque value and the encoded bundle identifier, in that order.
    /// - Returns: the hash.
    func deviceHash(of bytes: Data) -> Data

    /// Seals a payload.
    ///
    /// - Parameter payload: a set of attributes in DER, in the order of their bytes.
    /// - Returns: the receipt.
    /// - Throws: the reason why it cannot sign; no receipt is created then.
    func seal(_ payload: Data) throws -> Data

    /// Verifies a receipt's signature and certificates.
    ///
    /// - Parameters:
    ///   - receipt: untrusted input, of any content and length.
    ///   - creationDate: reads the date from a payload as of which the certificates must be valid; nil if there is none.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal, whose description is one sentence without anything from the receipt.
    func open(_ receipt: Data, creationDate: (Data) -> Date?) throws -> Data
}

/// A signer of receipts and JWS with a secret that only the store holds: HMAC-SHA-256 (RFC 2104), 32 bytes a signature.
///
/// The key that verifies such a receipt can also forge one, so do not share it: an app has its receipts verified by the
/// store, not by itself.
public struct HMACReceiptSigner: ReceiptSigner {
    private let key: HMACKey
    /// Whether the key is random and known to no other process.
    let isAnonymous: Bool
    /// The environment's name, `LocalTesting`; in a test session `Xcode`.
    public let environment: String

    /// Creates a signer with the store's own key; the same key verifies the same receipts in every process.
    ///
    /// - Parameter key: At least one byte, preferably 32 random ones. An empty key stops the process: anybody could create
    ///   its signatures.
    public init(key: Data) {
        guard !key.isEmpty else { fatalError("A receipt signer needs a key of at least one byte.") }
        self.key = HMACKey(key)
        isAnonymous = false
        environment = "LocalTesting"
    }

    /// Creates a signer with a new random key, for a store that does not outlive the process.
    public init() { self.init(environment: "LocalTesting") }

    /// Creates a signer with a new random key in an environment.
    package init(environment: String) {
        key = HMACKey()
        isAnonymous = true
        self.environment = environment
    }

    /// A new message, to be signed incrementally.
    var message: HMACSHA256.Message { key.hmac.message }

    /// The signature version, 72: an ASCII `H`, which is not one of Apple's numbers.
    public var signatureVersion: UInt8 { 72 }

    /// The length of a signature, 32 bytes.
    public var signatureLength: Int { SHA256.digestLength }

    /// Returns the message's authentication code; never throws.
    public func sign(_ message: Data) -> Data {
        Data(message.withUnsafeBytes { key.hmac.code(for: $0) })
    }

    /// Returns whether the signature is the message's authentication code, compared in constant time.
    public func isValid(signature: Data, for message: Data) -> Bool {
        message.withUnsafeBytes { message in signature.withUnsafeBytes { key.hmac.isValid($0, for: message) } }
    }
}

// The stored key is secret: neither printing nor `dump` may show it.
extension HMACReceiptSigner: CustomStringConvertible, CustomReflectable {
    /// The type's name, without the key.
    public var description: String { "HMACReceiptSigner" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension HMACReceiptSigner: PayloadSigner {
    /// The header `{"alg":"HS256","typ":"JWT"}` in Base64, followed by the dot.
    ///
    /// No receipt's signed message begins with these characters, so no signature is valid for both.
    private static let header = Array("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.".utf8)

    /// Signs a payload with the algorithm HS256; never throws.
    public func jws(of payload: Data) -> String {
        var text = Self.header + payload.withUnsafeBytes(Base64URL.encode)
        let signature = sign(Data(text))
        text.append(UInt8(ascii: "."))
        text += signature.withUnsafeBytes(Base64URL.encode)
        return String(decoding: text, as: UTF8.self)
    }

    /// Verifies a JWS signed with this signer's key, of which one encoding is accepted.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signingDate: not called: there are no certificates.
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

/// The signature of a device's app receipt and all bytes except the entries, from which the receipt is assembled again
/// without signing it.
///
/// It does not store the entries: a second copy of them would have to be copied when one is added.
struct SignedReceipt: Sendable {
    private let version: ReceiptVersion
    private let creationDate: Date
    private let front: [UInt8]
    private let back: [UInt8]
    /// Whether the entries are between the two parts; a sealed receipt is stored whole.
    private let hasEntries: Bool

    /// Stores the signed bytes of an image.
    ///
    /// - Parameters:
    ///   - image: the receipt.
    ///   - version: its content.
    ///   - creationDate: its creation date.
    init(_ image: ReceiptImage, version: ReceiptVersion, creationDate: Date) {
        self.version = version
        self.creationDate = creationDate
        front = image.front
        back = image.back
        hasEntries = image.entries.identity === version.entries
    }

    /// Returns the signed receipt if it matches a content and a creation date.
    ///
    /// - Parameters:
    ///   - version: the content.
    ///   - creationDate: the creation date.
    ///   - entries: the entries of that version.
    /// - Returns: the signed receipt; nil if it does not match.
    func image(version: ReceiptVersion, creationDate: Date, behind entries: ReceiptEntries) -> ReceiptImage? {
        guard version == self.version, creationDate == self.creationDate else { return nil }
        return ReceiptImage(front: front, entries: hasEntries ? entries : ReceiptEntries(), back: back)
    }
}

/// A store that can tell whether its app receipt has changed.
protocol ReceiptSource {
    /// Returns the device's app receipt, unless its content is that of a known version.
    func receipt(unless known: ReceiptVersion?) -> ReceiptNews
}

/// The state of an app receipt compared with a known version.
enum ReceiptNews {
    /// The content is unchanged.
    case unchanged
    /// There is no receipt.
    case none
    case changed(ReceiptImage, ReceiptVersion)
}

/// The reason why a receipt could not be created.
public struct ReceiptError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence that names the cause, without anything from the receipt.
    ///
    /// Its wording is not stable.
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The reason.
    public var description: String { reason }
}
