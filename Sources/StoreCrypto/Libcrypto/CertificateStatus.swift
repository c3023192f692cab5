import Foundation

/// The status of a certificate by OCSP (RFC 6960).
enum CertificateStatus: Hashable, Sendable {
    /// The certificate is not revoked.
    case good
    /// The certificate was revoked on a date.
    case revoked(Date)
    /// The responder knows nothing of the certificate.
    case unknown
}
