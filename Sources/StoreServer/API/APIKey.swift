import Foundation
import StoreCore
import StoreCrypto

/// An API key, which signs the tokens of clients and verifies them.
package struct APIKey: Sendable {
    /// The claim `iss` of tokens.
    package let issuer: String
    private let signer: P256OfferSigner

    /// The claim `aud` of tokens.
    package static let audience = "appstoreconnect-v1"
    /// The algorithm, `alg` in the header of tokens.
    package static let algorithm = "ES256"

    /// Creates a new key that exists only in this process.
    package init() throws { try self.init(issuer: UUID().uuidString.lowercased()) }

    /// Creates a new key with an identifier that is derived from the issuer.
    init(issuer: String) throws {
        self.issuer = issuer
        signer = try P256OfferSigner(keyIdentifier: Self.identifier(for: issuer))
    }

    /// Reads a private key in PEM.
    package init(issuer: String, identifier: String, privateKeyPEM: String) throws {
        self.issuer = issuer
        signer = try P256OfferSigner(keyIdentifier: identifier, pem: privateKeyPEM)
        guard signer.privateKeyPEM != nil else {
            throw StoreServerError("an API key needs a private key, and only a public one was given")
        }
    }

    /// The verifier of Advanced Commerce requests, which a developer's server signs with the same key.
    var requestSigner: any OfferSigner { signer }

    /// The key's identifier, `kid` in the header of tokens.
    package var identifier: String { signer.keyIdentifier }

    /// The private key in PEM.
    package var privateKeyPEM: String { signer.privateKeyPEM ?? "" }

    /// Returns an identifier of up to ten capital letters and digits, like those of App Store Connect.
    private static func identifier(for issuer: String) -> String {
        let characters = issuer.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return String(characters.suffix(10)).isEmpty ? "KEY" : String(characters.suffix(10))
    }

    /// Returns a signed token with any claims; `header` replaces the valid header.
    package func token(_ claims: [String: AnswerValue], header: [String: AnswerValue]? = nil) throws -> String {
        let header = header ?? ["alg": .text(Self.algorithm), "kid": .text(identifier), "typ": .text("JWT")]
        let input = [header, claims].map { Self.encoded(AnswerValue.object($0).json) }.joined(separator: ".")
        return "\(input).\(Self.encoded(try signer.jwsSignature(of: Data(input.utf8))))"
    }

    private static func encoded(_ data: Data) -> String {
        String(decoding: data.withUnsafeBytes(Base64URL.encode), as: UTF8.self)
    }

    /// Returns whether a signature of the first two parts of a token was made with this key.
    func isValid(_ signature: [UInt8], of input: ArraySlice<UInt8>) -> Bool {
        signer.isValid(jwsSignature: Data(signature), of: Data(input))
    }
}

/// The files of an API key: `issuer.txt` and `AuthKey_IDENTIFIER.p8`.
package struct APIKeyFolder {
    private let files: KeyFolder

    package init(_ url: URL) { files = KeyFolder(url) }

    private static let keyPrefix = "AuthKey_"
    private static let keySuffix = ".p8"

    /// Returns the key in the folder, and creates one if there is none.
    package func read() throws -> APIKey {
        let (issuer, name, text) = try texts()
        let identifier = String(name.dropFirst(Self.keyPrefix.count).dropLast(Self.keySuffix.count))
        return try APIKey(issuer: issuer, identifier: identifier, privateKeyPEM: text)
    }

    /// The key's file; nil if the folder has no key or several.
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
        guard !issuer.isEmpty else { throw StoreServerError("\(file.path(percentEncoded: false)) has no issuer in it") }
        return issuer
    }

    private func keyName(_ issuer: String) throws -> String {
        if try keyNames().isEmpty {
            // The issuer determines the file's name, so only one of two concurrent processes creates a key.
            let key = try APIKey(issuer: issuer)
            try put(key.privateKeyPEM, Self.keyPrefix + key.identifier + Self.keySuffix)
        }
        let names = try keyNames()
        guard names.count == 1, let name = names.first else {
            let path = files.url.path(percentEncoded: false)
            let found = names.sorted().joined(separator: ", ")
            throw StoreServerError("there are \(names.count) API keys in \(path), not one: \(found)")
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

    /// Writes a file that only the user can open, unless the file exists.
    private func put(_ text: String, _ name: String) throws(CryptoError) {
        try files.create()
        try files.put(text, to: files.url.appending(path: name), mode: 0o600, isReplacing: false)
    }
}
