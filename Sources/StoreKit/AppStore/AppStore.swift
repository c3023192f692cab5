import Foundation
import StoreCore

/// The store that the current `StoreContext`'s default queue buys from, with its environments and platforms.
public enum AppStore: Sendable {
    /// Whether the user may authorize payments.
    public static var canMakePayments: Bool { StoreKit2Driver.current.canMakePayments }

    /// The code of the app's current age rating; nil if the store does not report one.
    ///
    /// An app compares it with the code that it saw last, to learn that its rating has changed.
    public static var ageRatingCode: Int? { get async { StoreKit2Driver.current.ageRatingCode } }

    /// The device identifier that signed values for this device are bound to; nil if they are not bound.
    public static var deviceVerificationID: UUID? { StoreKit2Driver.current.deviceVerificationID }

    /// Synchronizes the history with the account's other devices.
    ///
    /// Call this when the user asks to restore purchases, and then read ``Transaction/currentEntitlements``. The
    /// history of a sandbox store is always up to date.
    ///
    /// - Throws: a ``StoreKitError`` if no one is signed in or the store cannot be reached.
    public static func sync() async throws { try await StoreKit2Driver.current.synchronize() }
}

extension AppStore {
    /// An environment in which a store sells.
    public struct Environment: RawRepresentable, Equatable, Hashable, Sendable {
        /// The environment's name in payloads.
        public let rawValue: String
        /// Creates an environment, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Real purchases.
        public static let production = Environment(rawValue: "Production")
        /// Purchases in a sandbox store.
        public static let sandbox = Environment(rawValue: "Sandbox")
        /// Purchases in Xcode's local store, and in an `SKTestSession`.
        public static let xcode = Environment(rawValue: "Xcode")
    }
}

extension AppStore {
    /// A platform on which an app was bought.
    public struct Platform: RawRepresentable, Equatable, Hashable, Sendable {
        /// The platform's name in payloads.
        public let rawValue: String
        /// Creates a platform, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// iPhone and iPad.
        public static let iOS = Platform(rawValue: "iOS")
        /// Mac.
        public static let macOS = Platform(rawValue: "macOS")
        /// Apple TV.
        public static let tvOS = Platform(rawValue: "tvOS")
        /// Apple Vision.
        public static let visionOS = Platform(rawValue: "visionOS")
        /// Distribution by an organization to its members.
        ///
        /// No payload of this library's stores has this value, and Apple does not publish its name in payloads.
        public static var managed: Platform { Platform(rawValue: "managed") }
    }
}

/// The error for a request of the Advanced Commerce API that a store refuses.
public struct InvalidRequestError: Error {
    /// The store's code.
    public let code: Int64
    /// The store's message.
    public let message: String
}

extension InvalidRequestError {
    /// Returns nil for a failure of another cause than a request.
    init?(_ failure: StoreFailure) {
        guard let cause = failure.underlying, cause.domain == StoreFailure.advancedCommerceDomain else { return nil }
        self.init(code: Int64(cause.code), message: cause.reason)
    }
}
