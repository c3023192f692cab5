import Foundation
import StoreCore

/// What one launch reads of its user's history.
final class LaunchHistory: HistoryService {
    private let history: any HistoryService
    private let process: AppProcess
    private let shown: ShownTransactions

    init(_ history: any HistoryService, _ process: AppProcess, _ shown: ShownTransactions) {
        self.history = history
        self.process = process
        self.shown = shown
    }

    func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {
        process.ask { [shown] answer in
            if case .success(let page) = answer { shown.note(page) }
            reply(answer)
        } _: {
            history.transactions(query, reply: $0)
        }
    }

    func subscriptions(
        _ query: SubscriptionQuery,
        reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
    ) {
        process.ask(reply) { history.subscriptions(query, reply: $0) }
    }

    func appTransaction(reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void) {
        process.ask(reply) { history.appTransaction(reply: $0) }
    }

    func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        process.ask(reply) { history.synchronize(reply: $0) }
    }

    func isEligibleForIntroductoryOffer(
        inGroup group: String,
        reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
    ) {
        process.ask(reply) { history.isEligibleForIntroductoryOffer(inGroup: group, reply: $0) }
    }

    func requestRefund(
        ofTransaction identifier: String,
        reply: @escaping @Sendable (Result<RefundAnswer, StoreFailure>) -> Void
    ) {
        process.ask(reply) { history.requestRefund(ofTransaction: identifier, reply: $0) }
    }

    var deviceVerificationID: UUID? { history.deviceVerificationID }

    func follow(_ listener: any HistoryListener) {
        if !process.isDead { history.follow(listener) }
    }
}
