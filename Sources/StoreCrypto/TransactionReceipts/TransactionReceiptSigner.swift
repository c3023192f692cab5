import Foundation
import StoreCore

/// A signer of transaction receipts like the App Store's from 2009 to 2013: RSA with SHA-1, and one certificate.
///
/// Created by ``CertificateAuthority/transactionReceiptSigner(at:version:environment:defect:)``. The root itself issues
/// the certificate, since a receipt can contain only one. A signer may be used on any thread.
public struct TransactionReceiptSigner: ReceiptSigner {
    /// The version of a signature, the first byte of its blob.
    public enum Version: UInt8, CaseIterable, Hashable, Sendable {
        /// RSA with 1024 bits.
        case rsa1024 = 2
        /// RSA with 2048 bits.
        case rsa2048 = 3

        /// The number of bytes of a signature.
        public var signatureLength: Int {
            switch self {
            case .rsa1024: 128
            case .rsa2048: 256
            }
        }
    }

    /// The environment's name in receipts.
    public let environment: String
    /// The version of the signatures.
    public let version: Version
    /// The certificate in DER.
    public let certificate: Data
    /// The dates at which the certificate is valid.
    public let validity: Range<Date>
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
    public var signatureVersion: UInt8 { version.rawValue }

    /// The number of bytes of every signature.
    public var signatureLength: Int { version.signatureLength }

    /// Signs a message.
    ///
    /// - Parameter message: the version's byte, then the receipt's inner property list.
    /// - Returns: ``signatureLength`` bytes, the same each time.
    /// - Throws: a ``CryptoError`` if libcrypto fails.
    public func sign(_ message: Data) throws -> Data { Data(try context.sign(message)) }

    /// Returns whether the signature is this signer's for the message.
    public func isValid(signature: Data, for message: Data) -> Bool { context.isValid(signature, for: message) }

    /// Returns whether the signature was made with a certificate of the same root, whatever the time.
    ///
    /// ``TransactionReceiptVerifier`` also checks the dates.
    public func isValid(signature: Data, certificate: Data, for message: Data) -> Bool {
        (try? verifier.verify(signature, certificate: certificate, over: message)) != nil
    }
}
