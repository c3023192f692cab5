import Foundation
import StoreCore

extension RemoteStore: AsyncHistoryService {
    /// Returns transactions: a page has 1,000 at the most, whatever is asked for.
    ///
    /// - Throws: a `StoreFailure`.
    public func transactions(_ query: HistoryQuery) async throws -> HistoryPage {
        let page: HistoryText = try await ask(.transactions, query)
        return HistoryPage(try page.transactions.map { try value($0) }, next: page.next)
    }

    /// Returns the states of subscriptions.
    ///
    /// - Throws: a `StoreFailure`.
    public func subscriptions(_ query: SubscriptionQuery) async throws -> [SignedSubscription] {
        let subscriptions: [SubscriptionText] = try await ask(.subscriptions, query)
        return try subscriptions.map {
            SignedSubscription(transaction: try value($0.transaction), renewal: try value($0.renewal))
        }
    }

    /// Returns the purchase of the app itself.
    ///
    /// - Throws: a `StoreFailure`.
    public func appTransaction() async throws -> SignedValue<AppTransactionPayload> {
        try value(try await ask(.appTransaction, Nothing()))
    }

    /// Succeeds where the store can be reached and somebody is signed in.
    ///
    /// - Throws: a `StoreFailure`.
    public func synchronize() async throws { let _: Nothing = try await ask(.synchronize, Nothing()) }

    /// Returns whether the account may use an introductory offer of a group.
    ///
    /// - Throws: a `StoreFailure`.
    public func isEligibleForIntroductoryOffer(inGroup group: String) async throws -> Bool {
        try await ask(.eligibility, group)
    }

    /// Requests a refund.
    ///
    /// - Throws: a `StoreFailure`.
    public func requestRefund(ofTransaction identifier: String) async throws -> RefundAnswer {
        try await ask(.requestRefund, identifier)
    }

    /// The device's identifier, as the store said in the first exchange.
    public var deviceVerificationID: UUID? { known.status.deviceVerificationID }

    /// Begins to notify a listener, held weakly, of changes in the store, which come with the stream of a connected queue.
    public func follow(_ listener: any HistoryListener) { known.follow(listener) }
}
