import Foundation
import StoreCore

/// A signer of JWS in the form of the App Store's transactions: compact, ES256, with the chain of certificates.
///
/// Created by ``CertificateAuthority/jwsSigner(at:form:defect:)``. The header is encoded and hashed once; each
/// signature costs little more than its ECDSA. A signer may be used on any thread.
package struct JWSSigner: Sendable {
    /// The certificates in `x5c`, in DER, the leaf first.
    ///
    /// Verifiers trust the last one.
    package let certificates: [Data]
    /// The dates at which all certificates are valid.
    package let validity: Range<Date>
    private let header: [UInt8]
    private let context: SignatureContext

    init(_ chain: SigningChain, form: SigningForm) throws(CryptoError) {
        certificates = chain.certificates.map(\.data)
        validity = chain.validity
        header = try JWSHeader(certificates, form: form).text()
        context = try SignatureContext(chain.key, .sha256, prefix: header)
    }

    /// Signs a payload.
    ///
    /// - Parameter payload: any bytes; the App Store's are a JSON object.
    /// - Returns: header, payload and signature in URL-safe Base64, with dots between them. The signature differs each
    ///   time.
    /// - Throws: a ``CryptoError`` if libcrypto fails.
    package func sign(_ payload: Data) throws(CryptoError) -> String {
        let unsigned = header.count + Base64URL.length(payload.count)
        var text = [UInt8](unsafeUninitializedCapacity: unsigned + 1 + JWSVerifier.signatureLength) { text, count in
            _ = text.initialize(fromContentsOf: header)
            if let start = text.baseAddress {
                payload.withUnsafeBytes { Base64URL.encode($0, to: start + header.count) }
            }
            count = unsigned
        }
        guard let signature = ECDSASignature.raw(try context.sign(text[header.count...])) else {
            throw CryptoError("libcrypto made a signature that is none on P-256")
        }
        text.append(UInt8(ascii: "."))
        text += signature.withUnsafeBytes(Base64URL.encode)
        return String(decoding: text, as: UTF8.self)
    }
}

extension JWSSigner {
    /// Returns the SHA-384 that binds a payload to a device, as `PayloadSigner` requires.
    package static func deviceVerification(of text: Data) -> Data { Data(Digest.sha384.hash(Array(text)[...])) }
}

/// A signature on P-256 in its two encodings.
enum ECDSASignature {
    /// The number of bytes of r and of s.
    static let size = 32

    /// Converts a signature in DER to r followed by s, 64 bytes.
    static func raw(_ der: [UInt8]) -> [UInt8]? {
        var reader = DERReader(der)
        guard var numbers = reader.open(.sequence) else { return nil }
        var raw: [UInt8] = []
        for _ in 0..<2 {
            guard let number = numbers.read(.integer)?.drop(while: { $0 == 0 }), number.count <= size else {
                return nil
            }
            raw += [UInt8](repeating: 0, count: size - number.count) + number
        }
        return raw
    }

    /// Converts a signature of 64 bytes to DER.
    static func der(_ raw: [UInt8]) -> [UInt8] { DER.sequence(integer(raw.prefix(size)), integer(raw.dropFirst(size))) }

    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let digits = bytes.drop { $0 == 0 }
        let sign: [UInt8] = digits.first.map { $0 >= 0x80 } ?? true ? [0] : []
        return DER.element(.integer, sign + digits)
    }
}
