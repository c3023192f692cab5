import Foundation
import StoreContract
import StoreCore

/// A store whose history cannot be read for a while, or answers late.
final class FlakyStore: ForwardingBackend {
    private let store: SandboxStore
    private let history: History

    init(_ store: SandboxStore) {
        self.store = store
        history = History(store)
    }

    var fails: Bool {
        get { history.fails.withLock { $0 } }
        set { history.fails.withLock { $0 = newValue } }
    }

    /// Whether readings of the history wait until this is false again, and are answered then.
    var isLate: Bool {
        get { history.isLate.withLock { $0 } }
        set {
            history.isLate.withLock { $0 = newValue }
            if !newValue { history.answerWaiting() }
        }
    }

    /// The failure with which requests for refunds are answered; nil leaves the answer to the store.
    var refundFailure: StoreFailure? {
        get { history.refundFailure.withLock { $0 } }
        set { history.refundFailure.withLock { $0 = newValue } }
    }

    var readings: Int { history.readings.withLock { $0 } }

    var backend: any StoreBackend { store }
    var lane: BackendLane { .caller }
    var services: StoreServices {
        var services = store.services
        services.history = history
        return services
    }

    private final class History: HistoryService {
        let fails = Locked(false)
        let isLate = Locked(false)
        let readings = Locked(0)
        let refundFailure = Locked<StoreFailure?>(nil)
        private let waiting = Locked<[@Sendable () -> Void]>([])
        private let store: SandboxStore

        init(_ store: SandboxStore) { self.store = store }

        private func ask<Answer>(
            _ reply: @escaping Reply<Answer>,
            _ call: @escaping @Sendable (@escaping Reply<Answer>) -> Void
        ) {
            if isLate.withLock({ $0 }) { return waiting.withLock { $0.append { call(reply) } } }
            if fails.withLock({ $0 }) { return reply(.failure(.network(.timedOut, "the store is busy"))) }
            call(reply)
        }

        func answerWaiting() {
            let calls = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for call in calls { call() }
        }

        func transactions(_ query: HistoryQuery, reply: @escaping Reply<HistoryPage>) {
            readings.withLock { $0 += 1 }
            ask(reply) { [store] in store.transactions(query, reply: $0) }
        }

        func subscriptions(_ query: SubscriptionQuery, reply: @escaping Reply<[SignedSubscription]>) {
            ask(reply) { [store] in store.subscriptions(query, reply: $0) }
        }
        func appTransaction(reply: @escaping Reply<SignedValue<AppTransactionPayload>>) {
            ask(reply) { [store] in store.appTransaction(reply: $0) }
        }
        func isEligibleForIntroductoryOffer(inGroup group: String, reply: @escaping Reply<Bool>) {
            ask(reply) { [store] in store.isEligibleForIntroductoryOffer(inGroup: group, reply: $0) }
        }
        func requestRefund(ofTransaction identifier: String, reply: @escaping Reply<RefundAnswer>) {
            ask(reply) { [store, refundFailure] reply in
                if let failure = refundFailure.withLock({ $0 }) { return reply(.failure(failure)) }
                store.requestRefund(ofTransaction: identifier, reply: reply)
            }
        }
        func follow(_ listener: any HistoryListener) { store.follow(listener) }
    }
}
