import Foundation
import StoreCore

/// A chain of certificates with the shape of the App Store's, to sign receipts and JWS for tests of servers.
///
/// A server that verifies purchases with Apple's library, or with any other, accepts what the authority signs once it
/// trusts ``rootCertificate`` instead of Apple's:
///
/// ```swift
/// let authority = try CertificateAuthority(now: store.clock.now)
/// let jws = try authority.jwsSigner(at: store.clock.now).sign(payload)
/// ```
///
/// The root and the intermediate have keys on P-384. The leaves have keys on P-256 for JWS and RSA keys for receipts, and
/// are made when they are first needed: an RSA key takes a quarter of a second. Certificates other than the root and
/// Xcode's, whose lifetimes are the same, are renewed, with the same key, when one is needed for a date outside its lifetime.
///
/// Any thread may use an authority. Its certificates are worth nothing outside of tests: whoever reads its keys can sign.
public final class CertificateAuthority: Sendable {
    /// How long certificates are valid: at the most until the end of the year 9999, which certificates cannot exceed.
    ///
    /// The root's begins an hour before it is made, for verifiers whose clocks lag behind. Every other certificate, renewed
    /// ones as well, is valid from the root's beginning on, and ends so long after it is made as is said here: what was sold
    /// before a leaf was renewed, and is signed after it, is accepted as of its date.
    public struct Lifetimes: Hashable, Sendable {
        /// The lifetime of the root, which Xcode's self-signed certificates share.
        ///
        /// Ten thousand years by default, which end with the year 9999: a store's time may be moved beyond the 25 years of
        /// Apple's root.
        public var root: TimeInterval
        /// The lifetime of the intermediate; 15 years by default, as Apple's.
        public var intermediate: TimeInterval
        /// The lifetime of the leaves; 2 years by default, as Apple's.
        public var leaf: TimeInterval

        /// Creates lifetimes in seconds.
        public init(
            root: TimeInterval = 10_000 * 365 * 86_400,
            intermediate: TimeInterval = 15 * 365 * 86_400,
            leaf: TimeInterval = 2 * 365 * 86_400
        ) {
            (self.root, self.intermediate, self.leaf) = (root, intermediate, leaf)
        }

        package static var slack: TimeInterval { 3600 }
    }

    let root: CertifiedKey
    let lifetimes: Lifetimes
    private let folder: CertificateFolder?
    private let issued: Locked<[CertificateRole: CertifiedKey]>

    /// Creates an authority in memory, with fresh keys.
    ///
    /// - Parameters:
    ///   - now: the date at which the root's lifetime begins, by the store's clock.
    ///   - lifetimes: how long certificates are valid.
    /// - Throws: a ``CryptoError`` if no key can be made, and for a date outside the years 1950 to 9999.
    public init(now: Date, lifetimes: Lifetimes = Lifetimes()) throws(CryptoError) {
        self.lifetimes = lifetimes
        let key = try Key.generated(CertificateRole.root.kind)
        root = try CertifiedKey(.root, key, issuer: nil, at: now, lifetimes)
        folder = nil
        issued = Locked([:])
        try requireValidity(at: now)
    }

    /// Reads an authority from a folder of PEM files, or creates it there if the folder is empty or does not exist.
    ///
    /// Each certificate is a file such as `root.pem`, next to its private key `root.key.pem`. Only the user may open the
    /// folder (0700) and the keys (0600). Files appear atomically, and processes may share the folder. Leaves that are
    /// missing are made when they are needed, and lapsed ones renewed: opening a folder that is filled writes nothing.
    ///
    /// - Parameters:
    ///   - folder: the folder.
    ///   - now: the date at which the root has to be valid, by the store's clock.
    ///   - lifetimes: how long certificates are valid that are made.
    /// - Throws: a ``CryptoError`` that names the file for one that is missing, unreadable or not PEM, a key that belongs
    ///   to another user or that others have access to, or may replace since the folder is open to them, a certificate
    ///   that does not belong to the key beside it, lacks what marks it, was not issued by this folder's root, or, the
    ///   root's, is not valid now; and if the folder cannot be written.
    public init(folder: URL, now: Date, lifetimes: Lifetimes = Lifetimes()) throws(CryptoError) {
        let folder = CertificateFolder(folder)
        self.lifetimes = lifetimes
        if try folder.isUnfilled() {
            try folder.fill { key throws(CryptoError) in try CertifiedKey(.root, key, issuer: nil, at: now, lifetimes) }
        }
        root = try folder.root()
        self.folder = folder
        // What is wrong with the other files is told now, not when they are needed. A lapsed certificate is in order.
        issued = Locked(try folder.certified(below: root))
        try requireValidity(at: now)
    }

    /// The root certificate in DER, which verifiers have to trust.
    public var rootCertificate: Data { root.certificate.data }

    /// The root certificate in PEM.
    public var rootPEM: String { PEMBlock(.certificate, rootCertificate).text }

    /// Returns a key and a certificate that is valid at a date, and makes what is missing.
    func certified(_ role: CertificateRole, at date: Date) throws(CryptoError) -> CertifiedKey {
        try requireValidity(at: date)
        if role == .root { return root }
        let issuer: CertifiedKey? = if let issuer = role.issuer { try certified(issuer, at: date) } else { nil }
        return try issued.withLock { issued in
            Result { () throws(CryptoError) in
                if let known = issued[role], known.certificate.validity.contains(date) { return known }
                let certified = try certify(role, issued[role]?.key, by: issuer, at: date)
                issued[role] = certified
                return certified
            }
        }.get()
    }

    /// Returns the folder's certificate if it is valid at a date, else a new one, of the same key if there is one.
    private func certify(
        _ role: CertificateRole,
        _ known: Key?,
        by issuer: CertifiedKey?,
        at date: Date
    ) throws(CryptoError) -> CertifiedKey {
        guard let folder else {
            let key = if let known { known } else { try Key.generated(role.kind) }
            return try certified(role, key, by: issuer, at: date)
        }
        let key = if let known { known } else { try folder.key(role) }
        let found = try folder.certificate(role, of: key, issuer: issuer)
        if let found, found.certificate.validity.contains(date) { return found }
        let new = try certified(role, key, by: issuer, at: date)
        guard role.issuer == nil else {
            try folder.replace(new.certificate, role)
            return new
        }
        // Verifiers trust the certificate itself: it is never replaced, and another process may have been quicker.
        try folder.add(new.certificate, role)
        return try folder.certificate(role, of: key, issuer: nil) ?? new
    }

    /// Certifies a key; Xcode's certificates have the root's lifetime.
    private func certified(
        _ role: CertificateRole,
        _ key: Key,
        by issuer: CertifiedKey?,
        at date: Date
    ) throws(CryptoError) -> CertifiedKey {
        guard issuer == nil else { return try CertifiedKey(role, key, issuer: issuer, at: date, lifetimes) }
        let template = role.template(for: root.certificate.validity)
        return CertifiedKey(key: key, certificate: try template.issued(for: key, by: nil as CertifiedKey?))
    }

    /// The dates at which the root certificate is valid.
    package var validity: Range<Date> { root.certificate.validity }

    private func requireValidity(at date: Date) throws(CryptoError) {
        guard validity.contains(date) else {
            let state = date < validity.lowerBound ? "is not valid yet" : "has expired"
            throw CryptoError("the authority's root certificate \(state) on \(date.formatted(.iso8601))")
        }
    }
}
