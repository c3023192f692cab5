import Foundation
import StoreCore

extension StoreServer {
    /// An API key, with which clients of the App Store Server API sign their tokens: issuer, identifier and private key.
    ///
    /// Only ``privateKeyPEM`` has the key; a description of the credentials has not.
    public struct Credentials: Sendable {
        let key: APIKey

        /// Creates credentials with a fresh random key, in memory.
        ///
        /// - Throws: a `CryptoError` if no key can be made.
        public init() throws { key = try APIKey() }

        /// Creates credentials with a key of one's own.
        ///
        /// - Parameters:
        ///   - issuer: the claim `iss` of tokens.
        ///   - keyIdentifier: the key's identifier. Not empty.
        ///   - privateKeyPEM: text with a `PRIVATE KEY` on P-256 in it.
        /// - Throws: an error with a sentence if there is no such key.
        public init(issuer: String, keyIdentifier: String, privateKeyPEM: String) throws {
            key = try APIKey(issuer: issuer, identifier: keyIdentifier, privateKeyPEM: privateKeyPEM)
        }

        /// Reads credentials from a folder, or creates them there.
        ///
        /// The key is the file `AuthKey_IDENTIFIER.p8`, the issuer the only line of `issuer.txt`. Only the user may open
        /// the folder (0700) and the files (0600). Files appear atomically, and processes may share the folder.
        ///
        /// - Parameter folder: the folder.
        /// - Throws: ``StoreServerError`` if a file cannot be read or written, if other users have access to one, or if
        ///   there are several keys; a `CryptoError` for one that is none.
        public init(folder: URL) throws { key = try APIKeyFolder(folder).read() }

        /// The issuer, the claim `iss` of tokens; a UUID in lowercase unless given.
        public var issuer: String { key.issuer }
        /// The key's identifier, `kid` in the header of tokens.
        public var keyIdentifier: String { key.identifier }
        /// The private key in PEM, the content of a `.p8` file.
        public var privateKeyPEM: String { key.privateKeyPEM }

        /// Returns a token for an app, as a client of the API makes it.
        ///
        /// - Parameters:
        ///   - bundleIdentifier: the app, the claim `bid`.
        ///   - date: the issuing date, by the system's clock unless given.
        ///   - lifetime: the seconds until it expires: 5 minutes unless given. The API refuses more than 60 minutes.
        /// - Returns: the text behind `Bearer`.
        /// - Throws: a `CryptoError` if libcrypto fails.
        public func token(
            bundleIdentifier: String,
            at date: Date = Date(),
            lifetime: TimeInterval = 300
        ) throws -> String {
            let issued = Int(date.timeIntervalSince1970)
            return try key.token([
                "iss": .text(issuer), "aud": .text(APIKey.audience), "bid": .text(bundleIdentifier),
                "iat": .number(issued), "exp": .number(issued + Int(lifetime)),
            ])
        }
    }
}

extension StoreServer.Credentials: CustomStringConvertible, CustomReflectable {
    /// The key's identifier.
    public var description: String { "Credentials \(keyIdentifier)" }

    /// The key's identifier.
    public var customMirror: Mirror { Mirror(self, children: ["keyIdentifier": keyIdentifier]) }
}
