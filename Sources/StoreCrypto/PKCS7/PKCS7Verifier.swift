import Foundation

/// A verifier of PKCS #7 messages in the form of app receipts, without a network.
///
/// A verifier reads DER, and BER as Xcode writes it. A message with a single changed bit is refused. A chain is
/// verified once and cached. A verifier may be used on any thread.
package struct PKCS7Verifier: Sendable {
    private let form: SigningForm
    private let chains: ChainVerifier
    private let known = PrefixCache<VerifiedChain>()

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - root: the certificate to trust, in DER; in Xcode's form the one that is in the message.
    ///   - form: the App Store's form, or Xcode's.
    ///   - revocationList: a CRL in DER, of the intermediate that issues the leaves; nil for none. A listed leaf is
    ///     refused whatever the signing date. Xcode's form has none.
    /// - Throws: a ``CryptoError`` if a certificate or the list is unreadable.
    package init(root: Data, form: SigningForm = .appStore, revocationList: Data? = nil) throws(CryptoError) {
        self.form = form
        chains = try ChainVerifier(form, anchor: root, revocationList: revocationList)
    }

    /// Verifies a message as of a date.
    ///
    /// - Parameters:
    ///   - message: untrusted input, of any content and length.
    ///   - date: the signing date, at which all certificates have to be valid.
    /// - Returns: the content.
    /// - Throws: the reason for the refusal.
    package func verify(_ message: Data, asOf date: Date) throws(VerificationFailure) -> Data {
        try verify(message) { _ in date }
    }

    /// Verifies a message as of the date in its content.
    ///
    /// - Parameters:
    ///   - message: untrusted input, of any content and length.
    ///   - signingDate: returns the signing date in content, whose signature is valid; if it is nil, the message is
    ///     refused.
    /// - Returns: the content.
    /// - Throws: the reason for the refusal.
    package func verify(
        _ message: Data,
        signedAt signingDate: (_ content: Data) -> Date?
    ) throws(VerificationFailure) -> Data {
        guard let signedData = SignedData(message) else { throw .malformed }
        guard signedData.signatureAlgorithm == .rsa || (form == .xcode && signedData.digest == .sha256) else {
            throw .wrongAlgorithm
        }
        let chain = try chain(signedData.certificates)
        guard chain.leaf.issuerAndSerialNumber == Data(signedData.signer) else { throw .malformed }
        let content = Data(signedData.content)
        guard case .rsa = chain.leaf.key.kind,
            let context = try? SignatureContext(chain.leaf.key, signedData.digest.algorithm)
        else { throw .wrongAlgorithm }
        guard context.isValid(signedData.signature, for: content) else { throw .wrongSignature }
        // Read after the signature is verified, so that no forged content is parsed.
        try chain.requireValidity(at: signingDate(content))
        return content
    }

    private func chain(_ certificates: [Data]) throws(VerificationFailure) -> VerifiedChain {
        let key = SignedData.joined(certificates)
        if let (chain, count) = known.value(atStartOf: key), count == key.count { return chain }
        let chain = try chains.verified(certificates)
        known.insert(chain, for: key)
        return chain
    }
}
