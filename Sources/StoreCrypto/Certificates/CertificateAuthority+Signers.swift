import Foundation
import StoreCore

extension CertificateAuthority {
    /// Returns a signer of JWS.
    ///
    /// Keep it for as long as its ``JWSSigner/validity`` contains the dates to sign at.
    ///
    /// - Parameters:
    ///   - date: the signing date. A leaf that is not valid then is renewed.
    ///   - form: the App Store's form, or Xcode's.
    ///   - defect: what is wrong with the chain, for tests of verifiers. Of the App Store's form only.
    /// - Returns: the signer.
    /// - Throws: a ``CryptoError`` if the root is not valid at the date, if the form cannot have the defect, and if no key
    ///   can be made or written.
    public func jwsSigner(
        at date: Date,
        form: SigningForm = .appStore,
        defect: Defect? = nil
    ) throws(CryptoError) -> JWSSigner {
        try JWSSigner(chain(form == .xcode ? .xcodeJWS : .jws, at: date, defect), form: form)
    }

    /// Returns a signer of PKCS #7 messages, the form of app receipts.
    ///
    /// Keep it for as long as its ``PKCS7Signer/validity`` contains the dates to sign at.
    ///
    /// - Parameters:
    ///   - date: the signing date. A leaf that is not valid then is renewed.
    ///   - digest: SHA-256, or SHA-1 as the App Store until 2023. Xcode's form is always SHA-256.
    ///   - form: the App Store's form, or Xcode's.
    ///   - defect: what is wrong with the chain, for tests of verifiers. Of the App Store's form only.
    /// - Returns: the signer.
    /// - Throws: a ``CryptoError`` if the root is not valid at the date, if the form cannot have the defect, and if no key
    ///   can be made or written.
    public func pkcs7Signer(
        at date: Date,
        digest: PKCS7Signer.Digest = .sha256,
        form: SigningForm = .appStore,
        defect: Defect? = nil
    ) throws(CryptoError) -> PKCS7Signer {
        let chain = try chain(form == .xcode ? .xcodeReceipt : .receipt, at: date, defect)
        return try PKCS7Signer(chain, digest: form == .xcode ? .sha256 : digest, form: form)
    }

    /// Returns a signer of transaction receipts, the form of 2009 to 2013.
    ///
    /// - Parameters:
    ///   - date: the signing date. A leaf that is not valid then is renewed.
    ///   - version: the signature's version.
    ///   - environment: the environment's name in receipts, `Sandbox` by default.
    ///   - defect: what is wrong with the certificate, for tests of verifiers: an expired leaf, a missing leaf's marker, a
    ///     foreign root or a wrong key.
    /// - Returns: the signer.
    /// - Throws: a ``CryptoError`` if the root is not valid at the date, if the form cannot have the defect, and if no key
    ///   can be made or written.
    public func transactionReceiptSigner(
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
