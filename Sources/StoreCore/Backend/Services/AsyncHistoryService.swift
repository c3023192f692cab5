import Foundation

/// A ``HistoryService`` written with `async` functions, for an ``AsyncStoreBackend`` to conform to.
public protocol AsyncHistoryService: Sendable {
    /// Returns transactions; see ``HistoryService/transactions(_:reply:)``.
    ///
    /// - Throws: the reason why there is no answer; a ``StoreFailure`` is passed on as it is.
    func transactions(_ query: HistoryQuery) async throws -> HistoryPage
    /// Returns the states of subscriptions.
    func subscriptions(_ query: SubscriptionQuery) async throws -> [SignedSubscription]
    /// Returns the purchase of the app itself.
    func appTransaction() async throws -> SignedValue<AppTransactionPayload>
    /// Brings the history up to date with the account's other devices. Default: does nothing.
    func synchronize() async throws
    /// Returns whether the account may use an introductory offer of a group.
    func isEligibleForIntroductoryOffer(inGroup group: String) async throws -> Bool
    /// Asks the store's operator for a refund. Default: fails with the code `unknown`.
    func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer
    /// The identifier that payloads for this device are tied to. Must be quick. Default: nil.
    var deviceVerificationID: UUID? { get }
    /// Begins to notify a listener, held weakly, of every change of the answers.
    func follow(_ listener: any HistoryListener)
}

extension AsyncHistoryService {
    /// Does nothing: the answers are up to date.
    public func synchronize() async throws {}
    /// Nil: payloads are not tied to a device.
    public var deviceVerificationID: UUID? { nil }
    /// Fails with the code `unknown`.
    public func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer {
        throw StoreFailure.storeKit(.unknown, "this store takes no requests for refunds")
    }
}
