import Foundation
import StoreCore

/// A chain of certificates with the structure of the App Store's, to sign receipts and JWS for tests of servers.
///
/// A server that verifies purchases with Apple's library, or with any other, accepts the authority's signatures once it
/// trusts ``rootCertificate`` instead of Apple's:
///
/// ```swift
/// let authority = try CertificateAuthority(now: store.clock.now)
/// let jws = try AppStoreSigner(authority, clock: store.clock).jws(of: payload)
/// ```
///
/// The root and the intermediate have keys on P-384. The leaves have keys on P-256 for JWS and RSA keys for receipts,
/// and are created when they are first needed: an RSA key takes a quarter of a second. If a certificate is needed for a
/// date outside its lifetime, it is renewed with the same key. The root and Xcode's certificates, which have the root's
/// lifetime, are never renewed.
///
/// While a `StoreServer` of the module StoreServer serves a store that signs with the authority, the intermediate and the
/// leaves below it name the server's OCSP responder, which verifiers with online checks ask. Certificates that name none,
/// or that of another server, are issued again for the same keys.
///
/// An authority may be used on any thread. Its certificates are for tests only: whoever reads its keys can sign.
public final class CertificateAuthority: Sendable {
    /// The lifetimes of certificates, which end at the latest with the year 9999, the last that a certificate can name.
    ///
    /// The root's lifetime begins an hour before its creation, for verifiers whose clocks are behind. Every other
    /// certificate, even a renewed one, is valid from the beginning of the root's lifetime, and expires its own
    /// lifetime after its creation. Therefore, a leaf that was renewed after a sale can still sign as of the date of
    /// the sale.
    public struct Lifetimes: Hashable, Sendable {
        /// The lifetime of the root in seconds, which Xcode's self-signed certificates share.
        ///
        /// Ten thousand years by default, limited by the year 9999: a store's time may be moved beyond the 25 years of
        /// Apple's root.
        public var root: TimeInterval
        /// The lifetime of the intermediate in seconds; 15 years by default, as for Apple's.
        public var intermediate: TimeInterval
        /// The lifetime of the leaves in seconds; 2 years by default, as for Apple's.
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
    /// The URLs of the running OCSP responders; new certificates name the last.
    ///
    /// Every signature reads them, which must not wait for a key that another thread generates.
    private let responders = Locked<[URL]>([])

    /// Creates an authority in memory, with new keys.
    ///
    /// - Parameters:
    ///   - now: the creation date by the store's clock. The root's lifetime begins an hour before it.
    ///   - lifetimes: the lifetimes of certificates.
    /// - Throws: a ``CryptoError`` if no key can be generated, and for a date outside the years 1950 to 9999.
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
    /// Each certificate is a file such as `root.pem`, next to its private key `root.key.pem`. Only the user may open
    /// the folder (0700) and the keys (0600). Files are created atomically, and processes may share the folder. Missing
    /// leaves are created when they are needed, and expired ones renewed: opening a complete folder writes nothing.
    ///
    /// - Parameters:
    ///   - folder: the folder of the PEM files.
    ///   - now: the date at which the root has to be valid, by the store's clock; the creation date of a new root.
    ///   - lifetimes: the lifetimes of new certificates.
    /// - Throws: a ``CryptoError`` if a file is missing, unreadable or not PEM; if a key belongs to another user, or
    ///   others can access or replace it; if a certificate does not belong to its key, lacks its marker, or was not
    ///   issued by this folder's root; if the root is not valid now; and if the folder cannot be written. The error for
    ///   a file names the file.
    public convenience init(folder: URL, now: Date, lifetimes: Lifetimes = Lifetimes()) throws(CryptoError) {
        try self.init(folder: folder, now: now, since: now, readsAll: true, lifetimes: lifetimes)
    }

    /// Reads an authority from a folder, or creates it there with a root that is valid from another date on.
    ///
    /// - Parameters:
    ///   - folder: the folder of the PEM files.
    ///   - now: the date at which the root has to be valid.
    ///   - start: the creation date of a new root.
    ///   - readsAll: whether all files are read now. Otherwise, those other than the root's are read when they are needed,
    ///     and their defects are found then.
    ///   - lifetimes: the lifetimes of new certificates.
    /// - Throws: a ``CryptoError`` for a defect of a file.
    package init(
        folder: URL,
        now: Date,
        since start: Date,
        readsAll: Bool,
        lifetimes: Lifetimes = Lifetimes()
    ) throws(CryptoError) {
        let folder = CertificateFolder(folder)
        self.lifetimes = lifetimes
        if try folder.isUnfilled() {
            try folder.fill { key throws(CryptoError) in
                try CertifiedKey(.root, key, issuer: nil, at: start, lifetimes)
            }
        }
        root = try folder.root()
        self.folder = folder
        // Reports a defect of the other files now, not when they are needed. An expired certificate is not a defect.
        issued = Locked(readsAll ? try folder.certified(below: root) : [:])
        try requireValidity(at: now)
    }

    /// The root certificate in DER, which verifiers have to trust.
    public var rootCertificate: Data { root.certificate.data }

    /// The root certificate in PEM.
    public var rootPEM: String { PEMBlock(.certificate, rootCertificate).text }

    /// Returns a key and a certificate that is valid at a date, and creates them if they are missing.
    func certified(_ role: CertificateRole, at date: Date) throws(CryptoError) -> CertifiedKey {
        try requireValidity(at: date)
        if role == .root { return root }
        let issuer: CertifiedKey? = if let issuer = role.issuer { try certified(issuer, at: date) } else { nil }
        let responder = role.namesResponder ? responder : nil
        return try issued.withLock { issued in
            Result { () throws(CryptoError) in
                if let known = issued[role], known.certificate.isUsable(at: date, responder) { return known }
                let certified = try certify(role, issued[role]?.key, by: issuer, at: date, responder)
                issued[role] = certified
                return certified
            }
        }.get()
    }

    /// Returns the folder's certificate if it is usable; otherwise issues a new one, for the existing key if there is
    /// one.
    private func certify(
        _ role: CertificateRole,
        _ known: Key?,
        by issuer: CertifiedKey?,
        at date: Date,
        _ responder: URL?
    ) throws(CryptoError) -> CertifiedKey {
        guard let folder else {
            let key = if let known { known } else { try Key.generated(role.kind) }
            return try certified(role, key, by: issuer, at: date, responder)
        }
        let key = if let known { known } else { try folder.key(role) }
        let found = try folder.certificate(role, of: key, issuer: issuer)
        if let found, found.certificate.isUsable(at: date, responder) { return found }
        let new = try certified(role, key, by: issuer, at: date, responder)
        guard role.issuer == nil else {
            try folder.replace(new.certificate, role)
            return new
        }
        // Verifiers trust a root directly, so an existing one is never replaced. If another process has added one in
        // the meantime, that one is returned.
        try folder.add(new.certificate, role)
        return try folder.certificate(role, of: key, issuer: nil) ?? new
    }

    /// Issues a certificate for a key.
    ///
    /// Without an issuer, as for Xcode, the certificate is self-signed and valid as long as the root.
    private func certified(
        _ role: CertificateRole,
        _ key: Key,
        by issuer: CertifiedKey?,
        at date: Date,
        _ responder: URL?
    ) throws(CryptoError) -> CertifiedKey {
        guard issuer == nil else {
            return try CertifiedKey(role, key, issuer: issuer, at: date, lifetimes, responder: responder)
        }
        let template = role.template(for: root.certificate.validity, responder: nil)
        return CertifiedKey(key: key, certificate: try template.issued(for: key, by: nil as CertifiedKey?))
    }

    /// The dates at which the root certificate is valid.
    package var validity: Range<Date> { root.certificate.validity }

    private func requireValidity(at date: Date) throws(CryptoError) {
        guard validity.contains(date) else {
            let state = date < validity.lowerBound ? "is not valid yet" : "has expired"
            let dates = "from \(validity.lowerBound.formatted(.iso8601)) to \(validity.upperBound.formatted(.iso8601))"
            throw CryptoError(
                "the authority's root certificate \(state) on \(date.formatted(.iso8601)): it is valid \(dates)"
            )
        }
    }
}

// MARK: - Responders

extension CertificateAuthority {
    /// The URL of the OCSP responder that certificates name; nil if no responder runs.
    package var responder: URL? { responders.withLock { $0.last } }

    /// Lets certificates name a responder; those that name another are issued again when they are next needed.
    package func addResponder(_ url: URL) { responders.withLock { $0.append(url) } }

    /// Ends the naming of a responder that no longer runs.
    package func removeResponder(_ url: URL) {
        responders.withLock { responders in
            if let place = responders.lastIndex(of: url) { responders.remove(at: place) }
        }
    }
}

extension Certificate {
    /// Returns whether the certificate can be sent with a signature of a date.
    ///
    /// Without a responder, a certificate may name one that no longer runs: the next process that serves the store may
    /// have the same address.
    fileprivate func isUsable(at date: Date, _ responder: URL?) -> Bool {
        validity.contains(date) && (responder == nil || self.responder == responder?.absoluteString)
    }
}

extension Date {
    /// The creation date of a root that is valid on every date that a certificate can represent.
    package static var startOfRoots: Date { .startOfCertificates + CertificateAuthority.Lifetimes.slack }
}

extension CertificateAuthority {
    /// A single defect of a chain of certificates, for tests of verifiers.
    ///
    /// All other properties of the chain are correct.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Defect: String, CaseIterable, Hashable, Sendable {
        /// The leaf expired a day before the signing date.
        case expiredLeaf
        /// The leaf lacks the App Store's extension.
        case missingLeafMarker
        /// The intermediate lacks the App Store's extension.
        case missingIntermediateMarker
        /// The chain ends in another root of the same name.
        case foreignRoot
        /// The leaf is sent without its issuers.
        case chainOfOne
        /// There is a second intermediate.
        case chainOfFour
        /// The signature is made with a key other than the leaf's.
        case wrongKey
        /// The leaf is on ``CertificateAuthority/revocationList(at:)``, and revoked to whoever asks the OCSP responder.
        case revoked
    }

    /// Returns the key and the certificates to sign with, for a leaf's role.
    func chain(_ role: CertificateRole, at date: Date, _ defect: Defect?) throws(CryptoError) -> SigningChain {
        let leaf = try certified(role, at: date)
        // A leaf that the intermediate issues is sent with the intermediate and the root.
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
        let responder = responder
        var template = role.template(
            for: try role.validity(at: date, lifetimes, below: issuer),
            responder: responder
        )
        var intermediate = CertificateRole.intermediate.template(
            for: try CertificateRole.intermediate.validity(at: date, lifetimes, below: root),
            responder: responder
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
            if let responder { other.addResponder(responder) }
            issuer = try other.certified(issuerRole, at: date)
            if !issuers.isEmpty { issuers = [issuer.certificate, other.root.certificate] }
        case .chainOfOne: issuers = []
        case .chainOfFour:
            intermediate.commonName = "StoreCore Second Intermediate"
            intermediate.use = .authority(below: 1)
            let upper = try Key.generated(.p384)
            let second = CertifiedKey(key: upper, certificate: try intermediate.issued(for: upper, by: root))
            issuer = try CertifiedKey(
                .intermediate,
                issuer.key,
                issuer: second,
                at: date,
                lifetimes,
                responder: responder
            )
            issuers = [issuer.certificate, second.certificate, root.certificate]
        case .wrongKey: key = try .generated(role.kind)
        case .revoked: template.serialNumber = revokedSerialNumber(role)
        }
        return SigningChain(key: key, certificates: [try template.issued(for: leaf.key, by: issuer)] + issuers)
    }
}

extension CertificateRole {
    /// Returns whether a chain that begins with the role's certificate can have a defect.
    func canHave(_ defect: CertificateAuthority.Defect) -> Bool {
        switch defect {
        case .expiredLeaf, .missingLeafMarker, .foreignRoot, .wrongKey: issuer != nil
        case .missingIntermediateMarker, .chainOfOne, .chainOfFour, .revoked: issuer == .intermediate
        }
    }
}

extension CertificateAuthority {
    /// Returns the list of revoked certificates (CRL) of the intermediate, in DER.
    ///
    /// The list contains exactly the leaves of ``Defect/revoked``, whose serial numbers are reserved for them, and is
    /// valid as long as a leaf.
    ///
    /// - Parameter date: the date of the list.
    /// - Returns: the list, for ``AppStoreVerifier`` and `openssl verify -crl_check`.
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

/// The key and the certificates with which a server authenticates itself over TLS.
///
/// A description does not show the key.
public struct ServerIdentity: Sendable {
    /// The certificates in PEM: the server's first, then those that lead to the root, which clients have to trust.
    public let certificateChainPEM: String
    /// The private key of the first certificate, in PEM.
    public let privateKeyPEM: String

    /// Creates an identity from existing certificates and a key, from any authority.
    ///
    /// - Parameters:
    ///   - certificateChainPEM: text with `CERTIFICATE` blocks, the server's first.
    ///   - privateKeyPEM: text with the `PRIVATE KEY` or `EC PRIVATE KEY` of the first certificate.
    /// - Throws: a ``CryptoError`` if either cannot be read, or if they do not belong together.
    public init(certificateChainPEM: String, privateKeyPEM: String) throws(CryptoError) {
        let certificate = try Certificate(PEMBlock(first: [.certificate], in: certificateChainPEM).data)
        let key = try Key.private(PEMBlock(first: [.privateKey, .ellipticCurveKey], in: privateKeyPEM).data)
        guard key.isPair(of: certificate.key) else {
            throw CryptoError("the server's key and its certificate do not belong together")
        }
        (self.certificateChainPEM, self.privateKeyPEM) = (certificateChainPEM, privateKeyPEM)
    }

    fileprivate init(_ certificates: [Certificate], _ key: Key) {
        certificateChainPEM = certificates.map { PEMBlock(.certificate, $0.data).text }.joined()
        privateKeyPEM = PEMBlock(.privateKey, key.privateKey).text
    }
}

extension ServerIdentity: CustomStringConvertible, CustomReflectable {
    /// The type's name, without the key.
    public var description: String { "ServerIdentity" }
    /// A mirror without children, which would show the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension CertificateAuthority {
    /// Issues a new key and a certificate for a server, which clients that trust ``rootCertificate`` accept over TLS.
    ///
    /// The key is on P-256. The certificate is for authenticating servers, names the hosts, and leads to the root
    /// through the intermediate. It is valid from an hour before the date, as long as a leaf. The certificate is not
    /// stored: issue another one at the next start of the server.
    ///
    /// - Parameters:
    ///   - hosts: the host names, such as `store.example.com` or `*.example.com`, and the IP addresses of the server;
    ///     at least one.
    ///   - date: the date, by the clients' clocks.
    /// - Returns: the key and the certificates.
    /// - Throws: a ``CryptoError`` that names an invalid host, if the root is not valid at the date, and if no key can
    ///   be generated.
    public func serverIdentity(for hosts: [String], at date: Date) throws(CryptoError) -> ServerIdentity {
        guard let first = hosts.first else { throw CryptoError("a server's certificate needs a host's name") }
        var names: [UInt8] = []
        for host in hosts { names += try Self.generalName(host) }
        let issuer = try certified(.intermediate, at: date)
        let validity = try CertificateRole.jws.validity(at: date, lifetimes)
        let end = min(validity.upperBound, issuer.certificate.validity.upperBound)
        let start = max(validity.lowerBound, issuer.certificate.validity.lowerBound)
        let key = try Key.generated(.p256)
        let template = CertificateTemplate(
            // A common name has at most 64 characters.
            commonName: String(first.prefix(64)),
            validity: start..<max(start, end),
            use: .server(names: names)
        )
        return ServerIdentity([try template.issued(for: key, by: issuer), issuer.certificate], key)
    }

    /// Returns a host's name, or its address, as an alternative name of a certificate's subject (RFC 5280, 4.2.1.6).
    private static func generalName(_ host: String) throws(CryptoError) -> [UInt8] {
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            return DER.element(.implicit7, withUnsafeBytes(of: &four) { [UInt8]($0) })
        }
        var six = in6_addr()
        if inet_pton(AF_INET6, host, &six) == 1 {
            return DER.element(.implicit7, withUnsafeBytes(of: &six) { [UInt8]($0) })
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let areLabels = labels.enumerated().allSatisfy { index, label in
            if index == 0, labels.count > 1, label == "*" { return true }
            return (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(isAllowed)
        }
        guard areLabels, host.utf8.count <= 253 else { throw CryptoError("\"\(host)\" is no name of a host") }
        return DER.element(.implicit2, Array(host.utf8))
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
