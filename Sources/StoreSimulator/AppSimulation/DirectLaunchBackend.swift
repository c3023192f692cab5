import Foundation
import StoreCore

/// The way to the store of one launch in which no step disturbs the wire or kills the process at a boundary.
///
/// The queue asks the store directly, as it asks any store in its process: nothing is in flight, so nothing needs a wire. The
/// commands of a process that has ended are refused, and its queue is not notified.
final class DirectLaunchBackend: LaunchBackend, ImmediateStore, @unchecked Sendable {  // unchecked: as its superclass
    private let store: any ImmediateStore
    private let connections = Locked<Set<StoreConnectionID>>([])

    /// - Parameters:
    ///   - store: the device in the store.
    ///   - process: the launch's process.
    ///   - shown: the record of what the app is told of.
    ///   - historyFaults: the faults of questions about what was bought.
    init(
        _ store: any ImmediateStore,
        _ process: AppProcess,
        _ shown: ShownTransactions,
        _ historyFaults: HistoryFaults
    ) {
        self.store = store
        super.init(store, process, shown, historyFaults)
    }

    var isSelfContained: Bool { store.isSelfContained }

    func openConnection(
        _ listener: any NewsListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        guard process.pass(.call) else { return StoreConnectionID(rawValue: 0) }
        let own = LaunchListener(listener, process)
        let connection = store.openConnection(own, journal: journal, after: cursor)
        connections.withLock { _ = $0.insert(connection) }
        return connection
    }

    func closeConnection(_ connection: StoreConnectionID) {
        if connections.withLock({ $0.remove(connection) }) != nil { store.closeConnection(connection) }
    }

    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?, into exchange: inout Exchange) {
        guard process.pass(.call) else { return exchange.refuse(AppProcess.lost) }
        store.exchange(commands, on: connection, into: &exchange)
        noteNews(exchange)
    }

    func exchange(_ command: StoreCommand, on connection: StoreConnectionID?, into exchange: inout Exchange) {
        guard process.pass(.call) else { return exchange.refuse(AppProcess.lost) }
        store.exchange(command, on: connection, into: &exchange)
        noteNews(exchange)
    }

    private func noteNews(_ exchange: Exchange) { if case .batch = exchange.news { shown.note(exchange.batch) } }

    override func close() {
        let all = connections.withLock { connections in
            defer { connections = [] }
            return connections
        }
        for connection in all.sorted() { store.closeConnection(connection) }
        super.close()
    }
}

/// A listener that is not notified once its process has ended.
private final class LaunchListener: NewsListener {
    private let listener: any NewsListener
    private let process: AppProcess

    init(_ listener: any NewsListener, _ process: AppProcess) {
        self.listener = listener
        self.process = process
    }

    func newsArrived() { if process.pass(.update) { listener.newsArrived() } }
}
