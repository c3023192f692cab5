import Foundation

/// The rules for a chain of certificates below one that is trusted.
struct ChainVerifier: Sendable {
    /// The certificates that a signature carries.
    enum Rule: Sendable {
        /// Leaf, intermediate and root, both of the former with their markers.
        case appStore
        /// The trusted certificate alone.
        case xcode
        /// A leaf with its marker, issued by the trusted certificate.
        case transactionReceipt
    }

    private let rule: Rule
    private let anchor: Certificate
    private let revocationList: RevocationList?

    init(_ rule: Rule, anchor: Data, revocationList: Data? = nil) throws(CryptoError) {
        self.rule = rule
        self.anchor = try Certificate(anchor)
        self.revocationList = if let revocationList { try RevocationList(revocationList) } else { nil }
    }

    init(_ form: SigningForm, anchor: Data, revocationList: Data?) throws(CryptoError) {
        let rule: Rule =
            switch form {
            case .appStore: .appStore
            case .xcode: .xcode
            }
        try self.init(rule, anchor: anchor, revocationList: revocationList)
    }

    /// Verifies a chain, whatever the time.
    func verified(_ chain: [Data]) throws(VerificationFailure) -> VerifiedChain {
        switch rule {
        case .appStore:
            guard chain.count == 3 else { throw .chainLength(chain.count) }
            guard chain[2] == anchor.data else { throw .foreignRoot }
            let (leaf, intermediate) = (try Self.certificate(chain[0]), try Self.certificate(chain[1]))
            guard leaf.isTrusted(through: [intermediate], to: anchor) else { throw .untrustedChain }
            try Self.require(.leafMarker, in: leaf, as: .leaf)
            try Self.require(.intermediateMarker, in: intermediate, as: .intermediate)
            try requireNotRevoked(leaf, issuer: intermediate)
            return VerifiedChain(leaf: leaf, issuers: [.intermediate: intermediate, .root: anchor])
        case .xcode:
            guard chain.count == 1 else { throw .chainLength(chain.count) }
            guard chain[0] == anchor.data else { throw .foreignRoot }
            return VerifiedChain(leaf: anchor, issuers: [:])
        case .transactionReceipt:
            guard chain.count == 1 else { throw .chainLength(chain.count) }
            let leaf = try Self.certificate(chain[0])
            guard leaf.isTrusted(through: [], to: anchor) else { throw .untrustedChain }
            try Self.require(.transactionReceiptMarker, in: leaf, as: .leaf)
            return VerifiedChain(leaf: leaf, issuers: [.root: anchor])
        }
    }

    private static func certificate(_ data: Data) throws(VerificationFailure) -> Certificate {
        guard let certificate = try? Certificate(data) else { throw .unreadableCertificate }
        return certificate
    }

    private static func require(
        _ marker: ObjectID,
        in certificate: Certificate,
        as member: VerificationFailure.ChainMember
    ) throws(VerificationFailure) {
        guard certificate.has(marker.description) else { throw .missingMarker(member) }
    }

    private func requireNotRevoked(_ leaf: Certificate, issuer: Certificate) throws(VerificationFailure) {
        guard let revocationList else { return }
        guard let isRevoked = leaf.isRevoked(by: revocationList, issuer: issuer) else { throw .foreignRevocationList }
        guard !isRevoked else { throw .revoked }
    }
}
