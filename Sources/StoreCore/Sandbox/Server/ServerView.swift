import Foundation

/// A sandbox store as the App Store's servers show it to an app's server.
///
/// Every reading brings the store up to date first. A view keeps the store alive. Copies share what they have read. Any
/// thread may call any member.
package struct ServerView: Sendable {
    let store: SandboxStore
    /// The notifications; nil until they are read.
    ///
    /// Locked after the state.
    let notificationFold = Locked<NotificationFold?>(nil)
    var core: SandboxDriver { store.core }

    /// Creates a view of a store.
    package init(_ store: SandboxStore) { self.store = store }

    /// The app, as payloads name it.
    package var bundleIdentifier: String { core.bundleIdentifier }

    /// The app's version, as payloads name it.
    package var bundleVersion: String { core.bundleVersion }

    /// The app's Apple ID; nil outside of production.
    package var appAppleIdentifier: Int64? { core.appAppleIdentifier(in: environment) }

    /// The environment that payloads name: `Sandbox`, `Production`, `Xcode` or `LocalTesting`.
    package var environment: String { core.payloadSigner.environment }

    /// The store's clock.
    package var clock: any StoreClock { core.clock }

    /// Signs a payload as the store signs its JWS, which may be wrongly; see ``SandboxStore/signatureDefect``.
    ///
    /// - Parameter payload: any value whose JSON is an object.
    /// - Returns: the JWS.
    /// - Throws: the error that keeps it from being encoded or signed.
    package func sign(_ payload: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = try encoder.encode(payload)
        let defect = core.signing.withLock { $0.defect }
        guard let defect else { return try core.payloadSigner.jws(of: json) }
        return try core.payloadSigner.jws(of: json, with: defect)
    }

    /// Notifies a listener of every change from now on, as long as it lives; the ledger may hold new notifications then.
    package func follow(_ listener: any HistoryListener) { core.follow(listener) }
}
