import Foundation
import StoreContract
import StoreCore

/// The app's end of the direct road: nothing that a crashed app sends arrives, and it is not rung.
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
        // The store's remaining work is done, whoever asked.
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

    /// Returns the answer to a crashed app, with the store's remaining work.
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
