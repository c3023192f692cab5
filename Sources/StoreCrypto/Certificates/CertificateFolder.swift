import Foundation

/// The PEM files of an authority: `ROLE.pem` with a certificate, `ROLE.key.pem` with its private key.
struct CertificateFolder: Sendable {
    private let files: KeyFolder

    init(_ url: URL) { files = KeyFolder(url) }

    /// Returns whether the folder does not exist, or has at most a root's key and temporary files, but no certificate.
    ///
    /// A process that ends while it fills the folder leaves these files. The root of a file system also contains
    /// `lost+found`.
    ///
    /// - Throws: a ``CryptoError`` if the path is not a folder's, or the folder cannot be read.
    func isUnfilled() throws(CryptoError) -> Bool {
        let beginnings = [keyFile(.root).lastPathComponent, certificateFile(.root).lastPathComponent + "."]
        return try files.names().allSatisfy { name in
            name == "lost+found" || beginnings.contains(where: name.hasPrefix)
        }
    }

    /// Returns whether there is a certificate or a key.
    private func has(_ role: CertificateRole) throws(CryptoError) -> Bool {
        // Both are checked, since a lazy operand would be a closure, which typed throws complicate.
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

    /// Reads a role's key, or creates one if there is none.
    func key(_ role: CertificateRole) throws(CryptoError) -> Key {
        if try has(role) { return try readKey(role) }
        let text = PEMBlock(.privateKey, try Key.generated(role.kind).privateKey).text
        try files.put(text, to: keyFile(role), mode: 0o600, isReplacing: false)
        // Reads the file, since another process may have created the key first.
        return try readKey(role)
    }

    /// Reads a role's certificate; nil if there is none.
    func certificate(_ role: CertificateRole, of key: Key, issuer: CertifiedKey?) throws(CryptoError) -> CertifiedKey? {
        try files.exists(certificateFile(role)) ? try readCertificate(role, of: key, issuer: issuer) : nil
    }

    /// Reads all certificates except the root, valid or expired, and writes nothing.
    ///
    /// - Throws: a ``CryptoError`` that names the invalid file.
    func certified(below root: CertifiedKey) throws(CryptoError) -> [CertificateRole: CertifiedKey] {
        var found: [CertificateRole: CertifiedKey] = [:]
        // In the order of all cases, an issuer precedes the certificates that it issues.
        for role in CertificateRole.allCases where role != .root {
            guard try has(role) else { continue }
            let key = try readKey(role)
            var issuer: CertifiedKey?
            if let issuerRole = role.issuer {
                issuer = issuerRole == .root ? root : found[issuerRole]
                // If only the issuer's key exists, the issuer is certified when needed, and the certificates that it
                // issued are checked at that time.
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
    /// Fills the folder with a root, whose key is written first; creates the folder if it does not exist.
    ///
    /// Other processes that fill it at the same time end up with the same root.
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

    private func put(_ certificate: Certificate, _ role: CertificateRole, isReplacing: Bool) throws(CryptoError) {
        let text = PEMBlock(.certificate, certificate.data).text
        try files.put(text, to: certificateFile(role), mode: 0o644, isReplacing: isReplacing)
    }
}

/// The parts of a certificate to display.
package struct CertificateSummary: Hashable, Sendable {
    /// The subject's name, as in `/CN=Example/C=US`.
    package let subject: String
    /// The dates of validity; the upper bound is the first date after its end.
    package let validity: Range<Date>

    /// Reads a certificate in DER, of any content.
    ///
    /// - Throws: ``CryptoError`` for anything other than a certificate, and without libcrypto.
    package init(_ data: Data) throws(CryptoError) {
        let certificate = try Certificate(data)
        (subject, validity) = (certificate.subjectText, certificate.validity)
    }
}
