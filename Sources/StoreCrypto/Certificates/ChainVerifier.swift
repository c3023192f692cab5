import Foundation
import StoreCore

/// The rules for a chain of certificates that leads to a trusted one.
struct ChainVerifier: Sendable {
    /// The certificates that a signature must include.
    ///
    /// A marker is an extension by which Apple marks its signing certificates.
    enum Rule: Sendable {
        /// Leaf, intermediate and root; the first two have their markers.
        case appStore
        /// The trusted certificate alone.
        case xcode
        /// A leaf alone, with its marker, issued directly by the trusted certificate.
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

    /// Verifies a chain except for its validity dates, which ``VerifiedChain`` checks.
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

/// A chain that leads to the trusted certificate.
struct VerifiedChain: Sendable {
    let leaf: Certificate
    private let validities: [(member: VerificationFailure.ChainMember, dates: Range<Date>)]

    init(leaf: Certificate, issuers: KeyValuePairs<VerificationFailure.ChainMember, Certificate>) {
        self.leaf = leaf
        validities = [(.leaf, leaf.validity)] + issuers.map { ($0.key, $0.value.validity) }
    }

    /// Throws an error for the first certificate that had expired at a date, the earliest possible signing date.
    func requireValidity(since date: Date) throws(VerificationFailure) {
        for (member, dates) in validities where date >= dates.upperBound { throw .expired(member) }
    }

    /// Throws an error if the date is nil, and for the first certificate that is not valid at the date.
    func requireValidity(at date: Date?) throws(VerificationFailure) {
        guard let date else { throw .noSigningDate }
        for (member, dates) in validities where !dates.contains(date) {
            throw date < dates.lowerBound ? .notYetValid(member) : .expired(member)
        }
    }
}

/// A cache of values, keyed by a prefix of the input; holds the last ``limit`` that were inserted.
///
/// May be used on any thread.
final class PrefixCache<Value: Sendable>: Sendable {
    private let values = Locked<[(key: [UInt8], value: Value)]>([])

    private static var limit: Int { 8 }

    /// Returns the value whose key is a prefix of the bytes, and the length of the key.
    func value(atStartOf bytes: [UInt8]) -> (value: Value, count: Int)? {
        values.withLock { values in
            values.first { key, _ in
                key.count <= bytes.count && memcmp(key, bytes, key.count) == 0
            }
            .map { ($0.value, $0.key.count) }
        }
    }

    func insert(_ value: Value, for key: [UInt8]) {
        values.withLock { values in
            if values.count == Self.limit { values.removeFirst() }
            values.append((key, value))
        }
    }
}

/// A private key, and the certificates that are sent with its signatures, the leaf first.
struct SigningChain: Sendable {
    let key: Key
    let certificates: [Certificate]

    /// The dates at which all certificates are valid.
    var validity: Range<Date> {
        certificates.dropFirst().reduce(certificates[0].validity) { $0.clamped(to: $1.validity) }
    }
}

/// The two forms in which purchases are signed.
public enum SigningForm: Hashable, Sendable {
    /// The App Store's: a chain of leaf, intermediate and root, marked by Apple's extensions.
    case appStore
    /// Xcode's in its tests: one self-signed certificate, which is trusted directly.
    case xcode
}
