import Foundation

extension CertificateAuthority {
    /// One thing that is wrong with a chain of certificates, for tests of verifiers.
    ///
    /// Everything else is right.
    public enum Defect: String, CaseIterable, Hashable, Sendable {
        /// The leaf expired a day before the signing date.
        case expiredLeaf
        /// The leaf lacks the App Store's extension.
        case missingLeafMarker
        /// The intermediate lacks the App Store's extension.
        case missingIntermediateMarker
        /// The chain ends in another root of the same name.
        case foreignRoot
        /// The leaf comes alone.
        case chainOfOne
        /// There is a second intermediate.
        case chainOfFour
        /// The signature is made with another key than the leaf's.
        case wrongKey
        /// The leaf is named by ``CertificateAuthority/revocationList(at:)``.
        case revoked
    }

    /// Returns the key and the certificates to sign with in a leaf's role.
    func chain(_ role: CertificateRole, at date: Date, _ defect: Defect?) throws(CryptoError) -> SigningChain {
        let leaf = try certified(role, at: date)
        // Only an intermediate travels with its leaf, and the root with it.
        var issuers: [Certificate] = []
        if role.issuer == .intermediate {
            issuers = [try certified(.intermediate, at: date).certificate, root.certificate]
        }
        guard let defect else { return SigningChain(key: leaf.key, certificates: [leaf.certificate] + issuers) }
        guard let issuerRole = role.issuer, role.canHave(defect) else {
            throw CryptoError("this form cannot have the defect \(defect)")
        }

        var key = leaf.key
        var issuer = try certified(issuerRole, at: date)
        var template = role.template(for: try role.validity(at: date, lifetimes))
        var intermediate = CertificateRole.intermediate.template(
            for: try CertificateRole.intermediate.validity(at: date, lifetimes)
        )
        switch defect {
        case .expiredLeaf:
            let past = date - max(lifetimes.leaf, 0) - 86_400
            template.validity = try role.validity(at: past, lifetimes)
        case .missingLeafMarker: template.marker = nil
        case .missingIntermediateMarker:
            intermediate.marker = nil
            issuers[0] = try intermediate.issued(for: issuer.key, by: root)
        case .foreignRoot:
            let other = try CertificateAuthority(now: date, lifetimes: lifetimes)
            issuer = try other.certified(issuerRole, at: date)
            if !issuers.isEmpty { issuers = [issuer.certificate, other.root.certificate] }
        case .chainOfOne: issuers = []
        case .chainOfFour:
            intermediate.commonName = "StoreCore Second Intermediate"
            intermediate.use = .authority(below: 1)
            let upper = try Key.generated(.p384)
            let second = CertifiedKey(key: upper, certificate: try intermediate.issued(for: upper, by: root))
            issuer = try CertifiedKey(.intermediate, issuer.key, issuer: second, at: date, lifetimes)
            issuers = [issuer.certificate, second.certificate, root.certificate]
        case .wrongKey: key = try .generated(role.kind)
        case .revoked: template.serialNumber = revokedSerialNumber(role)
        }
        return SigningChain(key: key, certificates: [try template.issued(for: leaf.key, by: issuer)] + issuers)
    }
}

extension CertificateRole {
    /// Returns whether a chain that begins with the role's certificate has room for a defect.
    func canHave(_ defect: CertificateAuthority.Defect) -> Bool {
        switch defect {
        case .expiredLeaf, .missingLeafMarker, .foreignRoot, .wrongKey: issuer != nil
        case .missingIntermediateMarker, .chainOfOne, .chainOfFour, .revoked: issuer == .intermediate
        }
    }
}
