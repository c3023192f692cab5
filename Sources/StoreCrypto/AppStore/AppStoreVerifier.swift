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
/// It needs no network. Certificates have to be valid at the signing date. Every byte counts: data of which a single bit was
/// changed is refused. Any thread may use a verifier.
public struct AppStoreVerifier: Sendable {
    let appReceipts: PKCS7Verifier
    let transactionReceipts: TransactionReceiptVerifier
    let payloads: JWSVerifier

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - root: the certificate to trust, in PEM or DER. One with an extended key usage is Xcode's: it has to be the one
    ///     in the receipt or the JWS. Transaction receipts need the certificate that issued their own.
    ///   - revocationList: a CRL in DER, of the intermediate that issues the leaves; none if nil.
    /// - Throws: a ``CryptoError`` if a certificate or the list is unreadable.
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

    /// Creates a verifier of what an authority signs.
    init(_ authority: CertificateAuthority, form: SigningForm, at date: Date) throws(CryptoError) {
        let root = authority.rootCertificate
        let validity = authority.root.certificate.validity
        // What was signed in time is verified after the root's end as well.
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
    ///   - creationDate: reads the creation date from a payload, whose signature is valid; nil refuses the receipt.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal.
    public func open(_ receipt: Data, creationDate: (Data) -> Date?) throws(VerificationFailure) -> Data {
        try appReceipts.verify(receipt, signedAt: creationDate)
    }

    /// Verifies a JWS.
    ///
    /// - Parameters:
    ///   - jws: the JWS: untrusted input, of any content and length.
    ///   - signingDate: reads the signing date from a payload, whose signature is valid; nil refuses the JWS.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal.
    public func payload(of jws: String, signingDate: (Data) -> Date?) throws(VerificationFailure) -> Data {
        try payloads.verify(jws, signedAt: signingDate)
    }

    /// Returns the hash that ties an app receipt to a device, to compare with its `deviceHash`.
    ///
    /// - Parameters:
    ///   - receipt: the receipt.
    ///   - device: the bytes that identify the device: the 16 of the identifier for the vendor, on a Mac the 6 of its
    ///     network address.
    /// - Returns: 20 bytes, with SHA-1.
    public func hash(of receipt: AppReceipt, forDevice device: Data) -> Data {
        Self.deviceHash(of: receipt.hashedBytes(forDevice: device))
    }

    static func deviceHash(of bytes: Data) -> Data { Data(Digest.sha1.hash([UInt8](bytes)[...])) }
}
