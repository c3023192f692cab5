import Foundation
import StoreContract
import StoreCore

/// The store's end of a device's direct transport.
///
/// The model records arrivals and updates here, and whether the store obeys the rules of an ``ImmediateStore``.
final class DirectStoreEndpoint: StoreEndpoint, @unchecked Sendable {  // unchecked: a run uses one thread
    /// A connection to the running store or to a crashed one.
    private struct Connection {
        let listener: any UpdateListener
        /// The store's name for it; nil once that store has crashed.
        var name: StoreConnectionID?
        /// Whether the store sends it updates, as far as it knows.
        var isOpen = false
        var isRung = false
    }

    private var store: any ImmediateStore
    private var connections: [StoreConnectionID: Connection] = [:]
    private var lastConnection = 0
    /// The number of exchanges whose remaining work is not done.
    private var undone = 0

    private static let lost = StoreFailure.network(.networkConnectionLost, "the store went away")

    init(
        _ device: Int,
        _ store: any ImmediateStore,
        _ clock: any StoreClock,
        _ modelDriver: ModelDriver,
        _ crashInjector: CrashInjector,
        _ requests: RequestTracker
    ) {
        self.store = store
        super.init(device, store, clock, modelDriver, crashInjector, requests)
    }

    override var isConnected: Bool { super.isConnected || connections.values.contains { $0.isOpen } }

    override var violation: String? {
        undone == 0 ? nil : "the queue of device \(device) has not done what an exchange left to do"
    }

    override func isCutOff() { for connection in connections.keys { connections[connection]?.isOpen = false } }

    override func replace(by backend: any StoreBackend) {
        guard let store = backend as? any ImmediateStore else {
            fatalError("what stands in for a device could be asked directly, and cannot any more")
        }
        self.store = store
        super.replace(by: backend)
        let lost = connections.sorted { $0.key < $1.key }
        for (connection, _) in lost {
            connections[connection]?.name = nil
            connections[connection]?.isOpen = false
        }
        for (connection, known) in lost where !known.isRung { ring(connection) }
    }
}

// MARK: - The store's side of the transport

extension DirectStoreEndpoint {
    func openConnection(
        _ listener: any UpdateListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        crashInjector.pass(.opening)
        lastConnection += 1
        let connection = StoreConnectionID(rawValue: lastConnection)
        connections[connection] = Connection(listener: listener)
        if crashInjector.store.hasCrashed { return connection }
        let callback = UpdateCallback()
        callback.onRing = { [weak self, process = crashInjector.store] in
            if !process.hasCrashed { self?.ring(connection, as: process) }
        }
        connections[connection]?.name = store.openConnection(callback, journal: journal, after: cursor)
        return connection
    }

    func closeConnection(_ connection: StoreConnectionID) {
        let name = connections.removeValue(forKey: connection)?.name
        if let name, !crashInjector.store.hasCrashed { store.closeConnection(name) }
    }

    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?) -> Exchange {
        crashInjector.pass(.arrival)
        if crashInjector.store.hasCrashed { return answerAfterCrash(on: connection) }
        if !commands.isEmpty { modelDriver.arrived(commands, on: device) }
        var exchange = ask(commands, on: connection)
        crashInjector.pass(.answer)
        exchange.afterwards = exchange.afterwards.map(watched)
        exchange.questions = exchange.questions.map(watched)
        if crashInjector.store.hasCrashed {
            var answer = answerAfterCrash(on: connection)
            answer.inherit(exchange)
            return answer
        }
        if !commands.isEmpty { modelDriver.answered(exchange.answer, on: device) }
        if let connection, let known = connections[connection], known.name == nil {
            exchange.updates = .lost(Self.lost)
        }
        if let connection { connections[connection]?.isOpen = true }
        switch exchange.updates {
        case .none: break
        case .batch:
            modelDriver.told(exchange.batch.updates, on: device)
            exchange.batch = modelDriver.numbered(exchange.batch)
        case .lost: if let connection { connections[connection] = nil }
        }
        return exchange
    }

    private func ask(_ commands: [StoreCommand], on connection: StoreConnectionID?) -> Exchange {
        if let connection { connections[connection]?.isRung = false }
        modelDriver.isExchanging = true
        defer { modelDriver.isExchanging = false }
        var exchange = Exchange()
        store.exchange(commands, on: connection.flatMap { connections[$0]?.name }, into: &exchange)
        return exchange
    }

    /// Returns an exchange's remaining work, to be done once.
    private func watched(_ leftToDo: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        undone += 1
        let isDone = Locked(false)
        return { [self] in
            crashInjector.pass(.afterwards)
            if isDone.withLock({ $0 }) {
                modelDriver.eventLog.broke("the queue of device \(device) does twice what an exchange left to do")
            }
            isDone.withLock { $0 = true }
            undone -= 1
            leftToDo()
            crashInjector.pass(.settled)
        }
    }

    /// Returns the answer of a crashed store; whatever it still says does not count.
    private func answerAfterCrash(on connection: StoreConnectionID?) -> Exchange {
        if let connection { connections[connection] = nil }
        var exchange = Exchange()
        exchange.refuse(Self.lost)
        if connection != nil { exchange.updates = .lost(Self.lost) }
        return exchange
    }

    /// Rings a connection because the store has news.
    private func ring(_ connection: StoreConnectionID, as process: ProcessState) {
        // The asking queue may hold a lock.
        if modelDriver.isExchanging {
            return modelDriver.eventLog.broke("the store rings before it has answered a queue")
        }
        crashInjector.pass(.ring)
        if process.hasCrashed { return }
        if connections[connection]?.isRung == true {
            modelDriver.eventLog.broke("the store rings device \(device) once more before it was asked")
        }
        ring(connection)
        crashInjector.pass(.rung)
    }

    private func ring(_ connection: StoreConnectionID) {
        guard let listener = connections[connection]?.listener else { return }
        connections[connection]?.isRung = true
        modelDriver.coverage.direct.note(.ring)
        listener.updatesArrived()
    }
}
