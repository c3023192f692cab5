import Foundation
import StoreCore

/// A store whose history cannot be read for a while.
final class FlakyStore: StoreBackend {
    private let store: SandboxStore
    private let history: History

    init(_ store: SandboxStore) {
        self.store = store
        history = History(store)
    }

    /// Whether readings of the history fail.
    var fails: Bool {
        get { history.fails.withLock { $0 } }
        set { history.fails.withLock { $0 = newValue } }
    }

    var clock: any StoreClock { store.clock }
    var lane: BackendLane { .caller }
    var services: StoreServices {
        var services = store.services
        services.history = history
        return services
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        store.submit(commands, reply: reply)
    }
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        store.connect(receiver, after: cursor)
    }
    func disconnect(_ receiver: any StoreUpdateReceiver) { store.disconnect(receiver) }
    func acknowledge(through cursor: UpdateCursor) { store.acknowledge(through: cursor) }
    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        store.products(identifiers, reply: reply)
    }

    private final class History: HistoryService {
        let fails = Locked(false)
        private let store: SandboxStore

        init(_ store: SandboxStore) { self.store = store }

        private func ask<Answer>(
            _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
            _ call: (@escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
        ) {
            if fails.withLock({ $0 }) { return reply(.failure(.network(.timedOut, "the store is busy"))) }
            call(reply)
        }

        func transactions(
            _ query: HistoryQuery,
            reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void
        ) {
            ask(reply) { store.transactions(query, reply: $0) }
        }
        func subscriptions(
            _ query: SubscriptionQuery,
            reply: @escaping @Sendable (Result<[SignedSubscription], StoreFailure>) -> Void
        ) {
            ask(reply) { store.subscriptions(query, reply: $0) }
        }
        func appTransaction(
            reply: @escaping @Sendable (Result<SignedValue<AppTransactionPayload>, StoreFailure>) -> Void
        ) {
            ask(reply) { store.appTransaction(reply: $0) }
        }
        func isEligibleForIntroductoryOffer(
            inGroup group: String,
            reply: @escaping @Sendable (Result<Bool, StoreFailure>) -> Void
        ) {
            ask(reply) { store.isEligibleForIntroductoryOffer(inGroup: group, reply: $0) }
        }
        func follow(_ listener: any HistoryListener) { store.follow(listener) }
    }
}
