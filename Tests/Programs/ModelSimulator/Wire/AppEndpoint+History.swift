import Foundation
import StoreCore

// What an app reads of its user's history; a crashed one is answered at once, so that none of its tasks waits forever.
extension AppEndpoint: HistoryService {
    private static let lost = StoreFailure.network(.networkConnectionLost, "the app has crashed")

    private func ask<Answer>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (any HistoryService, @escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        crashInjector.pass()
        guard !process.hasCrashed, let history = wire.services.history else { return reply(.failure(Self.lost)) }
        call(history) { [process, crashInjector] answer in
            crashInjector.pass()
            reply(process.hasCrashed ? .failure(Self.lost) : answer)
        }
    }

    func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {
        ask(reply) { $0.transactions(query, reply: $1) }
    }

    func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
        ask(reply) { $0.subscriptions(query, reply: $1) }
    }

    func appTransaction(reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void) {
        ask(reply) { $0.appTransaction(reply: $1) }
    }

    func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    ) {
        ask(reply) { $0.isEligibleForIntroductoryOffer(inGroup: group, reply: $1) }
    }

    func follow(_ listener: any HistoryListener) {
        if !process.hasCrashed { wire.services.history?.follow(listener) }
    }
}
