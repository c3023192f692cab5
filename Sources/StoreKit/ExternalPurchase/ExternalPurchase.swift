import StoreCore

/// The notice before an app sells by another provider of payments, within the app.
///
/// An app may present it if the store says so. There is no screen: in a sandbox store, its operator decides what the
/// customer chooses.
public enum ExternalPurchase: Sendable {
    /// The customer's choice on the notice.
    public enum NoticeResult: Hashable, Sendable {
        /// The customer does not continue.
        case cancelled
        /// The customer continues, with a token for the app's reports.
        case continuedWithExternalPurchaseToken(token: String)
    }

    /// Whether the app may present the notice; false if the store does not say so, or nobody is signed in.
    public static var canPresent: Bool {
        get async { await StoreKit2Driver.current.externalEligibility.presentsNotice }
    }

    /// Presents the notice, and returns the customer's choice.
    ///
    /// - Throws: ``StoreKitError/notEntitled`` if the app may not present it; another ``StoreKitError`` if the store fails.
    public static func presentNoticeSheet() async throws -> ExternalPurchase.NoticeResult {
        let answer = try await StoreKit2Driver.current.external(.init(.notice))
        guard answer.outcome == .continued, let token = answer.token else { return .cancelled }
        return .continuedWithExternalPurchaseToken(token: token)
    }
}
