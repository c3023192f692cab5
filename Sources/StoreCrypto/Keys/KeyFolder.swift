import Foundation

/// A folder with private keys in files, which other users may neither read nor replace.
package struct KeyFolder: Sendable {
    /// The folder.
    package let url: URL

    package init(_ url: URL) { self.url = url.standardizedFileURL }

    private var path: String { url.path(percentEncoded: false) }

    /// Creates the folder if it does not exist, and removes other users' access.
    package func create() throws(CryptoError) {
        do {
            let attributes = [FileAttributeKey.posixPermissions: 0o700]
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: attributes)
        } catch {
            throw failure(url, "the folder cannot be created: \(error.localizedDescription)")
        }
        // A folder that another user owns, such as a mount point, retains its mode; the keys have their own.
        _ = chmod(path, 0o700)
    }

    /// Returns the names of the folder's files; none if it does not exist.
    ///
    /// - Throws: a ``CryptoError`` if the path is not a folder's, or the folder cannot be read.
    package func names() throws(CryptoError) -> [String] {
        // Checked first: after a failed `opendir`, another process may have created the folder, and a check would find
        // it.
        guard try exists(url) else { return [] }
        guard let directory = opendir(path) else { throw failure(url, "the folder cannot be read: \(Self.reason)") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns whether a file exists.
    ///
    /// - Throws: a ``CryptoError`` if that cannot be determined, as without access to the folder.
    package func exists(_ file: URL) throws(CryptoError) -> Bool { try status(of: file) != nil }

    /// Returns the system's information about a file; nil if it does not exist.
    private func status(of file: URL) throws(CryptoError) -> stat? {
        var status = stat()
        if stat(file.path(percentEncoded: false), &status) == 0 { return status }
        guard errno == ENOENT else { throw failure(file, "the file cannot be looked for: \(Self.reason)") }
        return nil
    }

    /// The system's message for the last call that failed.
    private static var reason: String { String(cString: strerror(errno)) }

    /// Throws if other users may read, change or replace a file.
    ///
    /// The owners of the enclosing folders are trusted.
    package func requirePrivacy(of file: URL) throws(CryptoError) {
        guard let key = try status(of: file), let folder = try status(of: url) else { return }
        guard key.st_uid == geteuid() else { throw failure(file, "the file belongs to another user") }
        guard key.st_mode & 0o077 == 0 else {
            throw failure(file, "other users have access to the file; chmod 600 takes it from them")
        }
        // In a sticky folder, users can add files but not replace those of others.
        guard folder.st_mode & 0o022 == 0 || folder.st_mode & S_ISVTX != 0 else {
            throw failure(url, "other users may replace the private keys in the folder; chmod 700 keeps them out")
        }
    }

    /// Returns the text of a file.
    package func contents(of file: URL) throws(CryptoError) -> String {
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

    /// Writes a file atomically; `isReplacing` decides whether an existing file is replaced.
    ///
    /// The file has its mode from its creation on.
    package func put(_ text: String, to file: URL, mode: mode_t, isReplacing: Bool) throws(CryptoError) {
        try put(Data(text.utf8), to: file, mode: mode, isReplacing: isReplacing)
    }

    /// Writes data to a file, as the method for text does.
    package func put(_ data: Data, to file: URL, mode: mode_t, isReplacing: Bool) throws(CryptoError) {
        let place = file.path(percentEncoded: false)
        let draft = "\(place).\(UUID())"
        defer { unlink(draft) }
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        var isWritten = descriptor >= 0 && Self.write([UInt8](data)[...], to: descriptor) && fsync(descriptor) == 0
        if isWritten {
            isWritten = isReplacing ? rename(draft, place) == 0 : link(draft, place) == 0 || errno == EEXIST
        }
        let reason = Self.reason
        if descriptor >= 0 { close(descriptor) }
        guard isWritten else { throw failure(file, "the file cannot be written: \(reason)") }
    }

    /// Writes all bytes, in as many calls as the system needs.
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

    /// Returns the error for a file.
    package func failure(_ file: URL, _ sentence: String) -> CryptoError {
        CryptoError("\(file.path(percentEncoded: false)): \(sentence)")
    }
}
