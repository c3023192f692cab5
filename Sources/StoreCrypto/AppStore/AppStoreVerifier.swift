import Foundation
import StoreCore

/// A verifier of everything that the App Store signs, which needs only the root certificate.
///
/// ```swift
/// let verifier = try AppStoreVerifier(root: Data(contentsOf: rootFile))
/// if case .appReceipt(let receipt, environment: "ProductionSandbox") = try verifier.verify(data, at: .now) {
///     return receipt.purchases.map(\.productIdentifier)
/// }
/// ```
///
/// A verifier needs no network. Certificates have to be valid at the signing date. Data with a single changed bit is
/// refused. A verifier may be used on any thread.
public struct AppStoreVerifier: Sendable {
    let appReceipts: PKCS7Verifier
    let transactionReceipts: TransactionReceiptVerifier
    let payloads: JWSVerifier

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - root: the certificate to trust, in PEM or DER. A certificate with an extended key usage counts as Xcode's:
    ///     receipts and JWS must contain that certificate itself. In transaction receipts, the trusted certificate must
    ///     have issued the one that they contain.
    ///   - revocationList: a CRL in DER, of the intermediate that issues the leaves; nil for none.
    /// - Throws: a ``CryptoError`` if the certificate or the list is unreadable, and without libcrypto.
    public init(root: Data, revocationList: Data? = nil) throws(CryptoError) {
        guard Libcrypto.isAvailable else { throw .unavailable }
        // DER begins with a sequence, PEM with a letter or a dash.
        let root =
            root.first == 0x30
            ? root : try PEMBlock(first: [.certificate], in: String(decoding: root, as: UTF8.self)).data
        let isXcode = try Certificate(root).has(ObjectID.extendedKeyUsage.description)
        let form: SigningForm = isXcode ? .xcode : .appStore
        appReceipts = try PKCS7Verifier(root: root, form: form, revocationList: revocationList)
        transactionReceipts = try TransactionReceiptVerifier(root: root)
        payloads = try JWSVerifier(root: root, form: form, revocationList: revocationList)
    }

    /// Creates a verifier of an authority's signatures.
    init(_ authority: CertificateAuthority, form: SigningForm, at date: Date) throws(CryptoError) {
        let root = authority.rootCertificate
        let validity = authority.root.certificate.validity
        // Past signatures remain valid after the root has expired.
        let date = min(max(date, validity.lowerBound), validity.upperBound - 1)
        transactionReceipts = try TransactionReceiptVerifier(root: root)
        switch form {
        case .appStore:
            let list = try authority.revocationList(at: date)
            appReceipts = try PKCS7Verifier(root: root, revocationList: list)
            payloads = try JWSVerifier(root: root, revocationList: list)
        case .xcode:
            let receipts = try authority.certified(.xcodeReceipt, at: date).certificate.data
            appReceipts = try PKCS7Verifier(root: receipts, form: form)
            payloads = try JWSVerifier(root: try authority.certified(.xcodeJWS, at: date).certificate.data, form: form)
        }
    }

    /// Verifies an app receipt's signature and certificates.
    ///
    /// - Parameters:
    ///   - receipt: the receipt in DER, or in BER as Xcode writes it: untrusted input, of any content and length.
    ///   - creationDate: returns the creation date in a payload, whose signature is valid; if it is nil, the receipt is
    ///     refused.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal.
    public func open(_ receipt: Data, creationDate: (Data) -> Date?) throws(VerificationFailure) -> Data {
        try appReceipts.verify(receipt, signedAt: creationDate)
    }

    /// Verifies a JWS.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signingDate: returns the signing date in a payload, whose signature is valid; if it is nil, the JWS is
    ///     refused.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal.
    public func payload(of jws: String, signingDate: (Data) -> Date?) throws(VerificationFailure) -> Data {
        try payloads.verify(jws, signedAt: signingDate)
    }

    /// Returns the hash that binds an app receipt to a device; compare it with the receipt's `deviceHash`.
    ///
    /// - Parameters:
    ///   - receipt: an app receipt in the App Store's or Xcode's form.
    ///   - device: the bytes that identify the device: the 16 of the identifier for the vendor, on a Mac the 6 of its
    ///     network address.
    /// - Returns: 20 bytes, with SHA-1.
    public func hash(of receipt: AppReceipt, forDevice device: Data) -> Data {
        Self.deviceHash(of: receipt.hashedBytes(forDevice: device))
    }

    static func deviceHash(of bytes: Data) -> Data { Data(Digest.sha1.hash([UInt8](bytes)[...])) }
}

extension AppStoreVerifier {
    /// The verified content of a receipt or a JWS, by its form.
    public enum Content: Hashable, Sendable {
        /// A transaction receipt, with the response about it and the environment that it names.
        ///
        /// No signature covers the environment: whoever has a receipt of `Sandbox` can change its environment to
        /// `Production`, and the receipt stays valid.
        case transactionReceipt(ReceiptVerification, environment: String)
        /// An app receipt, with the name of its environment: `Production`, `ProductionSandbox` or `Xcode`.
        ///
        /// For a volume purchase, the name is the same, and the receipt's `isVolumePurchase` is true.
        case appReceipt(AppReceipt, environment: String)
        /// A JWS, with its payload, a JSON object.
        case jws(Subject, payload: Data)
    }

    /// The kind of information in the payload of a JWS.
    public enum Subject: Hashable, Sendable {
        /// A transaction.
        case transaction
        /// The renewal of a subscription.
        case renewalInfo
        /// The purchase of the app itself.
        case appTransaction
        /// A notification to a server.
        case notification
    }

    /// Verifies a receipt or a JWS of any form.
    ///
    /// An app receipt is verified as of its creation date, a JWS as of its `signedDate`, and an app transaction as of
    /// its `receiptCreationDate`. A transaction receipt has no signing date, and is verified as of its purchase. It must
    /// have the form that ``AppStoreSigner`` writes: a `pod` of 100, and an environment that is one of the App Store's or
    /// Xcode's.
    ///
    /// - Parameters:
    ///   - data: the data itself, not its Base64 form: untrusted input, of any content and length.
    ///   - now: the date for deciding whether the subscription in a transaction receipt has expired.
    /// - Returns: the content.
    /// - Throws: the reason for the refusal.
    public func verify(_ data: Data, at now: Date) throws(VerificationFailure) -> Content {
        switch data.first {
        case UInt8(ascii: "{"): try transactionReceipt(data, at: now)
        // The tag of a DER sequence, with which app receipts begin.
        case 0x30: try appReceipt(data)
        default: try jws(data)
        }
    }

    /// The environments in transaction receipts, which no signature covers.
    private static let environments = ["Production", "Sandbox", "Xcode"]

    private func transactionReceipt(_ data: Data, at now: Date) throws(VerificationFailure) -> Content {
        guard let envelope = ReceiptEnvelope(data), Self.environments.contains(envelope.environment) else {
            throw .malformed
        }
        // Verified first, so that no forged purchase information is parsed.
        let information = envelope.purchaseInformation
        try transactionReceipts.verify(envelope.signatureBlob, over: information)
        guard let response = ReceiptVerification(purchaseInformation: information, at: now) else {
            throw .foreignContent
        }
        return .transactionReceipt(response, environment: envelope.environment)
    }

    private func appReceipt(_ data: Data) throws(VerificationFailure) -> Content {
        guard let payload = AppReceiptPayload(try open(data, creationDate: AppReceiptPayload.creationDate)) else {
            throw .foreignContent
        }
        return .appReceipt(payload.receipt, environment: payload.environment)
    }

    private func jws(_ data: Data) throws(VerificationFailure) -> Content {
        guard let text = String(validating: data, as: UTF8.self) else { throw .malformed }
        let payload = try payload(of: text) { SigningDate(of: $0)?.date }
        guard let subject = Subject(ofPayload: payload) else { throw .foreignContent }
        return .jws(subject, payload: payload)
    }
}

extension AppStoreVerifier.Subject {
    private enum Field: CodingKey {
        case notificationType, receiptType, autoRenewProductId, transactionId
    }

    /// The fields of a payload that identify its subject and contain text; fields with other values are ignored.
    private struct Fields: Decodable {
        let texts: Set<Field>

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Field.self)
            texts = Set(fields.allKeys.filter { (try? fields.decode(String.self, forKey: $0)) != nil })
        }
    }

    /// Reads the subject of a payload; nil if it has none that the App Store signs.
    package init?(ofPayload payload: Data) {
        guard let texts = (try? UntrustedJSON.decode(Fields.self, from: payload))?.texts else { return nil }
        if texts.contains(.notificationType) {
            self = .notification
        } else if texts.contains(.receiptType) {
            self = .appTransaction
        } else if texts.contains(.autoRenewProductId) {
            self = .renewalInfo
        } else if texts.contains(.transactionId) {
            self = .transaction
        } else {
            return nil
        }
    }
}
