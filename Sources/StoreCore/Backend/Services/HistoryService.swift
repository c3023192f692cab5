import Foundation

/// A store's service that answers for what an account has bought: what Store Kit 2 needs beyond a queue.
///
/// All answers are about the account that is signed in on the device, and empty where none is. Every requirement may be
/// called on any thread; each reply is to be called once, on any thread, before the call returns or later.
public protocol HistoryService: Sendable {
    /// Looks up transactions.
    ///
    /// - Parameters:
    ///   - query: the question. A cursor may be one of an earlier launch.
    ///   - reply: receives a page, or the reason why there is none.
    func transactions(_ query: HistoryQuery, reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void)

    /// Looks up the states of subscriptions.
    func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    )

    /// Looks up the purchase of the app itself.
    func appTransaction(reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void)

    /// Brings the history up to date with the account's other devices; fails where nobody is signed in.
    ///
    /// Default: replies with nil, for a store whose answers are always up to date.
    func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void)

    /// Returns whether the account may use an introductory offer of a group.
    func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    )

    /// Asks the store's operator for a refund of a transaction.
    ///
    /// Default: fails with the code `unknown`.
    func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    )

    /// The identifier that payloads for this device are tied to, nil where they are not.
    ///
    /// Must be quick. Default: nil.
    var deviceVerificationID: UUID? { get }

    /// Begins to notify a listener, held weakly, of every change of the answers.
    ///
    /// It may be notified of changes that do not concern it.
    func follow(_ listener: any HistoryListener)
}

extension HistoryService {
    /// Replies with nil: the answers are up to date.
    public func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) { reply(nil) }
    /// Nil: payloads are not tied to a device.
    public var deviceVerificationID: UUID? { nil }
    /// Replies with a failure with the code `unknown`.
    public func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    ) {
        reply(.failure(.storeKit(.unknown, "this store takes no requests for refunds")))
    }
}

/// A listener that a ``HistoryService`` notifies.
public protocol HistoryListener: AnyObject, Sendable {
    /// Announces that answers may have changed. Called without a lock, on any thread; must be quick.
    func historyChanged()
}
