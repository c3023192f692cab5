import Foundation
import StoreCore

/// A store in the process that sells whatever is ordered, and whose exchanges a test can meddle with.
final class ScriptedStore: ImmediateStore {
    /// What a test does with an exchange: `before` the store takes the commands, and with the answer.
    struct Meddling: Sendable {
        var before: @Sendable () -> Void = {}
        var answer: @Sendable (inout Exchange) -> Void = { _ in }
        /// The commands do not reach the store.
        var refuses = false
    }

    fileprivate struct Connection {
        let id: StoreConnectionID
        let listener: any UpdateListener
        let cursor: UpdateCursor?
        var told: Int?
    }

    fileprivate struct State {
        var connections: [Connection] = []
        var lastConnection = 0
        var exchanges: [[Int]] = []
        var cursors: [UpdateCursor?] = []
        var taken: Set<OrderID> = []
        var log: [StoreUpdate] = []
        var finished: Set<String> = []
        var meddlings: [Meddling] = []
    }

    let isSelfContained: Bool
    let clock: any StoreClock
    private let state = Locked(State())

    init(isSelfContained: Bool, clock: any StoreClock = ManualClock()) {
        self.isSelfContained = isSelfContained
        self.clock = clock
    }

    var lane: BackendLane { .caller }

    /// The numbers of the commands of each exchange that had any.
    var exchanges: [[Int]] { state.withLock { $0.exchanges } }
    /// The cursors from which connections were opened.
    var cursors: [UpdateCursor?] { state.withLock { $0.cursors } }
    /// The listeners of the connections that are open.
    var listeners: [any UpdateListener] { state.withLock { $0.connections.map(\.listener) } }

    /// Meddles with the next exchange that has commands, or with one after those that are meddled with already.
    func meddle(_ meddling: Meddling) { state.withLock { $0.meddlings.append(meddling) } }

    /// Sells something that nobody has ordered.
    ///
    /// Returns the listeners to be rung.
    func sell(_ product: String) -> [any UpdateListener] {
        state.withLock { state in
            let transaction = StoreTransaction(
                identifier: "foreign\(state.log.count)",
                payment: StorePayment(productIdentifier: product),
                state: .purchased,
                date: .distantPast
            )
            state.log.append(.transaction(transaction))
            return state.connections.map(\.listener)
        }
    }

    func openConnection(
        _ listener: any UpdateListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        state.withLock { state in
            state.lastConnection += 1
            let id = StoreConnectionID(rawValue: state.lastConnection)
            state.connections.append(Connection(id: id, listener: listener, cursor: cursor))
            state.cursors.append(cursor)
            return id
        }
    }

    func closeConnection(_ connection: StoreConnectionID) {
        let closed = state.withLock { state in
            let index = state.connections.firstIndex { $0.id == connection }
            return index.map { state.connections.remove(at: $0) }
        }
        withExtendedLifetime(closed) {}
    }

    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?, into exchange: inout Exchange) {
        let meddling = state.withLock { state -> Meddling? in
            if commands.isEmpty { return nil }
            state.exchanges.append(commands.map(\.id.number))
            return state.meddlings.isEmpty ? nil : state.meddlings.removeFirst()
        }
        meddling?.before()
        state.withLock { state in
            if meddling?.refuses != true { for command in commands { state.take(command) } }
            if let index = state.connections.firstIndex(where: { $0.id == connection }) { state.tell(index, &exchange) }
        }
        if meddling?.refuses == true { exchange.refuse(.network(.notConnectedToInternet, "the test refuses")) }
        meddling?.answer(&exchange)
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        fatalError("a queue asks this store directly")
    }
    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        fatalError("a queue asks this store directly")
    }
    func disconnect(_ receiver: any StoreUpdateReceiver) {}
    func products(
        _ identifiers: Set<String>,
        reply: @escaping @Sendable (Result<ProductsAnswer, StoreFailure>) -> Void
    ) {
        reply(.success(ProductsAnswer(products: [])))
    }
}

extension ScriptedStore.State {
    fileprivate mutating func take(_ command: StoreCommand) {
        guard taken.insert(command.id).inserted else { return }
        switch command.action {
        case .purchase(let payment):
            let transaction = StoreTransaction(
                identifier: "\(command.id)",
                order: command.id,
                payment: payment,
                state: .purchased,
                date: .distantPast
            )
            log.append(.transaction(transaction))
        case .finish(let identifier): finished.insert(identifier)
        case .restore: log.append(.restoreEnded(command.id, failure: nil))
        }
    }

    /// Gives a connection what it has not been given; to begin with, a snapshot of what is not finished.
    fileprivate mutating func tell(_ index: Int, _ exchange: inout Exchange) {
        guard let told = connections[index].told else {
            let cursor = connections[index].cursor
            connections[index].told = cursor?.position ?? log.count
            if cursor == nil {
                exchange.updates = .batch
                exchange.batch = UpdateBatch(
                    after: nil,
                    through: UpdateCursor(position: log.count),
                    updates: log.filter { update in
                        if case .transaction(let it) = update { !finished.contains(it.identifier) } else { false }
                    }
                )
            } else {
                exchange.hasMore = true
            }
            return
        }
        guard told < log.count else { return }
        exchange.updates = .batch
        exchange.batch = UpdateBatch(
            after: UpdateCursor(position: told),
            through: UpdateCursor(position: log.count),
            updates: Array(log[told...])
        )
        connections[index].told = log.count
    }
}
