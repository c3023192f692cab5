import Foundation
import StoreCore

/// The version of the signature in a transaction receipt, the first byte of its blob.
public enum TransactionReceiptVersion: UInt8, CaseIterable, Hashable, Sendable {
    /// RSA with 1024 bits.
    case rsa1024 = 2
    /// RSA with 2048 bits.
    case rsa2048 = 3

    /// The number of bytes of a signature.
    package var signatureLength: Int {
        switch self {
        case .rsa1024: 128
        case .rsa2048: 256
        }
    }
}

/// A signer of transaction receipts like the App Store's from 2009 to 2013: RSA with SHA-1, and one certificate.
///
/// Created by ``CertificateAuthority/transactionReceiptSigner(at:version:environment:defect:)``. The root itself issues
/// the certificate, since a receipt can contain only one. A signer may be used on any thread.
package struct TransactionReceiptSigner: ReceiptSigner {
    package typealias Version = TransactionReceiptVersion

    /// The environment's name in receipts.
    package let environment: String
    /// The version of the signatures.
    package let version: Version
    /// The certificate in DER.
    package let certificate: Data
    /// The dates at which the certificate is valid.
    package let validity: Range<Date>
    private let context: SignatureContext
    private let verifier: TransactionReceiptVerifier

    init(_ chain: SigningChain, version: Version, environment: String, root: Data) throws(CryptoError) {
        (self.version, self.environment) = (version, environment)
        certificate = chain.certificates[0].data
        validity = chain.validity
        context = try SignatureContext(chain.key, .sha1)
        verifier = try TransactionReceiptVerifier(root: root)
    }

    /// The number of ``version``.
    package var signatureVersion: UInt8 { version.rawValue }

    /// The number of bytes of every signature.
    package var signatureLength: Int { version.signatureLength }

    /// Signs a message.
    ///
    /// - Parameter message: the version's byte, then the receipt's inner property list.
    /// - Returns: ``signatureLength`` bytes, the same each time.
    /// - Throws: a ``CryptoError`` if libcrypto fails.
    package func sign(_ message: Data) throws -> Data { Data(try context.sign(message)) }

    /// Returns whether the signature is this signer's for the message.
    package func isValid(signature: Data, for message: Data) -> Bool { context.isValid(signature, for: message) }

    /// Returns whether the signature was made with a certificate of the same root, whatever the time.
    ///
    /// ``TransactionReceiptVerifier`` also checks the dates.
    package func isValid(signature: Data, certificate: Data, for message: Data) -> Bool {
        (try? verifier.verify(signature, certificate: certificate, over: message)) != nil
    }
}
