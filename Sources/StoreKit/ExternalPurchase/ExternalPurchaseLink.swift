import Foundation
import StoreCore

/// The links to purchases on the app's website.
///
/// A link is opened with a token in its query, under `externalPurchaseToken`, and the app's bundle identifier, under
/// `bundleId`. There is no browser: a sandbox store records the links, see `SandboxBackend.openedLinks`.
public enum ExternalPurchaseLink: Sendable {
    /// Whether the app may open its link; false if the store does not say so, or nobody is signed in.
    public static var canOpen: Bool {
        get async { await !StoreKit2Driver.current.externalEligibility.links.isEmpty }
    }

    /// The links that the app may open; nil if there are none.
    public static var eligibleURLs: [URL]? {
        get async {
            let links = await StoreKit2Driver.current.externalEligibility.links
            return links.isEmpty ? nil : links
        }
    }

    /// Opens the app's first link, if the customer continues; otherwise returns without opening it, and without an
    /// error.
    ///
    /// - Throws: ``StoreKitError/notEntitled`` if the app may not open it; another ``StoreKitError`` if the store fails.
    public static func open() async throws { _ = try await StoreKit2Driver.current.external(.init(.openLink)) }

    /// Opens one of the app's links, if the customer continues; otherwise returns without opening it, and without an
    /// error.
    ///
    /// - Parameter url: one of ``eligibleURLs``.
    /// - Throws: ``StoreKitError/notEntitled`` if the app may not open it; another ``StoreKitError`` if the store fails.
    public static func open(url: URL) async throws {
        _ = try await StoreKit2Driver.current.external(.init(.openLink, link: url))
    }
}
