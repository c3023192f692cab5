import Foundation

/// The PEM files of an authority: `ROLE.pem` with a certificate, `ROLE.key.pem` with its private key.
struct CertificateFolder: Sendable {
    private let files: KeyFolder

    init(_ url: URL) { files = KeyFolder(url) }

    /// Returns whether the folder does not exist or has no certificate: at most a root's key, and drafts of files.
    ///
    /// So it is left by a process that ended while it filled the folder. The root of a file system has `lost+found` as well.
    ///
    /// - Throws: a ``CryptoError`` if the folder is none, or cannot be read.
    func isUnfilled() throws(CryptoError) -> Bool {
        let beginnings = [keyFile(.root).lastPathComponent, certificateFile(.root).lastPathComponent + "."]
        return try files.names().allSatisfy { name in
            name == "lost+found" || beginnings.contains(where: name.hasPrefix)
        }
    }

    /// Whether there is a certificate or a key.
    private func has(_ role: CertificateRole) throws(CryptoError) -> Bool {
        // Both are looked for, so that typed throws need no closure.
        let (hasCertificate, hasKey) = (try files.exists(certificateFile(role)), try files.exists(keyFile(role)))
        return hasCertificate || hasKey
    }

    private func certificateFile(_ role: CertificateRole) -> URL { files.url.appending(path: "\(role.rawValue).pem") }

    private func keyFile(_ role: CertificateRole) -> URL { files.url.appending(path: "\(role.rawValue).key.pem") }
}

// MARK: - Reading

extension CertificateFolder {
    /// Reads the root and its key.
    func root() throws(CryptoError) -> CertifiedKey {
        let key = try readKey(.root)
        return try readCertificate(.root, of: key, issuer: nil)
    }

    /// Reads a role's key, or makes one if there is none.
    func key(_ role: CertificateRole) throws(CryptoError) -> Key {
        if try has(role) { return try readKey(role) }
        let text = PEMBlock(.privateKey, try Key.generated(role.kind).privateKey).text
        try files.put(text, to: keyFile(role), mode: 0o600, isReplacing: false)
        // Another process may have been quicker.
        return try readKey(role)
    }

    /// Reads a role's certificate; nil if there is none.
    func certificate(
        _ role: CertificateRole,
        of key: Key,
        issuer: CertifiedKey?
    ) throws(CryptoError) -> CertifiedKey? {
        try files.exists(certificateFile(role)) ? try readCertificate(role, of: key, issuer: issuer) : nil
    }

    /// Reads all that is there besides the root, valid or lapsed, and writes nothing.
    ///
    /// - Throws: a ``CryptoError`` that names the file that is not in order.
    func certified(below root: CertifiedKey) throws(CryptoError) -> [CertificateRole: CertifiedKey] {
        var found: [CertificateRole: CertifiedKey] = [:]
        // An issuer comes before what it issues.
        for role in CertificateRole.allCases where role != .root {
            guard try has(role) else { continue }
            let key = try readKey(role)
            var issuer: CertifiedKey?
            if let issuerRole = role.issuer {
                issuer = issuerRole == .root ? root : found[issuerRole]
                // With its key the issuer is made again when it is needed, and what it issued is judged then.
                if issuer == nil, try has(issuerRole) { continue }
                if issuer == nil, try files.exists(certificateFile(role)) {
                    throw files.failure(certificateFile(role), Self.foreign)
                }
            }
            found[role] = try certificate(role, of: key, issuer: issuer)
        }
        return found
    }

    private static let foreign = "the certificate is foreign: this folder's authority did not issue it"

    private func readKey(_ role: CertificateRole) throws(CryptoError) -> Key {
        try files.requirePrivacy(of: keyFile(role))
        return try read(keyFile(role)) { text throws(CryptoError) in
            let key = try Key.private(try PEMBlock(first: [.privateKey, .ellipticCurveKey], in: text).data)
            guard key.kind == role.kind else { throw CryptoError("the key is not one of \(role.kind)") }
            return key
        }
    }

    private func readCertificate(
        _ role: CertificateRole,
        of key: Key,
        issuer: CertifiedKey?
    ) throws(CryptoError) -> CertifiedKey {
        try read(certificateFile(role)) { text throws(CryptoError) in
            let certificate = try Certificate(try PEMBlock(first: [.certificate], in: text).data)
            guard certificate.key.isPair(of: key) else {
                throw CryptoError("the certificate does not belong to the key beside it")
            }
            if let issuer, !certificate.isTrusted(through: [], to: issuer.certificate) {
                throw CryptoError(Self.foreign)
            }
            guard issuer != nil || certificate.isSelfSigned else {
                throw CryptoError("the certificate is not self-signed")
            }
            guard !role.isAuthority || certificate.isAuthority else {
                throw CryptoError("the certificate is not one of an authority, which issues others")
            }
            if let marker = role.marker, !certificate.has(marker.description) {
                throw CryptoError("the certificate lacks the extension \(marker)")
            }
            return CertifiedKey(key: key, certificate: certificate)
        }
    }

    private func read<Value>(_ file: URL, _ parse: (String) throws(CryptoError) -> Value) throws(CryptoError) -> Value {
        let text = try files.contents(of: file)
        do {
            return try parse(text)
        } catch {
            throw files.failure(file, error.description)
        }
    }
}

// MARK: - Writing

extension CertificateFolder {
    /// Fills the folder with a root, whose key is there first; creates the folder if it does not exist.
    ///
    /// Whoever else fills it at the same time has the same root in the end.
    func fill(_ certify: (Key) throws(CryptoError) -> CertifiedKey) throws(CryptoError) {
        try files.create()
        try add(certify(key(.root)).certificate, .root)
    }

    /// Writes a role's certificate, unless there is one.
    func add(_ certificate: Certificate, _ role: CertificateRole) throws(CryptoError) {
        try put(certificate, role, isReplacing: false)
    }

    /// Writes a role's certificate in place of any other.
    func replace(_ certificate: Certificate, _ role: CertificateRole) throws(CryptoError) {
        try put(certificate, role, isReplacing: true)
    }

    private func put(
        _ certificate: Certificate,
        _ role: CertificateRole,
        isReplacing: Bool
    ) throws(CryptoError) {
        let text = PEMBlock(.certificate, certificate.data).text
        try files.put(text, to: certificateFile(role), mode: 0o644, isReplacing: isReplacing)
    }
}

/// What a certificate says of itself, to be shown.
package struct CertificateSummary: Hashable, Sendable {
    /// The name of whom it is for, as in `/CN=Example/C=US`.
    package let subject: String
    /// The dates from the first that it is valid at to the first after its end.
    package let validity: Range<Date>

    /// Reads a certificate in DER, of any content.
    ///
    /// - Throws: ``CryptoError`` for data that is none, and where libcrypto is missing.
    package init(_ data: Data) throws(CryptoError) {
        let certificate = try Certificate(data)
        (subject, validity) = (certificate.subjectText, certificate.validity)
    }
}
