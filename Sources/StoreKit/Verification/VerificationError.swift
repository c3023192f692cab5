import Foundation
import StoreCore

extension VerificationResult {
    /// The reason why a signed value failed verification.
    public enum VerificationError: Error, Equatable, Hashable {
        /// A certificate in the signature's chain was revoked.
        case revokedCertificate
        /// A certificate in the signature's chain is not valid at the signing date, or the chain does not lead to a
        /// trusted root.
        case invalidCertificateChain
        /// The value was signed for another device.
        case invalidDeviceVerification
        /// The value is not a JWS that can be decoded.
        case invalidEncoding
        /// The signature does not match the value.
        case invalidSignature
        /// The value lacks a property that every value of its kind has.
        case missingRequiredProperties
    }
}

extension VerificationResult.VerificationError {
    /// Creates the error for a defect that a verifier found.
    init(_ defect: SignatureDefect) {
        self =
            switch defect {
            case .invalidEncoding: .invalidEncoding
            case .invalidCertificateChain: .invalidCertificateChain
            case .revokedCertificate: .revokedCertificate
            case .invalidSignature: .invalidSignature
            case .missingRequiredProperties: .missingRequiredProperties
            case .invalidDeviceVerification: .invalidDeviceVerification
            }
    }
}

extension VerificationResult.VerificationError: LocalizedError {
    /// A sentence for the user, in English.
    public var errorDescription: String? { "The purchase could not be verified." }

    /// A sentence that names the cause, in English.
    public var failureReason: String? {
        switch self {
        case .revokedCertificate: "A certificate of the store was revoked."
        case .invalidCertificateChain: "The certificates of the store are not trusted."
        case .invalidDeviceVerification: "The store's information was made for another device."
        case .invalidEncoding: "The store's information cannot be decoded."
        case .invalidSignature: "The store's information does not match its signature."
        case .missingRequiredProperties: "The store's information is incomplete."
        }
    }

    /// A sentence that suggests what the user can do, in English.
    public var recoverySuggestion: String? { "Try again later, or restore your purchases." }
}
