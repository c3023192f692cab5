import Foundation
import StoreCore

/// A verifier of JWS in the form of the App Store's transactions, without a network.
///
/// ```swift
/// let verifier = try JWSVerifier(root: authority.rootCertificate)
/// let payload = try verifier.verify(jws, asOf: signingDate)
/// ```
///
/// A JWS with a single changed bit is refused; as with every ECDSA, anyone can compute a second valid signature. A
/// chain is verified once and cached; each further signature under it costs little more than its ECDSA. A verifier may
/// be used on any thread.
package struct JWSVerifier: Sendable {
    private let chains: ChainVerifier
    private let headers = PrefixCache<KnownHeader>()

    private struct KnownHeader: Sendable {
        let chain: VerifiedChain
        let context: SignatureContext
    }

    /// The number of characters of a signature of 64 bytes.
    static let signatureLength = Base64URL.length(2 * ECDSASignature.size)

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - root: the certificate to trust, in DER; in Xcode's form the one that is in the header.
    ///   - form: the App Store's form, or Xcode's.
    ///   - revocationList: a CRL in DER, of the intermediate that issues the leaves; nil for none. A listed leaf is
    ///     refused whatever the signing date. Xcode's form has none.
    /// - Throws: a ``CryptoError`` if a certificate or the list is unreadable.
    package init(root: Data, form: SigningForm = .appStore, revocationList: Data? = nil) throws(CryptoError) {
        chains = try ChainVerifier(form, anchor: root, revocationList: revocationList)
    }

    /// Verifies a JWS as of a date.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - date: the signing date, at which all certificates have to be valid.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal.
    package func verify(_ jws: String, asOf date: Date) throws(VerificationFailure) -> Data {
        try verify(jws) { _ in date }
    }

    /// Verifies a JWS as of the date in its payload.
    ///
    /// - Parameters:
    ///   - jws: untrusted input, of any content and length.
    ///   - signingDate: returns the signing date in a payload, whose signature is valid; if it is nil, the JWS is
    ///     refused.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal.
    package func verify(
        _ jws: String,
        signedAt signingDate: (_ payload: Data) -> Date?
    ) throws(VerificationFailure) -> Data {
        let text = Array(jws.utf8)
        let (header, count) = try header(of: text)
        let dot = text.count - Self.signatureLength - 1
        guard dot >= count, text[dot] == UInt8(ascii: "."),
            let payload = Base64URL.decode(text[count..<dot]).map({ Data($0) }),
            let signature = Base64URL.decode(text[(dot + 1)...])
        else { throw .malformed }
        // Verified first, so that no forged payload is parsed.
        guard header.context.isValid(ECDSASignature.der(signature), for: text[count..<dot]) else {
            throw .wrongSignature
        }
        try header.chain.requireValidity(at: signingDate(payload))
        return payload
    }

    /// Returns the header, once its chain is verified, and the number of its characters including the dot after them.
    private func header(of text: [UInt8]) throws(VerificationFailure) -> (KnownHeader, count: Int) {
        if let (known, count) = headers.value(atStartOf: text) { return (known, count) }
        guard let dot = text.firstIndex(of: UInt8(ascii: ".")) else { throw .malformed }
        let header = try JWSHeader(text[..<dot])
        guard header.alg == JWSHeader.algorithm else { throw .wrongAlgorithm }
        let chain = try chains.verified(try header.certificates())
        let prefix = Array(text[...dot])
        guard chain.leaf.key.kind == .p256, let context = try? SignatureContext(chain.leaf.key, .sha256, prefix: prefix)
        else { throw .wrongAlgorithm }
        let known = KnownHeader(chain: chain, context: context)
        headers.insert(known, for: prefix)
        return (known, prefix.count)
    }
}
