import Foundation

/// The PEM files of an authority: `ROLE.pem` with a certificate, `ROLE.key.pem` with its private key.
struct CertificateFolder: Sendable {
    private let url: URL

    init(_ url: URL) { self.url = url.standardizedFileURL }

    /// Returns whether the folder does not exist or has no certificate: at most a root's key, and drafts of files.
    ///
    /// So it is left by a process that ended while it filled the folder. The root of a file system has `lost+found` as well.
    ///
    /// - Throws: a ``CryptoError`` if the folder is none, or cannot be read.
    func isUnfilled() throws(CryptoError) -> Bool {
        // In this order: somebody else may create it in between.
        guard try exists(url) else { return true }
        guard let directory = opendir(path) else { throw failure(url, "the folder cannot be read: \(Self.reason)") }
        defer { closedir(directory) }
        let beginnings = [keyFile(.root).lastPathComponent, certificateFile(.root).lastPathComponent + "."]
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard [".", "..", "lost+found"].contains(name) || beginnings.contains(where: name.hasPrefix) else {
                return false
            }
        }
        return true
    }

    /// Whether there is a certificate or a key.
    private func has(_ role: CertificateRole) throws(CryptoError) -> Bool {
        // Both are looked for, so that typed throws need no closure.
        let (hasCertificate, hasKey) = (try exists(certificateFile(role)), try exists(keyFile(role)))
        return hasCertificate || hasKey
    }

    private var path: String { url.path(percentEncoded: false) }

    private func certificateFile(_ role: CertificateRole) -> URL { url.appending(path: "\(role.rawValue).pem") }

    private func keyFile(_ role: CertificateRole) -> URL { url.appending(path: "\(role.rawValue).key.pem") }

    /// Returns whether a file is there.
    ///
    /// - Throws: a ``CryptoError`` if that cannot be told, as without access to the folder.
    private func exists(_ file: URL) throws(CryptoError) -> Bool { try status(of: file) != nil }

    /// Returns what the system knows of a file; nil if it is not there.
    private func status(of file: URL) throws(CryptoError) -> stat? {
        var status = stat()
        if stat(file.path(percentEncoded: false), &status) == 0 { return status }
        guard errno == ENOENT else { throw failure(file, "the file cannot be looked for: \(Self.reason)") }
        return nil
    }

    /// The system's sentence about the last call that failed.
    private static var reason: String { String(cString: strerror(errno)) }
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
        try exists(certificateFile(role)) ? try readCertificate(role, of: key, issuer: issuer) : nil
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
                if issuer == nil, try exists(certificateFile(role)) {
                    throw failure(certificateFile(role), Self.foreign)
                }
            }
            found[role] = try certificate(role, of: key, issuer: issuer)
        }
        return found
    }

    private static let foreign = "the certificate is foreign: this folder's authority did not issue it"

    private func readKey(_ role: CertificateRole) throws(CryptoError) -> Key {
        try requirePrivacy(of: keyFile(role))
        return try read(keyFile(role)) { text throws(CryptoError) in
            let key = try Key.private(try PEMBlock(first: [.privateKey, .ellipticCurveKey], in: text).data)
            guard key.kind == role.kind else { throw CryptoError("the key is not one of \(role.kind)") }
            return key
        }
    }

    /// Throws if other users may read a private key, change it, or put another in its place.
    ///
    /// Whoever owns a folder above is trusted.
    private func requirePrivacy(of file: URL) throws(CryptoError) {
        guard let key = try status(of: file), let folder = try status(of: url) else { return }
        guard key.st_uid == geteuid() else { throw failure(file, "the private key belongs to another user") }
        guard key.st_mode & 0o077 == 0 else {
            throw failure(file, "other users have access to the private key; chmod 600 takes it from them")
        }
        // In a sticky folder they may add files, and not replace those of others.
        guard folder.st_mode & 0o022 == 0 || folder.st_mode & S_ISVTX != 0 else {
            throw failure(url, "other users may replace the private keys in the folder; chmod 700 keeps them out")
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
        let text = try contents(of: file)
        do {
            return try parse(text)
        } catch {
            throw failure(file, error.description)
        }
    }

    private func contents(of file: URL) throws(CryptoError) -> String {
        let descriptor = open(file.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw failure(file, errno == ENOENT ? "the file is missing" : "the file is unreadable: \(Self.reason)")
        }
        do {
            let data = try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).readToEnd()
            return String(decoding: data ?? Data(), as: UTF8.self)
        } catch {
            throw failure(file, "the file is unreadable: \(error.localizedDescription)")
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
        var isWritten = descriptor >= 0 && Self.write([UInt8](text.utf8)[...], to: descriptor) && fsync(descriptor) == 0
        if isWritten {
            isWritten = isReplacing ? rename(draft, place) == 0 : link(draft, place) == 0 || errno == EEXIST
        }
        let reason = Self.reason
        if descriptor >= 0 { close(descriptor) }
        guard isWritten else { throw failure(file, "the file cannot be written: \(reason)") }
    }

    /// Writes all bytes, in as many calls as the system takes.
    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
