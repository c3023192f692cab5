import Foundation
import StoreCore
import StoreCrypto

/// An API key: what signs the tokens of clients, and verifies them.
package struct APIKey: Sendable {
    /// The claim `iss` of tokens.
    package let issuer: String
    private let signer: P256OfferSigner

    /// The claim `aud` of tokens.
    package static let audience = "appstoreconnect-v1"
    /// The algorithm, `alg` in the header of tokens.
    package static let algorithm = "ES256"

    /// Creates a key that only this process has.
    package init() throws { try self.init(issuer: UUID().uuidString.lowercased()) }

    /// Creates a fresh key of an issuer, whose identifier is always the same.
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

    /// The key's identifier, `kid` in the header of tokens.
    package var identifier: String { signer.keyIdentifier }

    /// The private key in PEM.
    package var privateKeyPEM: String { signer.privateKeyPEM ?? "" }

    /// Returns ten capital letters and digits, as App Store Connect's identifiers are.
    private static func identifier(for issuer: String) -> String {
        let characters = issuer.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return String(characters.suffix(10)).isEmpty ? "KEY" : String(characters.suffix(10))
    }

    /// Returns a token with any claims, and any header instead of the right one.
    package func token(_ claims: [String: AnswerValue], header: [String: AnswerValue]? = nil) throws -> String {
        let header = header ?? ["alg": .text(Self.algorithm), "kid": .text(identifier), "typ": .text("JWT")]
        let input = [header, claims].map { Self.encoded(AnswerValue.object($0).json) }.joined(separator: ".")
        return "\(input).\(Self.encoded(try signer.jwsSignature(of: Data(input.utf8))))"
    }

    private static func encoded(_ data: Data) -> String {
        String(decoding: data.withUnsafeBytes(Base64URL.encode), as: UTF8.self)
    }

    /// Whether a signature is the key's over the beginning of a token.
    func isValid(_ signature: [UInt8], of input: ArraySlice<UInt8>) -> Bool {
        signer.isValid(jwsSignature: Data(signature), of: Data(input))
    }
}
