import Foundation
import StoreCore

/// What one launch reads of its user's history.
final class LaunchHistory: HistoryService {
    private let history: any HistoryService
    private let process: AppProcess

    init(_ history: any HistoryService, _ process: AppProcess) {
        self.history = history
        self.process = process
    }

    private func ask<Answer>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        guard process.pass(.call) else { return reply(.failure(AppProcess.lost)) }
        call { [process] answer in reply(process.pass(.answer) ? answer : .failure(AppProcess.lost)) }
    }

    func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {
        ask(reply) { history.transactions(query, reply: $0) }
    }

    func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
        ask(reply) { history.subscriptions(query, reply: $0) }
    }

    func appTransaction(reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void) {
        ask(reply) { history.appTransaction(reply: $0) }
    }

    func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        guard process.pass(.call) else { return reply(AppProcess.lost) }
        history.synchronize { [process] failure in reply(process.pass(.answer) ? failure : AppProcess.lost) }
    }

    func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    ) {
        ask(reply) { history.isEligibleForIntroductoryOffer(inGroup: group, reply: $0) }
    }

    func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    ) {
        ask(reply) { history.requestRefund(ofTransaction: identifier, reply: $0) }
    }

    var deviceVerificationID: UUID? { history.deviceVerificationID }

    func follow(_ listener: any HistoryListener) {
        if !process.isDead { history.follow(listener) }
    }
}
