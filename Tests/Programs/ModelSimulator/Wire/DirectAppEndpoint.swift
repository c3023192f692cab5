import Foundation
import StoreContract
import StoreCore

/// The app's end of the direct transport: nothing that a crashed app sends arrives, and it is not rung.
final class DirectAppEndpoint: AppEndpoint, ImmediateStore, @unchecked Sendable {  // unchecked: a run uses one thread
    private let directWire: DirectWire
    private var connections: Set<StoreConnectionID> = []

    init(
        _ device: Int,
        _ wire: any StoreBackend,
        _ directWire: DirectWire,
        _ process: ProcessState,
        _ crashInjector: CrashInjector,
        _ payments: PaymentTracker,
        _ requests: RequestTracker,
        lane: OperationLane?
    ) {
        self.directWire = directWire
        super.init(device, wire, process, crashInjector, payments, requests, lane: lane)
    }

    func openConnection(
        _ listener: any UpdateListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        crashInjector.pass(.opening)
        if process.hasCrashed { return StoreConnectionID(rawValue: 0) }
        let callback = UpdateCallback()
        callback.onRing = { [process] in if !process.hasCrashed { listener.updatesArrived() } }
        let connection = directWire.openConnection(callback, journal: journal, after: cursor)
        connections.insert(connection)
        return connection
    }

    func closeConnection(_ connection: StoreConnectionID) {
        if process.hasCrashed { return }
        connections.remove(connection)
        directWire.closeConnection(connection)
    }

    var isSelfContained: Bool { directWire.isSelfContained }

    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?, into exchange: inout Exchange) {
        exchange = ask(commands, on: connection)
    }

    private func ask(_ commands: [StoreCommand], on connection: StoreConnectionID?) -> Exchange {
        crashInjector.pass(.sending)
        if process.hasCrashed { return Self.silence() }
        payments.sent(commands, from: device)
        var exchange = directWire.exchange(commands, on: connection)
        crashInjector.pass(.news)
        // The store's remaining work is done, whoever asked.
        if process.hasCrashed { return Self.silence(exchange) }
        payments.answered(exchange.answer, to: commands)
        if crashInjector.isArmed {
            exchange.afterwards = { [crashInjector, leftToDo = exchange.afterwards] in
                crashInjector.pass(.taken)
                leftToDo?()
            }
        }
        return exchange
    }

    /// Returns the answer to a crashed app, with the store's remaining work.
    private static func silence(_ answer: Exchange = Exchange()) -> Exchange {
        var exchange = Exchange()
        exchange.refuse(.network(.networkConnectionLost, "the app has crashed"))
        exchange.inherit(answer)
        return exchange
    }

    override func close() {
        super.close()
        for connection in connections.sorted() { directWire.closeConnection(connection) }
        connections = []
    }
}
