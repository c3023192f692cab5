import Foundation

/// The hash algorithm of app receipts.
public enum ReceiptDigest: CaseIterable, Hashable, Sendable {
    /// SHA-1, in receipts until 2023.
    case sha1
    /// SHA-256.
    case sha256
}

/// A signer of PKCS #7 messages in the form of app receipts: RSA, with the chain of certificates.
///
/// Created by ``CertificateAuthority/pkcs7Signer(at:digest:form:defect:)``. Each signature costs little more than its
/// RSA. A signer may be used on any thread.
package struct PKCS7Signer: Sendable {
    /// The certificates in messages, in DER, the leaf first.
    ///
    /// Verifiers trust the last one.
    package let certificates: [Data]
    /// The dates at which all certificates are valid.
    package let validity: Range<Date>
    private let form: SigningForm
    private let digest: ReceiptDigest
    private let name: [UInt8]
    private let context: SignatureContext

    init(_ chain: SigningChain, digest: ReceiptDigest, form: SigningForm) throws(CryptoError) {
        certificates = chain.certificates.map(\.data)
        validity = chain.validity
        name = [UInt8](chain.certificates[0].issuerAndSerialNumber)
        context = try SignatureContext(chain.key, digest.algorithm)
        (self.form, self.digest) = (form, digest)
    }

    /// Signs content.
    ///
    /// - Parameter content: any bytes; an app receipt's are a set of attributes in DER.
    /// - Returns: the message, which includes the content: in DER; in Xcode's form, in BER. Equal content has equal
    ///   messages.
    /// - Throws: a ``CryptoError`` if libcrypto fails.
    package func sign(_ content: Data) throws(CryptoError) -> Data {
        let message = SignedData(
            content: [UInt8](content),
            digest: digest,
            certificates: certificates,
            signer: name,
            signatureAlgorithm: form == .xcode ? .rsaWithSHA256 : .rsa,
            signature: try context.sign(content)
        )
        return form == .xcode ? message.ber : message.der
    }
}

extension ReceiptDigest {
    var algorithm: Digest {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        }
    }

    var identifier: [UInt8] {
        switch self {
        case .sha1: AlgorithmIdentifier.sha1
        case .sha256: AlgorithmIdentifier.sha256
        }
    }
}
