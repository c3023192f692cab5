import StoreCore

/// A history that passes questions on.
package protocol HistoryRelay: HistoryService {
    /// Passes a question on, by a call of the history behind this one.
    func ask<Answer>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (any HistoryService, @escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    )
}

extension HistoryRelay {
    package func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {
        ask(reply) { $0.transactions(query, reply: $1) }
    }

    package func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
        ask(reply) { $0.subscriptions(query, reply: $1) }
    }

    package func appTransaction(
        reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void
    ) {
        ask(reply) { $0.appTransaction(reply: $1) }
    }

    package func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    ) {
        ask(reply) { $0.isEligibleForIntroductoryOffer(inGroup: group, reply: $1) }
    }
}
