import StoreCore

/// A connection to a store in the process that asks for its news when a test says so.
final class UpdateReader: Sendable {
    private struct State {
        var rings = 0
        var isRefused = false
        var isLost = false
        var revocations = 0
    }

    private final class Bell: UpdateListener {
        let state = Locked(State())
        func updatesArrived() { state.withLock { $0.rings += 1 } }
    }

    private let store: any ImmediateStore
    private let bell = Bell()
    private let connection: StoreConnectionID

    init(_ store: any ImmediateStore, after cursor: UpdateCursor? = nil) {
        self.store = store
        connection = store.openConnection(bell, journal: .unique(), after: cursor)
    }

    /// How often it was rung.
    var rings: Int { bell.state.withLock { $0.rings } }
    /// Whether the last commands were refused.
    var isRefused: Bool { bell.state.withLock { $0.isRefused } }
    var isLost: Bool { bell.state.withLock { $0.isLost } }
    /// How often the end of an access was among the news.
    var revocations: Int { bell.state.withLock { $0.revocations } }

    /// Hands commands over and returns the products of the transactions among the news.
    @discardableResult
    func read(_ commands: [StoreCommand] = []) -> [String] {
        var exchange = Exchange()
        store.exchange(commands, on: connection, into: &exchange)
        exchange.afterwards?()
        exchange.questions?()
        return bell.state.withLock { state in
            if case .tryLater = exchange.reply { state.isRefused = true } else { state.isRefused = false }
            if case .lost = exchange.updates { state.isLost = true }
            return exchange.batch.updates.compactMap { update in
                if case .revoked = update { state.revocations += 1 }
                return if case .transaction(let it) = update { it.payment.productIdentifier } else { nil }
            }
        }
    }
}
