import Foundation
import StoreCore

/// A signer of receipts and JWS in the App Store's form, with its own root certificate.
///
/// ```swift
/// let clock = ManualClock()
/// let authority = try CertificateAuthority(now: clock.now)
/// let signer = try AppStoreSigner(authority, clock: clock)
/// let store = try SandboxStore(products: products, clock: clock, signer: signer)
/// ```
///
/// App receipts are PKCS #7 messages with a chain of three certificates. Transaction receipts are the signed property
/// lists of 2009 to 2013. JSON is signed as JWS with ES256.
///
/// Receipts are signed with a leaf certificate that is valid now by the clock, and JWS with one that is valid at the
/// payload's date. An expired leaf is renewed. Outside of the root's lifetime, ``CertificateAuthority/Lifetimes/root``,
/// nothing can be signed.
///
/// Verification requires certificates that lead to the authority's root, were valid at the signing date, and are not on
/// the authority's revocation list.
///
/// A signer may be used on any thread.
public final class AppStoreSigner: AppReceiptSigner, PayloadSigner {
    /// The environment that receipts and JWS name.
    public enum Environment: Hashable, Sendable {
        /// `Sandbox`, in app receipts `ProductionSandbox`.
        case sandbox
        /// `Production`.
        ///
        /// Apple's server library accepts an app transaction from production only if it contains the app's Apple ID:
        /// set it in the store, as `appAppleIdentifier`.
        case production
    }

    /// The authority that issues the signing certificates.
    public let authority: CertificateAuthority
    /// The environment's name in transaction receipts and JWS: `Sandbox` or `Production`; in Xcode's form, `Xcode`.
    public let environment: String
    /// The environment's name in app receipts: `ProductionSandbox` or `Production`; in Xcode's form, `Xcode`.
    package let appReceiptEnvironment: String
    private let clock: any StoreClock
    private let form: SigningForm
    private let transactionReceiptVersion: TransactionReceiptSigner.Version
    private let appReceipts: LeafCache<PKCS7Signer>
    private let transactionReceipts: LeafCache<TransactionReceiptSigner>
    private let payloads: LeafCache<JWSSigner>
    /// The verifier, created when it is first needed, since a store may never verify.
    private let knownVerifier = Locked<AppStoreVerifier?>(nil)

    /// Creates a signer.
    ///
    /// Keys and certificates are created when they are first needed.
    ///
    /// - Parameters:
    ///   - authority: the authority, whose root verifiers have to trust.
    ///   - clock: the clock of the signing dates, usually the store's.
    ///   - environment: the environment that receipts and JWS name. Xcode's form has its own, `Xcode`.
    ///   - digest: the hash algorithm of app receipts: SHA-256, or SHA-1 as until 2023. Xcode's form is always SHA-256.
    ///   - form: the App Store's form of app receipts and JWS, or Xcode's, with one self-signed certificate. Xcode has
    ///     no form of transaction receipts.
    ///   - transactionReceiptVersion: the version of the signatures in transaction receipts.
    ///   - defect: the defect of all signatures, for tests of verifiers. Transaction receipts, which have one
    ///     certificate, are signed correctly if that certificate cannot have the defect.
    /// - Throws: a ``CryptoError`` for a defect in Xcode's form, which has no chain.
    public init(
        _ authority: CertificateAuthority,
        clock: any StoreClock,
        environment: Environment = .sandbox,
        digest: ReceiptDigest = .sha256,
        form: SigningForm = .appStore,
        transactionReceiptVersion: TransactionReceiptVersion = .rsa2048,
        defect: CertificateAuthority.Defect? = nil
    ) throws(CryptoError) {
        if form == .xcode, let defect { throw CryptoError("this form cannot have the defect \(defect)") }
        (self.authority, self.clock, self.form) = (authority, clock, form)
        let names = environment.names(in: form)
        (self.environment, appReceiptEnvironment) = names
        self.transactionReceiptVersion = transactionReceiptVersion
        let role = CertificateRole.transactionReceipt2048
        let transactionDefect = defect.flatMap { role.canHave($0) ? $0 : nil }
        appReceipts = LeafCache(authority) {
            try authority.pkcs7Signer(at: $0, digest: digest, form: form, defect: defect)
        }
        transactionReceipts = LeafCache(authority) {
            try authority.transactionReceiptSigner(
                at: $0,
                version: transactionReceiptVersion,
                environment: names.receipts,
                defect: transactionDefect
            )
        }
        payloads = LeafCache(authority) { try authority.jwsSigner(at: $0, form: form, defect: defect) }
    }
}

extension AppStoreSigner.Environment {
    fileprivate func names(in form: SigningForm) -> (receipts: String, appReceipts: String) {
        switch (form, self) {
        case (.xcode, _): ("Xcode", "Xcode")
        case (.appStore, .sandbox): ("Sandbox", "ProductionSandbox")
        case (.appStore, .production): ("Production", "Production")
        }
    }
}

// MARK: - App receipts

extension AppStoreSigner {
    /// Returns a hash with SHA-1, 20 bytes.
    package func deviceHash(of bytes: Data) -> Data { AppStoreVerifier.deviceHash(of: bytes) }

    /// Seals a payload as PKCS #7.
    ///
    /// - Throws: a ``CryptoError`` if the authority has no valid leaf, and if libcrypto fails.
    package func seal(_ payload: Data) throws -> Data { try appReceipts.signer(at: clock.now).sign(payload) }

    /// Verifies an app receipt's signature and certificates.
    ///
    /// - Throws: a ``VerificationFailure``, the reason for the refusal.
    package func open(_ receipt: Data, creationDate: (Data) -> Date?) throws -> Data {
        try verifier().open(receipt, creationDate: creationDate)
    }
}

extension AppStoreSigner {
    /// The certificate in app receipts of Xcode's form, in DER, which verifiers trust directly.
    ///
    /// Nil in the App Store's form, whose verifiers trust the authority's root, and if the authority has no certificate
    /// that is valid now.
    public var xcodeReceiptCertificate: Data? {
        guard form == .xcode else { return nil }
        return try? authority.certified(.xcodeReceipt, at: clock.now).certificate.data
    }
}

// MARK: - JWS

extension AppStoreSigner {
    /// Signs a payload as JWS.
    ///
    /// - Parameter payload: the payload in JSON. It is signed as of its own date, such as `signedDate`, or as of now if
    ///   it has none.
    /// - Returns: the JWS in compact serialization.
    /// - Throws: a ``CryptoError`` if the authority has no valid leaf, and if libcrypto fails.
    public func jws(of payload: Data) throws -> String { try payloads.signer(at: date(of: payload)).sign(payload) }

    /// Returns the date at which verifiers check certificates: the payload's own, which may be long before it is
    /// signed.
    ///
    /// A payload without a date, or with one at which the root was not valid, is signed as of now.
    private func date(of payload: Data) -> Date {
        let date = SigningDate(of: payload)?.date
        return date.flatMap { authority.validity.contains($0) ? $0 : nil } ?? clock.now
    }

    /// Signs a payload with a deliberate defect.
    ///
    /// Xcode's form has no chain: instead of a defect of a certificate, the signature is broken.
    ///
    /// - Parameters:
    ///   - payload: the payload in JSON.
    ///   - defect: the defect; all else is correct.
    /// - Returns: the JWS in compact serialization.
    /// - Throws: a ``CryptoError`` if the authority has no valid leaf, and if libcrypto fails.
    public func jws(of payload: Data, with defect: SignatureDefect) throws -> String {
        switch (defect, form) {
        case (.invalidCertificateChain, .appStore):
            try authority.jwsSigner(at: date(of: payload), defect: .foreignRoot).sign(payload)
        case (.revokedCertificate, .appStore):
            try authority.jwsSigner(at: date(of: payload), defect: .revoked).sign(payload)
        case (.invalidSignature, _), (.invalidCertificateChain, .xcode), (.revokedCertificate, .xcode):
            try brokenSignature(of: payload)
        case (.invalidEncoding, _), (.missingRequiredProperties, _), (.invalidDeviceVerification, _):
            try tampered(payload, defect)
        }
    }

    /// Returns the SHA-384 of a text, 48 bytes, which binds a payload to a device; never nil.
    public func deviceVerification(of text: Data) -> Data? { JWSSigner.deviceVerification(of: text) }

    /// Verifies a JWS.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signingDate: returns the signing date in a payload, whose signature is valid; if it is nil, the JWS is
    ///     refused.
    /// - Returns: the payload.
    /// - Throws: a ``VerificationFailure``, the reason for the refusal.
    public func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data {
        try verifier().payload(of: jws, signingDate: signingDate)
    }
}

// MARK: - Transaction receipts

extension AppStoreSigner {
    /// The version number of the signatures in transaction receipts.
    public var signatureVersion: UInt8 { transactionReceiptVersion.rawValue }

    /// The number of bytes of every signature in a transaction receipt.
    public var signatureLength: Int { transactionReceiptVersion.signatureLength }

    /// The certificate in transaction receipts, which changes when it is renewed; empty if none can be valid now.
    public var certificate: Data { (try? transactionReceipts.signer(at: clock.now).certificate) ?? Data() }

    /// Signs the message of a transaction receipt: the version's byte, then the receipt's inner property list.
    ///
    /// - Returns: ``signatureLength`` bytes.
    /// - Throws: a ``CryptoError`` if the authority has no valid leaf, and if libcrypto fails.
    public func sign(_ message: Data) throws -> Data { try transactionReceipts.signer(at: clock.now).sign(message) }

    /// Returns whether the signature was made with this signer's key, at any time; false if no leaf can be valid now.
    public func isValid(signature: Data, for message: Data) -> Bool {
        (try? transactionReceipts.signer(at: clock.now).isValid(signature: signature, for: message)) ?? false
    }

    /// Returns whether the signature was made with a certificate of the same root that was unexpired at the purchase
    /// date.
    public func isValid(signature: Data, certificate: Data, for message: Data) -> Bool {
        do {
            let verifier = try verifier().transactionReceipts
            try verifier.verifySincePurchase(signature, certificate: certificate, over: message)
            return true
        } catch {
            return false
        }
    }
}

// MARK: - Verifying

extension AppStoreSigner {
    private func verifier() throws -> AppStoreVerifier {
        let now = clock.now
        return try knownVerifier.withLock { known in
            if let known { return known }
            let verifier = try AppStoreVerifier(authority, form: form, at: now)
            known = verifier
            return verifier
        }
    }
}

/// A signer with a leaf certificate of its own.
protocol LeafSigner: Sendable {
    /// The dates at which all of its certificates are valid.
    var validity: Range<Date> { get }
}

extension JWSSigner: LeafSigner {}
extension PKCS7Signer: LeafSigner {}
extension TransactionReceiptSigner: LeafSigner {}

/// A cache of a signer, which is created when first needed, and again when its leaf is no longer valid or another OCSP
/// responder is to be named.
final class LeafCache<Signer: LeafSigner>: Sendable {
    private let authority: CertificateAuthority
    private let make: @Sendable (Date) throws -> Signer
    private let current = Locked<(signer: Signer, responder: URL?)?>(nil)

    init(_ authority: CertificateAuthority, _ make: @escaping @Sendable (Date) throws -> Signer) {
        (self.authority, self.make) = (authority, make)
    }

    /// Returns a signer for a signing date.
    func signer(at date: Date) throws -> Signer {
        let responder = authority.responder
        // Created under the lock, so that an RSA key is generated once.
        return try current.withLock { current in
            if let (signer, named) = current, signer.validity.contains(date), responder == nil || named == responder {
                return signer
            }
            let signer = try make(date)
            current = (signer, responder)
            return signer
        }
    }
}

extension CertificateAuthority {
    /// Returns a signer of JWS.
    ///
    /// Retain it while its ``JWSSigner/validity`` contains the dates to sign at.
    ///
    /// - Parameters:
    ///   - date: the signing date. A leaf that is not valid at that date is renewed.
    ///   - form: the App Store's form, or Xcode's.
    ///   - defect: the defect of the chain, for tests of verifiers. Only in the App Store's form.
    /// - Returns: the signer.
    /// - Throws: a ``CryptoError`` if the root is not valid at the date, if the form cannot have the defect, and if no
    ///   key can be generated or written.
    package func jwsSigner(
        at date: Date,
        form: SigningForm = .appStore,
        defect: Defect? = nil
    ) throws(CryptoError) -> JWSSigner {
        try JWSSigner(chain(form == .xcode ? .xcodeJWS : .jws, at: date, defect), form: form)
    }

    /// Returns a signer of PKCS #7 messages, the form of app receipts.
    ///
    /// Retain it while its ``PKCS7Signer/validity`` contains the dates to sign at.
    ///
    /// - Parameters:
    ///   - date: the signing date. A leaf that is not valid at that date is renewed.
    ///   - digest: SHA-256, or SHA-1 as the App Store until 2023. Xcode's form is always SHA-256.
    ///   - form: the App Store's form, or Xcode's.
    ///   - defect: the defect of the chain, for tests of verifiers. Only in the App Store's form.
    /// - Returns: the signer.
    /// - Throws: a ``CryptoError`` if the root is not valid at the date, if the form cannot have the defect, and if no
    ///   key can be generated or written.
    package func pkcs7Signer(
        at date: Date,
        digest: ReceiptDigest = .sha256,
        form: SigningForm = .appStore,
        defect: Defect? = nil
    ) throws(CryptoError) -> PKCS7Signer {
        let chain = try chain(form == .xcode ? .xcodeReceipt : .receipt, at: date, defect)
        return try PKCS7Signer(chain, digest: form == .xcode ? .sha256 : digest, form: form)
    }

    /// Returns a signer of transaction receipts, the form of 2009 to 2013.
    ///
    /// - Parameters:
    ///   - date: the signing date. A leaf that is not valid at that date is renewed.
    ///   - version: the signature's version.
    ///   - environment: the environment's name in receipts, `Sandbox` by default.
    ///   - defect: the defect of the certificate, for tests of verifiers: an expired leaf, a leaf without its marker, a
    ///     foreign root or a wrong key.
    /// - Returns: the signer.
    /// - Throws: a ``CryptoError`` if the root is not valid at the date, if the form cannot have the defect, and if no
    ///   key can be generated or written.
    package func transactionReceiptSigner(
        at date: Date,
        version: TransactionReceiptSigner.Version = .rsa2048,
        environment: String = "Sandbox",
        defect: Defect? = nil
    ) throws(CryptoError) -> TransactionReceiptSigner {
        let role: CertificateRole =
            switch version {
            case .rsa1024: .transactionReceipt1024
            case .rsa2048: .transactionReceipt2048
            }
        return try TransactionReceiptSigner(
            chain(role, at: date, defect),
            version: version,
            environment: environment,
            root: rootCertificate
        )
    }
}
