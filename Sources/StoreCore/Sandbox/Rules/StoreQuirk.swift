/// Behavior that was seen of real stores and that not every store shows: an app has to survive it.
///
/// A store has none unless a test sets it, see ``SandboxStore/quirks``.
public enum StoreQuirk: String, Hashable, Codable, Sendable, CaseIterable {
    /// A running subscription that Store Kit 1 orders again fails.
    ///
    /// The error is `unknown`, and under `NSUnderlyingErrorKey` it has one of the domain `ASDServerErrorDomain` with the
    /// code 3532. Otherwise the payment ends as purchased, under an identifier that no receipt has. Seen by users of
    /// RevenueCat (purchases-ios 6357, 965), Flutter (171941) and SwiftyStoreKit (707).
    case repeatedSubscriptionFails
}
