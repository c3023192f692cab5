/// A way in which a signed value is wrong, under Store Kit 2's names.
///
/// A verifier that finds several reports the first in this order.
public enum SignatureDefect: String, Hashable, Codable, CaseIterable, Sendable {
    /// The text is not a JWS, or its payload is no JSON of the expected kind.
    case invalidEncoding
    /// A certificate has expired, lacks its marker or does not lead to the trusted root.
    case invalidCertificateChain
    /// A certificate is revoked.
    case revokedCertificate
    /// The signature is not the certificate's over this payload, or the payload is from another environment.
    case invalidSignature
    /// The payload lacks a property that every payload of its kind has.
    case missingRequiredProperties
    /// The payload was made for another device.
    case invalidDeviceVerification
}

/// A verifier's error that says which defect it found.
package protocol SignatureRefusal: Error {
    /// The defect.
    var defect: SignatureDefect { get }
}

extension SignatureDefect {
    /// Creates the defect that a verifier's error stands for: an invalid signature unless the error says otherwise.
    init(_ error: any Error) { self = (error as? any SignatureRefusal)?.defect ?? .invalidSignature }
}
