import Foundation

/// The PEM files of an authority: `ROLE.pem` with a certificate, `ROLE.key.pem` with its private key.
struct CertificateFolder: Sendable {
    private let url: URL

    init(_ url: URL) { self.url = url.standardizedFileURL }

    /// Whether the folder holds nothing, or does not exist.
    var isEmpty: Bool { (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? !exists(url) }

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
        try read(keyFile(role)) { text throws(CryptoError) in
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
                throw CryptoError("the certificate is foreign: this folder's authority did not issue it")
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
    /// Creates the folder with a root and its key in it, both or nothing.
    ///
    /// If another process was quicker, its folder stays.
    func create(with root: CertifiedKey) throws(CryptoError) {
        let parent = url.deletingLastPathComponent()
        let draft = CertificateFolder(parent.appending(path: ".\(url.lastPathComponent).\(UUID())"))
        defer { try? FileManager.default.removeItem(at: draft.url) }
        guard (try? FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)) != nil,
            mkdir(draft.path, 0o700) == 0
        else { throw failure(url, "the folder cannot be created") }
        let key = PEMBlock(.privateKey, root.key.privateKey).text
        try draft.put(key, to: draft.keyFile(.root), mode: 0o600, isReplacing: false)
        try draft.put(root.certificate, .root)
        if rename(draft.path, path) != 0, isEmpty { throw failure(url, "the folder cannot be created") }
    }

    /// Writes a role's certificate.
    func put(_ certificate: Certificate, _ role: CertificateRole) throws(CryptoError) {
        let text = PEMBlock(.certificate, certificate.data).text
        try put(text, to: certificateFile(role), mode: 0o644, isReplacing: true)
    }

    /// Writes a file atomically; one that is there is replaced, or stays.
    private func put(_ text: String, to file: URL, mode: mode_t, isReplacing: Bool) throws(CryptoError) {
        let place = file.path(percentEncoded: false)
        let draft = "\(place).\(UUID())"
        defer { unlink(draft) }
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        let bytes = [UInt8](text.utf8)
        let isWritten =
            descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        if descriptor >= 0 { close(descriptor) }
        guard isWritten, isReplacing ? rename(draft, place) == 0 : link(draft, place) == 0 || errno == EEXIST else {
            throw failure(file, "the file cannot be written")
        }
    }
}
