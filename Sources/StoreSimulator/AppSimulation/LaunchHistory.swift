import Foundation
import StoreCore

/// What one launch reads of its user's history.
final class LaunchHistory: HistoryService {
    private let history: any HistoryService
    private let process: AppProcess
    private let shown: ShownTransactions
    private let faults: HistoryFaults

    init(
        _ history: any HistoryService,
        _ process: AppProcess,
        _ shown: ShownTransactions,
        _ faults: HistoryFaults
    ) {
        self.history = history
        self.process = process
        self.shown = shown
        self.faults = faults
    }

    /// Passes on a question and its answer, with the next fault if there is one.
    private func ask<Answer: Sendable>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        process.ask(reply) { answered in
            // What a simulation asks an app is answered.
            if process.isSpared { call(answered) } else { faults.ask(answered, call) }
        }
    }

    func transactions(
        _ query: HistoryQuery,
        reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
    ) {
        ask { [shown] answer in
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
        ask(reply) { history.subscriptions(query, reply: $0) }
    }

    func appTransaction(reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void) {
        ask(reply) { history.appTransaction(reply: $0) }
    }

    func synchronize(reply: @escaping @Sendable (StoreFailure?) -> Void) {
        ask({ (answer: Result<Void, StoreFailure>) in reply(answer.failure) }) { answered in
            history.synchronize { answered($0.map { .failure($0) } ?? .success(())) }
        }
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
