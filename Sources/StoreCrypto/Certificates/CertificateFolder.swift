import Foundation

/// The PEM files of an authority: `ROLE.pem` with a certificate, `ROLE.key.pem` with its private key.
struct CertificateFolder: Sendable {
    private let url: URL

    init(_ url: URL) { self.url = url.standardizedFileURL }

    /// Whether the folder does not exist or has no certificate: at most a root's key, and drafts of files.
    ///
    /// So it is left by a process that ended while it filled the folder.
    var isUnfilled: Bool {
        // In this order: somebody else may create it in between.
        guard exists(url) else { return true }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return false }
        let key = keyFile(.root).lastPathComponent
        return names.allSatisfy { $0.hasPrefix(key) || $0.hasPrefix(certificateFile(.root).lastPathComponent + ".") }
    }

    /// Whether there is a certificate or a key.
    func has(_ role: CertificateRole) -> Bool { exists(certificateFile(role)) || exists(keyFile(role)) }

    private var path: String { url.path(percentEncoded: false) }

    private func certificateFile(_ role: CertificateRole) -> URL { url.appending(path: "\(role.rawValue).pem") }

    private func keyFile(_ role: CertificateRole) -> URL { url.appending(path: "\(role.rawValue).key.pem") }

    private func exists(_ file: URL) -> Bool {
        FileManager.default.fileExists(atPath: file.path(percentEncoded: false))
    }
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
        if has(role) { return try readKey(role) }
        let text = PEMBlock(.privateKey, try Key.generated(role.kind).privateKey).text
        try put(text, to: keyFile(role), mode: 0o600, isReplacing: false)
        // Another process may have been quicker.
        return try readKey(role)
    }

    /// Reads a role's certificate; nil if there is none.
    func certificate(
        _ role: CertificateRole,
        of key: Key,
        issuer: CertifiedKey?
    ) throws(CryptoError) -> CertifiedKey? {
        exists(certificateFile(role)) ? try readCertificate(role, of: key, issuer: issuer) : nil
    }

    private func readKey(_ role: CertificateRole) throws(CryptoError) -> Key {
        try requirePrivacy(of: keyFile(role))
        return try read(keyFile(role)) { text throws(CryptoError) in
            let key = try Key.private(try PEMBlock(first: [.privateKey, .ellipticCurveKey], in: text).data)
            guard key.kind == role.kind else { throw CryptoError("the key is not one of \(role.kind)") }
            return key
        }
    }

    /// Throws if other users may read a private key, or replace it.
    private func requirePrivacy(of file: URL) throws(CryptoError) {
        var status = stat()
        guard stat(file.path(percentEncoded: false), &status) == 0 else { return }
        guard status.st_mode & 0o077 == 0 else {
            throw failure(file, "other users have access to the private key; chmod 600 takes it from them")
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
                throw CryptoError("the certificate is foreign: this folder's authority did not issue it")
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
        guard exists(file) else { throw failure(file, "the file is missing") }
        guard let data = try? Data(contentsOf: file) else { throw failure(file, "the file is unreadable") }
        do {
            return try parse(String(decoding: data, as: UTF8.self))
        } catch {
            throw failure(file, error.description)
        }
    }

    private func failure(_ file: URL, _ sentence: String) -> CryptoError {
        CryptoError("\(file.path(percentEncoded: false)): \(sentence)")
    }
}

// MARK: - Writing

extension CertificateFolder {
    /// Fills the folder with a root, whose key is there first; creates the folder if it does not exist.
    ///
    /// Whoever else fills it at the same time has the same root in the end.
    func fill(_ certify: (Key) throws(CryptoError) -> CertifiedKey) throws(CryptoError) {
        do {
            let attributes = [FileAttributeKey.posixPermissions: 0o700]
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: attributes)
        } catch {
            throw failure(url, "the folder cannot be created: \(error.localizedDescription)")
        }
        // A place that another user owns, such as a mount point, keeps its mode; the keys have their own.
        _ = chmod(path, 0o700)
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
        try put(text, to: certificateFile(role), mode: 0o644, isReplacing: isReplacing)
    }

    /// Writes a file atomically; one that is there is replaced, or stays.
    private func put(_ text: String, to file: URL, mode: mode_t, isReplacing: Bool) throws(CryptoError) {
        let place = file.path(percentEncoded: false)
        let draft = "\(place).\(UUID())"
        defer { unlink(draft) }
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        let bytes = [UInt8](text.utf8)
        var isWritten =
            descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        if isWritten {
            isWritten = isReplacing ? rename(draft, place) == 0 : link(draft, place) == 0 || errno == EEXIST
        }
        let reason = String(cString: strerror(errno))
        if descriptor >= 0 { close(descriptor) }
        guard isWritten else { throw failure(file, "the file cannot be written: \(reason)") }
    }
}
