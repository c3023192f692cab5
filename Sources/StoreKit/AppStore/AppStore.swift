import Foundation

/// The store, its environments and platforms.
///
/// The store is that of the current `StoreContext`'s default queue.
public enum AppStore: Sendable {
    /// Whether the user may pay.
    public static var canMakePayments: Bool { StoreFace.current.canMakePayments }

    /// The identifier that signed values for this device are tied to; nil where they are not.
    public static var deviceVerificationID: UUID? { StoreFace.current.deviceVerificationID }

    /// Brings the history up to date with the account's other devices.
    ///
    /// An app calls it when its user asks to restore purchases, and then reads ``Transaction/currentEntitlements``. A sandbox
    /// store's history is always up to date.
    ///
    /// - Throws: a ``StoreKitError`` if nobody is signed in or the store cannot be reached.
    public static func sync() async throws { try await StoreFace.current.synchronize() }
}
