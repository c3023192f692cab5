import Foundation
import StoreCore

/// The record of all messages to and from a store, in order of arrival.
struct Trace: Sendable {
    /// The updates of one connection, from one call of `connect` to the next.
    struct Connection: Sendable {
        let journal: JournalID
        /// The cursor that the receiver connected with.
        let asked: UpdateCursor?
        /// Whether the receiver stays connected during the whole scenario, and must receive every change.
        let isMain: Bool
        /// The number of batches that had arrived on all connections when this one began.
        let begun: Int
        private(set) var batches: [UpdateBatch] = []
        /// The checker of the connection's chain of batches.
        private(set) var walk: ChainChecker
        var loss: StoreFailure?
        /// Whether the connection was disconnected, lost or replaced.
        var isOver = false
        /// Whether the store was opened again since, as after a crash: what its former self still sends is ignored.
        var isAbandoned = false

        init(_ journal: JournalID, asked: UpdateCursor?, isMain: Bool, begun: Int) {
            self.journal = journal
            self.asked = asked
            self.isMain = isMain
            self.begun = begun
            walk = ChainChecker(asked: asked)
        }

        fileprivate mutating func add(_ batch: UpdateBatch, _ number: Int) {
            batches.append(batch)
            walk.take(batch, number)
        }
    }

    var connections: [Connection] = []
    /// The number of batches that have arrived.
    private(set) var count = 0
    /// The number of calls of receivers made while another one was running on the same connection.
    var overlaps = 0
    /// The commands that were submitted.
    var commands: [OrderID: StoreCommand] = [:]
    /// The number of batches that had arrived when a command was submitted again, by command.
    private var repetitions: [OrderID: Int] = [:]
    /// The transactions whose finish was acknowledged, with the number of batches that had arrived by then.
    var finished: [String: Int] = [:]
    /// The number of notifications that listeners to the history have received.
    var historyChanges = 0
    /// The receivers and listeners that have been released.
    var released: Set<ObjectIdentifier> = []
    /// The numbers of the requests that are done: calls with a reply, and advances of the store's time.
    var done: Set<Int> = []

    /// The updates of the main connections, in order, without repetitions.
    private(set) var mainUpdates: [StoreUpdate] = []
    private var identifiers: [String] = []
    private var latest: [String: StoreTransaction] = [:]
    private var identifiersOfOrders: [OrderID: String] = [:]
    private var results: [OrderID: StoreTransaction] = [:]
    private var withdrawn: Set<String> = []
    private var ended: Set<OrderID> = []

    mutating func add(_ batch: UpdateBatch, to connection: Int) {
        guard !connections[connection].isAbandoned else { return }
        let known = connections[connection].walk.updates.count
        connections[connection].add(batch, count)
        count += 1
        guard connections[connection].isMain else { return }
        for (_, update) in connections[connection].walk.updates[known...] { note(update) }
    }

    private mutating func note(_ update: StoreUpdate) {
        mainUpdates.append(update)
        switch update {
        case .transaction(let transaction):
            if latest.updateValue(transaction, forKey: transaction.identifier) == nil {
                identifiers.append(transaction.identifier)
            }
            guard let order = transaction.order else { return }
            identifiersOfOrders[order] = transaction.identifier
            if transaction.state.isDecided, results[order] == nil { results[order] = transaction }
        case .finished(let identifier, _): withdrawn.insert(identifier)
        case .restoreEnded(let restore, _): ended.insert(restore)
        default: break
        }
    }

    mutating func add(_ commands: [StoreCommand]) {
        for command in commands {
            guard self.commands.updateValue(command, forKey: command.id) != nil else { continue }
            repetitions[command.id] = repetitions[command.id] ?? count
        }
    }

    /// Returns whether an update in a batch may result from a command's repetition.
    func isRepeated(_ command: OrderID, before batch: Int) -> Bool { repetitions[command].map { $0 <= batch } ?? false }

    /// The transactions of the main connections, each in its latest version, oldest first.
    var transactions: [StoreTransaction] { identifiers.compactMap { latest[$0] } }

    /// The expected content of a snapshot that begins now.
    var unfinished: [StoreTransaction] {
        transactions.filter { finished[$0.identifier] == nil && !withdrawn.contains($0.identifier) }
    }

    /// Returns the latest known transaction of an order.
    func transaction(of order: OrderID) -> StoreTransaction? { identifiersOfOrders[order].flatMap { latest[$0] } }

    /// Returns the first result of an order; further results are checked separately.
    func result(of order: OrderID) -> StoreTransaction? { results[order] }

    /// The restored transactions, oldest first.
    var restored: [StoreTransaction] { transactions.filter { $0.state == .restored } }

    func hasEnded(_ restore: OrderID) -> Bool { ended.contains(restore) }
}

extension StoreUpdate {
    /// The update's transaction, if the update consists of one.
    var transaction: StoreTransaction? { if case .transaction(let transaction) = self { transaction } else { nil } }

    /// A short description for a report.
    var summary: String {
        switch self {
        case .transaction(let transaction): "\(transaction.summary), \(transaction.state)"
        case .finished(let identifier, _): "transaction \(identifier), finished"
        case .restoreEnded: "the end of a restore"
        case .storefront: "another storefront"
        case .revoked(let products): "\(products.joined(separator: ", ")), revoked"
        case .promoted(let payment, _): "\(payment.productIdentifier), promoted"
        }
    }
}

extension StoreTransaction {
    /// A short description for a report.
    var summary: String { "transaction \(identifier) for \(payment.productIdentifier)" }
}

extension StoreTransaction.State {
    var isDecided: Bool { self != .purchasing && self != .deferred }
}

/// A queue's side of a connection, which records what arrives.
final class TraceReceiver: StoreUpdateReceiver {
    let journal: JournalID
    private let trace: MonitoredValue<Trace>
    private let state: MonitoredValue<State>

    private struct State {
        /// The index, in the trace, of the connection to which arriving batches belong.
        var connection: Int
        /// The number of threads inside ``receive(_:)``.
        var inside = 0
        /// The time to spend on the next batch, in seconds; nil for none.
        var dwell: TimeInterval?
        /// The closure to call while the next batch is received.
        var calls: (@Sendable () -> Void)?
    }

    init(_ journal: JournalID, _ trace: MonitoredValue<Trace>, connection: Int) {
        self.journal = journal
        self.trace = trace
        state = MonitoredValue(State(connection: connection))
        trace.change { [id = ObjectIdentifier(self)] in _ = $0.released.remove(id) }
    }

    deinit { trace.change { [id = ObjectIdentifier(self)] in _ = $0.released.insert(id) } }

    var connection: Int {
        get { state.read { $0.connection } }
        set { state.change { $0.connection = newValue } }
    }

    /// Spends some time on the next batch, which reveals a store that does not wait until the batch is handled.
    func dwell(_ seconds: TimeInterval) { state.change { $0.dwell = seconds } }

    /// Calls a closure while the next batch is being received, on the thread that delivers it.
    func callFromWithin(_ calls: @escaping @Sendable () -> Void) { state.change { $0.calls = calls } }

    func receive(_ batch: UpdateBatch) {
        let (connection, isOverlap, dwell, calls) = state.change { state in
            state.inside += 1
            defer { (state.dwell, state.calls) = (nil, nil) }
            return (state.connection, state.inside > 1, state.dwell, state.calls)
        }
        trace.change { trace in
            trace.add(batch, to: connection)
            if isOverlap, !trace.connections[connection].isAbandoned { trace.overlaps += 1 }
        }
        calls?()
        if let dwell { state.wait(until: Date() + dwell) { $0.inside > 1 } }
        state.change { $0.inside -= 1 }
    }

    func connectionLost(_ failure: StoreFailure) {
        let connection = connection
        trace.change { $0.connections[connection].loss = failure }
    }
}

/// A value under a lock.
///
/// Threads can wait for a change of the value.
final class MonitoredValue<Value>: @unchecked Sendable {  // unchecked: `value` is touched only with `condition` locked
    private let condition = NSCondition()
    private var value: Value

    init(_ value: sending Value) { self.value = value }

    func read<R>(_ body: (Value) -> R) -> R {
        condition.lock()
        defer { condition.unlock() }
        return body(value)
    }

    @discardableResult
    func change<R>(_ body: (inout Value) -> R) -> R {
        condition.lock()
        defer {
            condition.broadcast()
            condition.unlock()
        }
        return body(&value)
    }

    /// Waits until a condition holds, or until `limit` by the system's clock.
    ///
    /// - Returns: whether the condition holds.
    @discardableResult
    func wait(until limit: Date, _ isSo: (Value) -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while !isSo(value) {
            guard condition.wait(until: limit) else { return isSo(value) }
        }
        return true
    }
}
