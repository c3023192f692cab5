import Foundation
import StoreCrypto

/// The files of an API key: `issuer.txt` and `AuthKey_IDENTIFIER.p8`.
package struct APIKeyFolder {
    private let files: KeyFolder

    package init(_ url: URL) { files = KeyFolder(url) }

    private static let keyPrefix = "AuthKey_"
    private static let keySuffix = ".p8"

    /// Returns the key, which is made if there is none.
    package func read() throws -> APIKey {
        let (issuer, name, text) = try texts()
        let identifier = String(name.dropFirst(Self.keyPrefix.count).dropLast(Self.keySuffix.count))
        return try APIKey(issuer: issuer, identifier: identifier, privateKeyPEM: text)
    }

    /// The file of the key; nil if there is none or there are several.
    package var keyFile: URL? {
        guard let names = try? keyNames(), names.count == 1 else { return nil }
        return names.first.map { files.url.appending(path: $0) }
    }

    private func texts() throws -> (issuer: String, name: String, key: String) {
        do {
            let issuer = try issuer()
            let name = try keyName(issuer)
            return (issuer, name, try read(name))
        } catch let error as CryptoError {
            throw StoreServerError(error.description)
        }
    }

    private func issuer() throws -> String {
        let name = "issuer.txt"
        let file = files.url.appending(path: name)
        if try !files.exists(file) { try put(UUID().uuidString.lowercased() + "\n", name) }
        let issuer = try read(name).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !issuer.isEmpty else {
            throw StoreServerError("\(file.path(percentEncoded: false)) has no issuer in it")
        }
        return issuer
    }

    private func keyName(_ issuer: String) throws -> String {
        if try keyNames().isEmpty {
            // Its name is the issuer's, so that of two processes that make one only the first does.
            let key = try APIKey(issuer: issuer)
            try put(key.privateKeyPEM, Self.keyPrefix + key.identifier + Self.keySuffix)
        }
        let names = try keyNames()
        guard names.count == 1, let name = names.first else {
            let path = files.url.path(percentEncoded: false)
            throw StoreServerError("there are \(names.count) API keys in \(path), not one")
        }
        return name
    }

    private func keyNames() throws(CryptoError) -> [String] {
        try files.names().filter { $0.hasPrefix(Self.keyPrefix) && $0.hasSuffix(Self.keySuffix) }
    }

    private func read(_ name: String) throws(CryptoError) -> String {
        let file = files.url.appending(path: name)
        try files.requirePrivacy(of: file)
        return try files.contents(of: file)
    }

    /// Writes a file that only the user can open, unless it exists.
    private func put(_ text: String, _ name: String) throws(CryptoError) {
        try files.create()
        try files.put(text, to: files.url.appending(path: name), mode: 0o600, isReplacing: false)
    }
}
