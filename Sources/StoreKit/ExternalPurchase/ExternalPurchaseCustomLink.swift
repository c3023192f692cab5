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

    /// Whether the app may use custom links; false if the store does not say so, or nobody is signed in.
    public static var isEligible: Bool {
        get async { await StoreKit2Driver.current.externalEligibility.usesCustomLinks }
    }

    /// Returns a token of a type.
    ///
    /// - Parameter tokenType: `ACQUISITION` or `SERVICES`; in Japan `IN_APP` or `LINK_OUT`.
    /// - Returns: the token, which for the first two types is the same until it expires; nil if there is no token of the
    ///   type for the account.
    /// - Throws: ``StoreKitError/notEntitled`` if the app may not use custom links; another ``StoreKitError`` if the store
    ///   fails.
    public static func token(for tokenType: String) async throws -> ExternalPurchaseCustomLink.Token? {
        let answer = try await StoreKit2Driver.current.external(.init(.token, type: tokenType))
        return answer.token.map { Token(value: $0) }
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
        let answer = try await StoreKit2Driver.current.external(.init(.customLinkNotice))
        return answer.outcome == .continued ? .continued : .cancelled
    }
}
