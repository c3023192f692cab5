import Foundation
import StoreContract
import StoreCore

/// The end of the direct road in an app: what a dead app says goes nowhere, and nobody rings it.
final class DirectAppGate: AppGate, ImmediateStore, @unchecked Sendable {  // unchecked: a life is lived on one thread
    private let road: DirectWire
    private var connections: Set<StoreConnectionID> = []

    init(
        _ device: Int,
        _ wire: any StoreBackend,
        _ road: DirectWire,
        _ pulse: ProcessState,
        _ lifeline: CrashInjector,
        _ passages: PaymentTracker,
        _ inquiries: Inquiries,
        lane: StepLane?
    ) {
        self.road = road
        super.init(device, wire, pulse, lifeline, passages, inquiries, lane: lane)
    }

    func openConnection(
        _ listener: any NewsListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        lifeline.pass(.opening)
        if pulse.isDead { return StoreConnectionID(rawValue: 0) }
        let bell = Bell()
        bell.onRing = { [pulse] in if !pulse.isDead { listener.newsArrived() } }
        let connection = road.openConnection(bell, journal: journal, after: cursor)
        connections.insert(connection)
        return connection
    }

    func closeConnection(_ connection: StoreConnectionID) {
        if pulse.isDead { return }
        connections.remove(connection)
        road.closeConnection(connection)
    }

    var isSelfContained: Bool { road.isSelfContained }

    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?, into exchange: inout Exchange) {
        exchange = ask(commands, on: connection)
    }

    private func ask(_ commands: [StoreCommand], on connection: StoreConnectionID?) -> Exchange {
        lifeline.pass(.sending)
        if pulse.isDead { return Self.silence() }
        passages.sent(commands, from: device)
        var exchange = road.exchange(commands, on: connection)
        lifeline.pass(.news)
        // What the store has left to do it does, whoever asked.
        if pulse.isDead { return Self.silence(exchange) }
        passages.answered(exchange.answer, to: commands)
        if lifeline.isArmed {
            exchange.afterwards = { [lifeline, leftToDo = exchange.afterwards] in
                lifeline.pass(.taken)
                leftToDo?()
            }
        }
        return exchange
    }

    /// What a dead app hears, with what is left to do for the store.
    private static func silence(_ answer: Exchange = Exchange()) -> Exchange {
        var exchange = Exchange()
        exchange.refuse(.network(.networkConnectionLost, "the app is dead"))
        exchange.inherit(answer)
        return exchange
    }

    override func close() {
        super.close()
        for connection in connections.sorted() { road.closeConnection(connection) }
        connections = []
    }
}
