import Foundation

/// A private key and its certificate.
struct CertifiedKey: Sendable {
    let key: Key
    let certificate: Certificate

    init(key: Key, certificate: Certificate) { (self.key, self.certificate) = (key, certificate) }

    /// Certifies a key in a role from a date on.
    ///
    /// - Parameters:
    ///   - role: the role.
    ///   - key: the key.
    ///   - issuer: the issuer; nil for a self-signed certificate.
    ///   - date: the first date that counts.
    ///   - lifetimes: how long certificates are valid.
    /// - Throws: a ``CryptoError`` for dates that no certificate can tell, and if libcrypto fails.
    init(
        _ role: CertificateRole,
        _ key: Key,
        issuer: CertifiedKey?,
        at date: Date,
        _ lifetimes: CertificateAuthority.Lifetimes
    ) throws(CryptoError) {
        var validity = try role.validity(at: date, lifetimes)
        // It begins with its issuer, so that what is signed later than its signing date says is accepted as of that date.
        if let start = issuer?.certificate.validity.lowerBound, start < validity.lowerBound {
            validity = start..<validity.upperBound
        }
        let template = role.template(for: validity)
        self.init(key: key, certificate: try template.issued(for: key, by: issuer))
    }
}

extension CertificateTemplate {
    /// Returns the certificate of a key; self-signed without an issuer.
    func issued(for key: Key, by issuer: CertifiedKey?) throws(CryptoError) -> Certificate {
        try issued(for: key, by: issuer?.key ?? key, named: issuer?.certificate.subject)
    }
}
