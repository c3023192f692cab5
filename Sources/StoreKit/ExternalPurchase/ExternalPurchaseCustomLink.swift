import Foundation
import StoreCore

/// The tokens and the notice for links of the app's own to purchases outside of the store.
public enum ExternalPurchaseCustomLink: Sendable {
    /// A token for the app's reports.
    public struct Token: Hashable, Sendable {
        /// The token's text: JSON in URL-safe Base64.
        public let value: String
    }

    /// The place to which a link leads.
    public enum NoticeType: Int, Hashable, Sendable {
        /// A browser, or another place outside of the app.
        case browser
        /// A view within the app.
        case withinApp
    }

    /// The customer's choice on the notice.
    public enum NoticeResult: Hashable, Sendable {
        /// The customer continues.
        case continued
        /// The customer does not continue.
        case cancelled
    }

    /// The type of a token in Brazil and Japan.
    ///
    /// Apple does not publish the raw values. These are inferred from an open library, which uses them in place of the
    /// texts for which Store Kit returns a token.
    public struct TokenType: RawRepresentable, Hashable, Sendable {
        /// The type's name in a token.
        public let rawValue: String
        /// Creates a type, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// For purchases in the app by another provider of payments.
        public static let withinApp = TokenType(rawValue: "IN_APP")
        /// For purchases outside of the app.
        public static let outOfApp = TokenType(rawValue: "LINK_OUT")
    }

    /// The place of a purchase outside of the store.
    public enum ExternalPurchaseType: Hashable, Sendable {
        /// The customer buys in the app.
        case withinApp
        /// The customer buys elsewhere, at a URL that only an app in the European Union may omit.
        case outOfApp(destinationURL: URL?)
    }

    /// Whether the app may use custom links; false if the store does not say so, or nobody is signed in.
    public static var isEligible: Bool {
        get async { await StoreKit2Driver.current.externalEligibility.usesCustomLinks }
    }

    /// Returns a token of a type.
    ///
    /// - Parameter tokenType: `ACQUISITION` or `SERVICES`; in Brazil and Japan `IN_APP` or `LINK_OUT`.
    /// - Returns: the token, which for the first two types is the same until it expires; nil if there is no token of the
    ///   type for the account.
    /// - Throws: ``StoreKitError/notEntitled`` if the app may not use custom links; another ``StoreKitError`` if the store
    ///   fails.
    public static func token(for tokenType: String) async throws -> ExternalPurchaseCustomLink.Token? {
        let answer = try await StoreKit2Driver.current.external(.init(.token, type: tokenType))
        return answer.token.map { Token(value: $0) }
    }

    /// Returns a token of a type.
    ///
    /// - Parameter tokenType: the type.
    /// - Returns: a new token; nil if the country has no tokens of the type.
    /// - Throws: ``StoreKitError/notEntitled`` if the app may not use custom links; another ``StoreKitError`` if the store
    ///   fails.
    public static func token(
        for tokenType: ExternalPurchaseCustomLink.TokenType
    ) async throws -> ExternalPurchaseCustomLink.Token? {
        try await token(for: tokenType.rawValue)
    }

    /// Shows the notice before a link is opened.
    ///
    /// - Parameter type: the place to which the link leads.
    /// - Returns: the customer's choice.
    /// - Throws: ``StoreKitError/notEntitled`` if the app may not use custom links; another ``StoreKitError`` if the store
    ///   fails.
    public static func showNotice(
        type: ExternalPurchaseCustomLink.NoticeType
    ) async throws -> ExternalPurchaseCustomLink.NoticeResult {
        try await showNotice()
    }

    /// Shows the notice before a purchase outside of the store.
    ///
    /// The customer's choice is all that follows: the app itself opens the URL.
    ///
    /// - Parameter externalPurchaseType: the place of the purchase.
    /// - Returns: the customer's choice.
    /// - Throws: ``StoreKitError/notEntitled`` if the app may not use custom links; ``StoreKitError/unsupported`` if the URL
    ///   is missing and the storefront is not in the European Union, for which Apple names no error; another
    ///   ``StoreKitError`` if the store fails.
    public static func showNotice(
        for externalPurchaseType: ExternalPurchaseCustomLink.ExternalPurchaseType
    ) async throws -> ExternalPurchaseCustomLink.NoticeResult {
        // What is missing is said before the customer is asked; an app that may not ask hears that instead.
        if case .outOfApp(destinationURL: nil) = externalPurchaseType, await isEligible,
            let country = await Storefront.current?.countryCode, !europeanUnion.contains(country)
        {
            throw StoreKitError.unsupported
        }
        return try await showNotice()
    }

    private static func showNotice() async throws -> NoticeResult {
        let answer = try await StoreKit2Driver.current.external(.init(.customLinkNotice))
        return answer.outcome == .continued ? .continued : .cancelled
    }

    private static let europeanUnion: Set = [
        "AUT", "BEL", "BGR", "CYP", "CZE", "DEU", "DNK", "ESP", "EST", "FIN", "FRA", "GRC", "HRV", "HUN", "IRL", "ITA",
        "LTU", "LUX", "LVA", "MLT", "NLD", "POL", "PRT", "ROU", "SVK", "SVN", "SWE",
    ]
}
