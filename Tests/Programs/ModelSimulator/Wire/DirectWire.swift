import Foundation
import StoreContract
import StoreCore

/// The direct transport between a queue and a store, with planned faults.
///
/// Nothing is in flight there: commands and news are exchanged in one call. The possible faults are that the store
/// refuses everything, that it crashes after it has taken something and before it has answered, that it closes the
/// connection, and that it rings late.
final class DirectWire: ActivityMember, @unchecked Sendable {  // unchecked: a run uses one thread
    private struct LateRing {
        let number: Int
        let connection: StoreConnectionID
        let listener: any UpdateListener
    }

    /// The points planned for this transport, and not for the wire that everything else passes.
    static let points: Set<FaultInjector.Point> = [.submission, .reply, .connection, .update, .connectionLost]

    /// Whether queues may ask with a lock held.
    let isSelfContained: Bool
    private let endpoint: DirectStoreEndpoint
    private let coverage: Coverage
    private var plans: [FaultInjector.Point: [FaultInjector.Fault]] = [:]
    /// Connections that the store has never heard of, with the failures that their queues will hear.
    private var refused: [StoreConnectionID: StoreFailure] = [:]
    private var late: [LateRing] = []
    /// Commands that were taken and are repeated with the next exchange.
    private var echoes: [StoreConnectionID: [StoreCommand]] = [:]
    private var lastNumber = 0

    init(_ endpoint: DirectStoreEndpoint, _ coverage: Coverage, isSelfContained: Bool) {
        self.isSelfContained = isSelfContained
        self.endpoint = endpoint
        self.coverage = coverage
        endpoint.clock.activity.register(self)
    }

    var pulse: (isQuiet: Bool, work: Int) { (true, lastNumber) }
    var retainable: (any ActivityPulse)? { self }
    func drainHere() -> Bool { false }
    var waitingFor: [String] { late.map { _ in "a ring that is late" } }

    // MARK: Plans

    func plan(_ fault: FaultInjector.Fault, at point: FaultInjector.Point) { plans[point, default: []].append(fault) }

    func forgetPlans() { plans = [:] }

    /// Removes and returns the first planned fault at a point that applies to this transport.
    private func take<Effect>(_ point: FaultInjector.Point, _ effect: (FaultInjector.Fault) -> Effect?) -> Effect? {
        for (index, fault) in plans[point, default: []].enumerated() {
            guard let effect = effect(fault) else { continue }
            plans[point]?.remove(at: index)
            return effect
        }
        return nil
    }
}

// MARK: - Connections

extension DirectWire {
    func openConnection(
        _ listener: any UpdateListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        lastNumber += 1
        if let failure = take(.connection, \.loss) {
            // The endpoint's numbers count upwards.
            let connection = StoreConnectionID(rawValue: -lastNumber)
            refused[connection] = failure
            return connection
        }
        let callback = UpdateCallback()
        let connection = endpoint.openConnection(callback, journal: journal, after: cursor)
        callback.onRing = { [weak self] in self?.ring(listener, on: connection) }
        return connection
    }

    func closeConnection(_ connection: StoreConnectionID) {
        late.removeAll { $0.connection == connection }
        echoes[connection] = nil
        if refused.removeValue(forKey: connection) == nil { endpoint.closeConnection(connection) }
    }

    private func ring(_ listener: any UpdateListener, on connection: StoreConnectionID) {
        lastNumber += 1
        guard let wait = take(.update, \.wait) ?? take(.connectionLost, \.wait) else {
            return listener.updatesArrived()
        }
        coverage.direct.note(.lateRing)
        let number = lastNumber
        late.append(LateRing(number: number, connection: connection, listener: listener))
        guard case .seconds(let seconds) = wait else { return }
        endpoint.clock.schedule(at: endpoint.clock.now + seconds) { [weak self] in
            self?.release { $0.number == number }
        }
    }

    /// Rings all late rings.
    func releaseAll() { release { _ in true } }

    private func release(where isMeant: (LateRing) -> Bool) {
        let meant = late.filter(isMeant)
        late.removeAll(where: isMeant)
        lastNumber += 1
        for ring in meant { ring.listener.updatesArrived() }
    }
}

// MARK: - Exchanges

extension DirectWire {
    func exchange(_ commands: [StoreCommand], on connection: StoreConnectionID?) -> Exchange {
        lastNumber += 1
        coverage.direct.note(commands.isEmpty ? .pull : .exchange)
        // The asking queue has been told what the ring would say.
        late.removeAll { $0.connection == connection }
        var exchange = pass(commands, on: connection)
        if case .batch = exchange.updates {
            if let connection, let failure = take(.update, \.loss) {
                exchange.lose(failure)
                closeConnection(connection)
            } else {
                coverage.direct.note(.batch)
            }
        }
        if case .lost = exchange.updates {
            coverage.direct.note(.lostConnection)
            if let connection { echoes[connection] = nil }
            if let failure = take(.connectionLost, \.loss) { exchange.lose(failure) }
        }
        return exchange
    }

    private func pass(_ commands: [StoreCommand], on connection: StoreConnectionID?) -> Exchange {
        if let failure = connection.flatMap({ refused.removeValue(forKey: $0) }) {
            return .failed(failure, on: connection)
        }
        guard !commands.isEmpty else { return ask(commands, on: connection) }
        switch take(.submission, \.faultForCommands) ?? take(.reply, \.faultForAnswer) {
        case nil: return ask(commands, on: connection)
        case .refusal(let failure):
            coverage.direct.note(.refusal)
            var exchange = connection == nil ? Exchange() : ask([], on: connection)
            exchange.refuse(failure)
            return exchange
        case .repetition:
            let exchange = ask(commands, on: connection)
            if let connection, case .taken = exchange.reply { echoes[connection] = commands }
            return exchange
        case .lostAnswer(let failure):
            coverage.direct.note(.lostAnswer)
            var exchange = Exchange.failed(failure, on: connection)
            exchange.inherit(ask(commands, on: connection))
            if let connection { closeConnection(connection) }
            return exchange
        case .loss(let failure):
            if let connection { closeConnection(connection) }
            return .failed(failure, on: connection)
        }
    }

    private func ask(_ commands: [StoreCommand], on connection: StoreConnectionID?) -> Exchange {
        guard let connection, let echo = echoes.removeValue(forKey: connection) else {
            return endpoint.exchange(commands, on: connection)
        }
        coverage.direct.note(.repetition)
        return endpoint.exchange(echo + commands, on: connection)
    }
}

extension Exchange {
    /// Returns the result of asking an unreachable store.
    fileprivate static func failed(_ failure: StoreFailure, on connection: StoreConnectionID?) -> Exchange {
        var exchange = Exchange()
        exchange.refuse(failure)
        if connection != nil { exchange.updates = .lost(failure) }
        return exchange
    }

    fileprivate mutating func lose(_ failure: StoreFailure) {
        updates = .lost(failure)
        hasMore = false
    }
}
