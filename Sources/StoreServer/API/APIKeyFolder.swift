import Foundation

/// The files of an API key: `issuer.txt` and `AuthKey_IDENTIFIER.p8`.
package struct APIKeyFolder {
    private let url: URL

    package init(_ url: URL) { self.url = url.standardizedFileURL }

    private static let keyPrefix = "AuthKey_"
    private static let keySuffix = ".p8"

    /// Returns the key, which is made if there is none.
    package func read() throws -> APIKey {
        let issuer = try issuer()
        let name = try keyName(issuer)
        let identifier = String(name.dropFirst(Self.keyPrefix.count).dropLast(Self.keySuffix.count))
        return try APIKey(issuer: issuer, identifier: identifier, privateKeyPEM: try read(name))
    }

    /// The file of the key; nil if there is none or there are several.
    package var keyFile: URL? {
        let names = keyNames
        return names.count == 1 ? names.first.map { url.appending(path: $0) } : nil
    }

    private func issuer() throws -> String {
        let name = "issuer.txt"
        if !exists(name) { try put(UUID().uuidString.lowercased() + "\n", name) }
        let issuer = try read(name).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !issuer.isEmpty else { throw StoreServerError("\(path(name)) has no issuer in it") }
        return issuer
    }

    private func keyName(_ issuer: String) throws -> String {
        if keyNames.isEmpty {
            // Its name is the issuer's, so that of two processes that make one only the first does.
            let key = try APIKey(issuer: issuer)
            try put(key.privateKeyPEM, Self.keyPrefix + key.identifier + Self.keySuffix)
        }
        let names = keyNames
        guard names.count == 1, let name = names.first else {
            throw StoreServerError("there are \(names.count) API keys in \(url.path(percentEncoded: false)), not one")
        }
        return name
    }

    private var keyNames: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))) ?? []
        return names.filter { $0.hasPrefix(Self.keyPrefix) && $0.hasSuffix(Self.keySuffix) }
    }

    private func path(_ name: String) -> String { url.appending(path: name).path(percentEncoded: false) }

    private func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    private func read(_ name: String) throws -> String {
        var status = stat()
        if stat(path(name), &status) == 0, status.st_mode & 0o077 != 0 {
            throw StoreServerError("other users have access to \(path(name)); chmod 600 takes it from them")
        }
        guard let data = FileManager.default.contents(atPath: path(name)),
            let text = String(data: data, encoding: .utf8)
        else { throw StoreServerError("\(path(name)) cannot be read") }
        return text
    }

    /// Writes a file that only the user can open, unless it exists.
    ///
    /// It is complete when it appears under its name.
    private func put(_ text: String, _ name: String) throws {
        let draft = path(".\(UUID().uuidString)")
        do {
            try FileManager.default.createDirectory(
                at: url,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw StoreServerError("the folder \(url.path(percentEncoded: false)) cannot be made")
        }
        let isWritten = FileManager.default.createFile(
            atPath: draft,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        defer { unlink(draft) }
        // A link does not replace what another process has put there meanwhile.
        guard isWritten, link(draft, path(name)) == 0 || errno == EEXIST else {
            throw StoreServerError("\(path(name)) cannot be written")
        }
    }
}
