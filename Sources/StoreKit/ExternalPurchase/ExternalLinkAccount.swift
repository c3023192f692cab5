import StoreCore

/// The link to the customer's account on the app's website.
///
/// There is no browser: a sandbox store records the link, see `SandboxBackend.openedLinks`.
public enum ExternalLinkAccount: Sendable {
    /// Whether the app may open its link; false if the store does not say so, or nobody is signed in.
    public static var canOpen: Bool {
        get async { await StoreKit2Driver.current.externalEligibility.opensAccountLink }
    }

    /// Opens the link, if the customer continues; otherwise returns without opening it, and without an error.
    ///
    /// - Throws: ``StoreKitError/notEntitled`` if the app may not open it; another ``StoreKitError`` if the store fails.
    public static func open() async throws { _ = try await StoreKit2Driver.current.external(.init(.openAccountLink)) }
}
