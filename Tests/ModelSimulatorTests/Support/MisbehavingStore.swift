import StoreContract
import StoreCore

/// A store that does something wrong when it is asked by value.
final class MisbehavingStore: ForwardingBackend, ImmediateStore {
    /// What a store does wrong that is asked by value.
    enum Flaw: CaseIterable {
        /// It rings each time twice.
        case ringsTwice
        /// It rings before it has answered.
        case ringsAtOnce
        /// It rings nobody.
        case neverRings
        /// Of what it says together with an acknowledgement nothing arrives.
        case losesNews
        /// It takes each purchase for two.
        case sellsTwice
    }

    private let store: any ImmediateStore
    private let flaw: Flaw
    private let listeners = Locked<[StoreConnectionID: any UpdateListener]>([:])

    init(_ backend: any StoreBackend, _ flaw: Flaw) {
        guard let store = backend as? any ImmediateStore else { fatalError("a device can be asked by value") }
        self.store = store
        self.flaw = flaw
    }

    var backend: any StoreBackend { store }

    func openConnection(
        _ listener: any UpdateListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        let rings = flaw == .ringsTwice ? 2 : flaw == .neverRings ? 0 : 1
        let connection = store.openConnection(Repeater(listener, times: rings), journal: journal, after: cursor)
        listeners.withLock { $0[connection] = listener }
        return connection
    }

    func closeConnection(_ connection: StoreConnectionID) {
        listeners.withLock { $0[connection] = nil }
        store.closeConnection(connection)
    }

    var isSelfContained: Bool { store.isSelfContained }

    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?, into exchange: inout Exchange) {
        if flaw == .ringsAtOnce, !commands.isEmpty, let connection {
            listeners.withLock { $0[connection] }?.updatesArrived()
        }
        let taken = flaw == .sellsTwice ? commands.flatMap(twice) : commands
        store.exchange(taken, on: connection, into: &exchange)
        if flaw == .losesNews, !commands.isEmpty { exchange.updates = .none }
    }

    private func twice(_ command: StoreCommand) -> [StoreCommand] {
        guard case .purchase = command.action else { return [command] }
        let journal = JournalID(rawValue: ~command.id.journal.rawValue)
        let again = OrderID(journal: journal, number: command.id.number)
        return [command, StoreCommand(id: again, action: command.action)]
    }
}

/// Rings as often as it is told to when it is rung.
private final class Repeater: UpdateListener {
    private let listener: any UpdateListener
    private let times: Int

    init(_ listener: any UpdateListener, times: Int) {
        self.listener = listener
        self.times = times
    }

    func updatesArrived() { for _ in 0..<times { listener.updatesArrived() } }
}
