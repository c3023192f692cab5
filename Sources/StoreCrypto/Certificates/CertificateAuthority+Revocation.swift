import Foundation
import StoreCore

extension CertificateAuthority {
    /// Returns the list of revoked certificates (CRL) of the intermediate, in DER.
    ///
    /// It names the leaves of ``Defect/revoked``, whose serial numbers are reserved for them, and no others. The list is
    /// valid as long as a leaf.
    ///
    /// - Parameter date: the date of the list.
    /// - Returns: the list, for ``JWSVerifier``, ``PKCS7Verifier`` and `openssl verify -crl_check`.
    /// - Throws: a ``CryptoError`` if the root is not valid at the date.
    public func revocationList(at date: Date) throws(CryptoError) -> Data {
        let issuer = try certified(.intermediate, at: date)
        let time = try date.der()
        var revoked: [UInt8] = []
        for role in CertificateRole.allCases where role.issuer == .intermediate {
            revoked += DER.sequence(DER.element(.integer, revokedSerialNumber(role)), time)
        }
        let extensions =
            CertificateTemplate.authorityKeyIdentifier(issuer.key)
            + CertificateTemplate.extension(.revocationListNumber, DER.integer(1))
        return try issuer.key.signed(
            DER.sequence(
                DER.integer(1),
                issuer.key.kind.certificateAlgorithm.identifier,
                [UInt8](issuer.certificate.subject),
                time,
                try (date + max(lifetimes.leaf, 0)).der(),
                DER.element(.sequence, revoked),
                DER.element(.explicit0, DER.element(.sequence, extensions))
            )
        )
    }

    /// Returns the serial number that is reserved for a role's revoked certificate.
    func revokedSerialNumber(_ role: CertificateRole) -> [UInt8] {
        [0x20] + Digest.sha256.hash(ArraySlice(role.rawValue.utf8) + root.key.identifier).prefix(15)
    }
}
