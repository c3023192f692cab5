import Foundation

/// A token for purchases outside of the store, as an app's server decodes it.
///
/// An app receives a token from `ExternalPurchase` or `ExternalPurchaseCustomLink`, and a website in a link. The app's
/// server reports by ``externalPurchaseId`` what was bought with it. The token's text, ``value``, is JSON in URL-safe
/// Base64, without a signature.
public struct ExternalPurchaseToken: Hashable, Codable, Sendable {
    /// The identifier of the token, which begins with `SANDBOX_` outside of production.
    public let externalPurchaseId: String
    /// The app's bundle identifier.
    public let bundleId: String
    /// The app's Apple ID; nil if the store was given none.
    public let appAppleId: Int64?
    /// The type of a custom link's token, as in `ACQUISITION`; nil for every other token.
    public let tokenType: String?
    /// The milliseconds from the beginning of 1970, UTC, to the creation.
    let tokenCreationDate: Int64
    /// The milliseconds from the beginning of 1970, UTC, to the expiration.
    let tokenExpirationDate: Int64?

    /// The date of the creation.
    public var creationDate: Date { Self.date(tokenCreationDate) }

    /// The date from which the token is no longer active; nil for a token that does not expire.
    ///
    /// ``ExternalPurchaseSettings/tokenLifetime`` sets it for the types `ACQUISITION` and `SERVICES`. No other token
    /// expires.
    public var expirationDate: Date? { tokenExpirationDate.map(Self.date) }

    /// The text that the app or its website receives.
    public var value: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = (try? encoder.encode(self)) ?? Data()
        return String(decoding: json.withUnsafeBytes(Base64URL.encode), as: UTF8.self)
    }

    /// Decodes a token's text; nil for a text that is no token.
    public init?(value: String) {
        // Apple's examples end with padding.
        var text = value[...]
        while text.last == "=" { text.removeLast() }
        guard let bytes = Base64URL.decode(Array(text.utf8)[...]),
            let token = try? UntrustedJSON.decode(Self.self, from: Data(bytes))
        else { return nil }
        self = token
    }

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - bundleId: the app's bundle identifier.
    ///   - appAppleId: the app's Apple ID.
    ///   - isProduction: whether the store's environment is production.
    ///   - number: a number that no other token of the store has.
    ///   - type: the type of a custom link's token.
    ///   - date: the date of the creation.
    ///   - lifetime: the seconds until the token expires, at most a century; nil for never.
    init(
        bundleId: String,
        appAppleId: Int64?,
        isProduction: Bool,
        number: Int,
        type: String?,
        date: Date,
        lifetime: TimeInterval?
    ) {
        self.bundleId = bundleId
        self.appAppleId = appAppleId
        tokenType = type
        tokenCreationDate = Self.milliseconds(date)
        // What is not positive, or no number, has expired.
        tokenExpirationDate = lifetime.map { lifetime in
            Self.milliseconds(date + (lifetime > 0 ? min(lifetime, 100 * 31_557_600) : 0))
        }
        // The date is included, so that a new store of the same app does not reuse the identifiers of an earlier store.
        let name = "external purchase \(bundleId.utf8.count) \(bundleId)\(number) \(tokenCreationDate)"
        externalPurchaseId = (isProduction ? "" : "SANDBOX_") + UUID(named: name).uuidString.lowercased()
    }

    /// Returns a date in the form of the App Store's servers.
    static func milliseconds(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }

    private static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
