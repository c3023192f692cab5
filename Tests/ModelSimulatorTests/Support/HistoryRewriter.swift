import ModelSimulator
import StoreContract
import StoreCore

/// A backend that answers questions about an account's history wrongly.
final class HistoryRewriter: ForwardingBackend, HistoryRelay {
    let backend: any StoreBackend
    /// The question that is answered instead.
    private let ask: @Sendable (HistoryQuery) -> HistoryQuery
    /// What is answered instead.
    private let rewrite: @Sendable (HistoryQuery, HistoryPage) -> HistoryPage

    init(
        _ backend: any StoreBackend,
        ask: @escaping @Sendable (HistoryQuery) -> HistoryQuery = { $0 },
        rewrite: @escaping @Sendable (HistoryQuery, HistoryPage) -> HistoryPage = { $1 }
    ) {
        self.backend = backend
        self.ask = ask
        self.rewrite = rewrite
    }

    var services: StoreServices {
        var services = backend.services
        services.history = self
        return services
    }

    func transactions(_ query: HistoryQuery, reply: @escaping @Sendable (Result<HistoryPage, StoreFailure>) -> Void) {
        backend.services.history?.transactions(ask(query)) { [rewrite] answer in
            reply(answer.map { rewrite(query, $0) })
        }
    }

    func ask<Answer>(
        _ reply: @escaping @Sendable (Result<Answer, StoreFailure>) -> Void,
        _ call: (any HistoryService, @escaping @Sendable (Result<Answer, StoreFailure>) -> Void) -> Void
    ) {
        if let history = backend.services.history { call(history, reply) }
    }

    func follow(_ listener: any HistoryListener) { backend.services.history?.follow(listener) }
}
