import Foundation
import StoreCore

/// A verifier of the tokens that clients of the App Store Server API send: JWT with ES256.
struct TokenVerifier: Sendable {
    /// The maximum lifetime of a token, in seconds.
    static let maximumLifetime: TimeInterval = 3600
    /// The maximum length of a token; a longer token is refused without being parsed.
    private static let maximumLength = 16_384

    let key: APIKey
    let bundleIdentifier: String
    private let recent = RecentTokens()

    init(key: APIKey, bundleIdentifier: String) { (self.key, self.bundleIdentifier) = (key, bundleIdentifier) }

    private struct Header: Decodable {
        let alg: String
        let kid: String
        let typ: String?
    }

    private struct Claims: Decodable {
        let iss: String
        let aud: String
        let bid: String
        let exp: Double
        let iat: Double?
    }

    /// Returns whether the value of an `Authorization` header contains a token that is valid at a date.
    func isValid(_ authorization: String?, at now: Date) -> Bool {
        guard let authorization, authorization.utf8.count <= Self.maximumLength else { return false }
        let seconds = now.timeIntervalSince1970
        if let validity = recent.validity(of: authorization) { return validity.contains(seconds) }
        guard let validity = validity(of: authorization) else { return false }
        recent.insert(validity, for: authorization)
        return validity.contains(seconds)
    }

    /// Returns the period, in seconds since 1970, in which a token of this key and app is valid; nil for any other
    /// text.
    private func validity(of authorization: String) -> Range<Double>? {
        let words = authorization.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
        let parts = Array(words[1].utf8).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64URL.decode(parts[2]),
            let header: Header = Self.decoded(parts[0]),
            header.alg == APIKey.algorithm, header.kid == key.identifier,
            header.typ.map({ $0 == "JWT" }) ?? true,
            // Checks the signature before the claims, so no claim of a forged token is parsed.
            key.isValid(signature, of: parts[0] + [UInt8(ascii: ".")] + parts[1]),
            let claims: Claims = Self.decoded(parts[1])
        else { return nil }
        guard claims.iss == key.issuer, claims.aud == APIKey.audience, claims.bid == bundleIdentifier
        else { return nil }
        // A client's clock may be up to a minute ahead.
        let begin = max(claims.exp - Self.maximumLifetime, (claims.iat ?? 0) - 60)
        return begin < claims.exp ? begin..<claims.exp : nil
    }

    private static func decoded<Value: Decodable>(_ text: ArraySlice<UInt8>) -> Value? {
        Base64URL.decode(text).flatMap { try? UntrustedJSON.decode(Value.self, from: Data($0)) }
    }
}

/// A cache of verified tokens, each with the period in which it is valid.
///
/// A client sends the same token many times, and to verify its signature takes longer than to read a page of the
/// history. All tokens are dropped when their number reaches ``limit``.
final class RecentTokens: Sendable {
    private let validities = Locked<[String: Range<Double>]>([:])

    private static var limit: Int { 64 }

    /// Returns the period, in seconds since 1970, in which a token is valid; nil if the token is not cached.
    func validity(of token: String) -> Range<Double>? { validities.withLock { $0[token] } }

    func insert(_ validity: Range<Double>, for token: String) {
        validities.withLock { validities in
            if validities.count >= Self.limit { validities = [:] }
            validities[token] = validity
        }
    }
}
