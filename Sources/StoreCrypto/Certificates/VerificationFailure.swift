import StoreCore

/// The reason why a signature is refused; if there are several, the first that was found.
///
/// Later versions may add cases: a `switch` needs a `default`.
public enum VerificationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The data is not in the exact form of a JWS, a PKCS #7 message or a signature.
    case malformed
    /// The header of a JWS has `crit`, which names extensions that must be understood; none is supported.
    case unknownCriticalHeader
    /// The algorithm is not one that the App Store signs with in this form.
    case wrongAlgorithm
    /// The number of certificates is wrong.
    case chainLength(Int)
    /// A certificate is unreadable.
    case unreadableCertificate
    /// The chain ends in a certificate other than the trusted root.
    case foreignRoot
    /// A certificate was not issued by the next one in the chain, or may not be used for this purpose.
    case untrustedChain
    /// A certificate lacks the extension with which the App Store marks its own.
    case missingMarker(ChainMember)
    /// A certificate is not valid yet at the signing date.
    case notYetValid(ChainMember)
    /// A certificate has expired by the signing date.
    case expired(ChainMember)
    /// The leaf is on the revocation list.
    case revoked
    /// The revocation list is not signed by the leaf's issuer.
    case foreignRevocationList
    /// The content has no signing date.
    case noSigningDate
    /// The signature is not the leaf's for this content.
    case wrongSignature
    /// The signature is valid, but its content is none that the App Store signs, such as a purchase or a notification.
    case foreignContent

    /// A place in a chain of certificates.
    public enum ChainMember: String, Hashable, Sendable {
        /// The certificate whose key signed the content.
        case leaf
        /// The certificate between the leaf and the root.
        case intermediate
        /// The certificate that is trusted.
        case root
    }

    /// A sentence that describes the reason.
    ///
    /// Its wording is not stable.
    public var description: String {
        switch self {
        case .malformed: "The data is not in its exact form."
        case .unknownCriticalHeader: "The header has a member crit, and no critical extension is understood."
        case .wrongAlgorithm: "The signature's algorithm is not the App Store's."
        case .chainLength(let count): "The chain must not have \(count) certificates."
        case .unreadableCertificate: "A certificate is unreadable."
        case .foreignRoot: "The chain does not end in the trusted root."
        case .untrustedChain: "A certificate was not issued by the next one in the chain."
        case .missingMarker(let member): "The \(member) certificate lacks the App Store's extension."
        case .notYetValid(let member): "The \(member) certificate was not valid yet at the signing date."
        case .expired(let member): "The \(member) certificate had expired at the signing date."
        case .revoked: "The leaf certificate is revoked."
        case .foreignRevocationList: "The revocation list is not signed by the leaf's issuer."
        case .noSigningDate: "The content does not tell when it was signed."
        case .wrongSignature: "The signature is not the leaf's over this content."
        case .foreignContent: "The signature is valid, but the content is none that the App Store signs."
        }
    }
}

extension VerificationFailure: ReceiptRefusalReason {
    package var status: ReceiptVerification.Status {
        switch self {
        case .malformed, .unknownCriticalHeader, .noSigningDate, .foreignContent: .malformed
        default: .notAuthentic
        }
    }
}

extension VerificationFailure: SignatureRefusal {
    package var defect: SignatureDefect {
        switch self {
        case .malformed, .wrongAlgorithm, .unknownCriticalHeader: .invalidEncoding
        case .chainLength, .unreadableCertificate, .foreignRoot, .untrustedChain, .missingMarker, .notYetValid,
            .expired,
            .foreignRevocationList:
            .invalidCertificateChain
        case .revoked: .revokedCertificate
        case .wrongSignature: .invalidSignature
        case .noSigningDate, .foreignContent: .missingRequiredProperties
        }
    }
}
