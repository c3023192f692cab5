import Foundation
import StoreCore

/// The content of a certificate to be issued.
struct CertificateTemplate {
    var commonName: String
    var organization = "StoreCore"
    var validity: Range<Date>
    /// The serial number, positive and without a leading zero.
    var serialNumber = Self.randomSerialNumber()
    var use: Use
    var marker: ObjectID?
    /// The URL of the OCSP responder that tells whether the certificate is revoked; nil to name none.
    var responder: URL?

    /// The permitted use of a certificate's key.
    enum Use {
        /// To sign certificates, with at most this many further authorities below it; unlimited if nil.
        case authority(below: Int64?)
        case content
        /// To sign content and the certificate itself, as in Xcode's certificates.
        case contentAndItself
        /// To authenticate a TLS server; with the alternative names of the subject in DER.
        case server(names: [UInt8])
    }

    static func randomSerialNumber() -> [UInt8] { [0x40] + (0..<15).map { _ in UInt8.random(in: .min ... .max) } }

    /// Returns whether a serial number has the form of the random ones.
    static func isRandom(_ serialNumber: [UInt8]) -> Bool { serialNumber.count == 16 && serialNumber[0] == 0x40 }

    /// Issues the certificate of a key.
    ///
    /// - Parameters:
    ///   - key: the subject's key.
    ///   - issuer: the issuer's key.
    ///   - name: the issuer's name in DER; by default the subject's.
    /// - Returns: the certificate.
    /// - Throws: a ``CryptoError`` for dates that a certificate cannot represent, and if libcrypto fails.
    func issued(for key: Key, by issuer: Key, named name: Data? = nil) throws(CryptoError) -> Certificate {
        let subject = DER.sequence(Self.attribute(.organization, organization), Self.attribute(.commonName, commonName))
        let content = DER.sequence(
            DER.element(.explicit0, DER.integer(2)),
            DER.element(.integer, serialNumber),
            issuer.kind.certificateAlgorithm.identifier,
            name.map { [UInt8]($0) } ?? subject,
            // A certificate is still valid in its last second (RFC 5280, 4.1.2.5).
            DER.sequence(try validity.lowerBound.der(), try (validity.upperBound - 1).der()),
            subject,
            [UInt8](key.publicKey),
            DER.element(.explicit3, DER.element(.sequence, extensions(for: key, by: issuer)))
        )
        return try Certificate(issuer.signed(content))
    }

    private func extensions(for key: Key, by issuer: Key) -> [UInt8] {
        var extensions = Self.extension(.basicConstraints, isCritical: true, use.basicConstraints)
        // The number of unused bits, then the bits, the highest first: bit 0 permits signing content, 5 certificates, 6
        // CRLs.
        extensions += Self.extension(.keyUsage, isCritical: true, DER.element(.bitString, use.keyUsage))
        extensions += Self.extension(.subjectKeyIdentifier, DER.element(.octetString, key.identifier))
        extensions += Self.authorityKeyIdentifier(issuer)
        if case .contentAndItself = use {
            extensions += Self.extension(.extendedKeyUsage, isCritical: true, DER.sequence(ObjectID.codeSigning.der))
        }
        if case .server(let names) = use {
            extensions += Self.extension(.extendedKeyUsage, DER.sequence(ObjectID.serverAuthentication.der))
            extensions += Self.extension(.subjectAlternativeName, DER.element(.sequence, names))
        }
        if let marker { extensions += Self.extension(marker, DER.null) }
        if let responder {
            let location = DER.element(.implicit6, Array(responder.absoluteString.utf8))
            let access = DER.sequence(DER.sequence(ObjectID.onlineStatus.der, location))
            extensions += Self.extension(.authorityInformationAccess, access)
        }
        return extensions
    }

    static func authorityKeyIdentifier(_ issuer: Key) -> [UInt8] {
        `extension`(.authorityKeyIdentifier, DER.sequence(DER.element(.implicit0, issuer.identifier)))
    }

    static func `extension`(_ identifier: ObjectID, isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        let critical = isCritical ? DER.element(.boolean, [0xff]) : []
        return DER.sequence(identifier.der, critical, DER.element(.octetString, value))
    }

    private static func attribute(_ type: ObjectID, _ value: String) -> [UInt8] {
        DER.setOf([DER.sequence(type.der, DER.utf8(value))])
    }
}

extension CertificateTemplate.Use {
    fileprivate var basicConstraints: [UInt8] {
        let isAuthority = DER.element(.boolean, [0xff])
        return switch self {
        case .authority(let below): DER.sequence(isAuthority, below.map(DER.integer) ?? [])
        case .content, .server: DER.sequence()
        case .contentAndItself: DER.sequence(isAuthority)
        }
    }

    fileprivate var keyUsage: [UInt8] {
        switch self {
        case .authority: [1, 0b0000_0110]
        case .content, .server: [7, 0b1000_0000]
        case .contentAndItself: [2, 0b1000_0100]
        }
    }
}

/// A private key and its certificate.
struct CertifiedKey: Sendable {
    let key: Key
    let certificate: Certificate

    init(key: Key, certificate: Certificate) { (self.key, self.certificate) = (key, certificate) }

    /// Issues a certificate for a key.
    ///
    /// - Parameters:
    ///   - role: the role, which determines the extensions and the lifetime.
    ///   - key: the key to certify.
    ///   - issuer: the issuer; nil for a self-signed certificate.
    ///   - date: the date of issue. The validity begins an hour earlier, or with the issuer's validity if that is
    ///     earlier still.
    ///   - lifetimes: the lifetimes of certificates, by role.
    ///   - responder: the URL of the OCSP responder; nil to name none.
    /// - Throws: a ``CryptoError`` if a certificate cannot represent the dates, or if libcrypto fails.
    init(
        _ role: CertificateRole,
        _ key: Key,
        issuer: CertifiedKey?,
        at date: Date,
        _ lifetimes: CertificateAuthority.Lifetimes,
        responder: URL? = nil
    ) throws(CryptoError) {
        let validity = try role.validity(at: date, lifetimes, below: issuer)
        let template = role.template(for: validity, responder: responder)
        self.init(key: key, certificate: try template.issued(for: key, by: issuer))
    }
}

extension CertificateTemplate {
    /// Issues the certificate of a key; self-signed without an issuer.
    func issued(for key: Key, by issuer: CertifiedKey?) throws(CryptoError) -> Certificate {
        try issued(for: key, by: issuer?.key ?? key, named: issuer?.certificate.subject)
    }
}

extension Date {
    /// The beginning of the first year that certificates can represent.
    static let startOfCertificates = Date(timeIntervalSince1970: -631_152_000)
    /// The end of the last year that certificates can represent.
    static let endOfCertificates = Date(timeIntervalSince1970: 253_402_300_800)

    /// Returns the date as a `Time` of X.509, with a two-digit year through 2049 and a four-digit year from then on.
    ///
    /// - Throws: a ``CryptoError`` outside the years 1950 to 9999.
    func der() throws(CryptoError) -> [UInt8] {
        let year2050 = 2_524_608_000.0
        guard self >= .startOfCertificates, self < .endOfCertificates else {
            throw CryptoError("a certificate's dates must be in the years 1950 to 9999")
        }
        let digits =
            formatted(.iso8601).utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } + [
                UInt8(ascii: "Z")
            ]
        return timeIntervalSince1970 < year2050
            ? DER.element(.utcTime, digits.dropFirst(2)) : DER.element(.generalizedTime, digits)
    }
}
