import Foundation
import StoreContract
import StoreCore

/// The direct road between a queue and a store, with planned faults.
///
/// Nothing is in flight there: commands and news are exchanged in one call. The possible faults are that the store
/// refuses everything, that it crashes after it has taken something and before it has answered, that it closes the
/// connection, and that it rings late.
final class DirectWire: ActivityMember, @unchecked Sendable {  // unchecked: a life is lived on one thread
    private struct LateRing {
        let number: Int
        let line: StoreConnectionID
        let bell: any NewsListener
    }

    /// The points planned for this road, and not for the wire that everything else passes.
    static let points: Set<FaultInjector.Point> = [.submission, .reply, .connection, .update, .connectionLost]

    /// Whether queues may ask with a lock held.
    let isSelfContained: Bool
    private let gate: DirectStoreGate
    private let coverage: Coverage
    private var plans: [FaultInjector.Point: [FaultInjector.Fault]] = [:]
    /// Connections that the store has never heard of, with the failures that their queues will hear.
    private var refused: [StoreConnectionID: StoreFailure] = [:]
    private var late: [LateRing] = []
    /// Commands that were taken and are repeated with the next exchange.
    private var echoes: [StoreConnectionID: [StoreCommand]] = [:]
    private var lastNumber = 0

    init(_ gate: DirectStoreGate, _ coverage: Coverage, isSelfContained: Bool) {
        self.isSelfContained = isSelfContained
        self.gate = gate
        self.coverage = coverage
        gate.clock.activity.register(self)
    }

    var pulse: (isQuiet: Bool, work: Int) { (true, lastNumber) }
    var keepable: (any ActivityPulse)? { self }
    func drainHere() -> Bool { false }
    var waitingFor: [String] { late.map { _ in "a ring that is late" } }

    // MARK: Plans

    func plan(_ act: FaultInjector.Fault, at point: FaultInjector.Point) { plans[point, default: []].append(act) }

    func forgetPlans() { plans = [:] }

    /// Removes and returns the first planned fault at a point that applies to this road.
    private func take<Harm>(_ point: FaultInjector.Point, _ harm: (FaultInjector.Fault) -> Harm?) -> Harm? {
        for (index, act) in plans[point, default: []].enumerated() {
            guard let harm = harm(act) else { continue }
            plans[point]?.remove(at: index)
            return harm
        }
        return nil
    }
}

// MARK: - Connections

extension DirectWire {
    func openConnection(
        _ listener: any NewsListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        lastNumber += 1
        if let failure = take(.connection, \.loss) {
            // The gate's numbers count upwards.
            let line = StoreConnectionID(rawValue: -lastNumber)
            refused[line] = failure
            return line
        }
        let bell = Bell()
        let line = gate.openConnection(bell, journal: journal, after: cursor)
        bell.onRing = { [weak self] in self?.ring(listener, on: line) }
        return line
    }

    func closeConnection(_ line: StoreConnectionID) {
        late.removeAll { $0.line == line }
        echoes[line] = nil
        if refused.removeValue(forKey: line) == nil { gate.closeConnection(line) }
    }

    private func ring(_ bell: any NewsListener, on line: StoreConnectionID) {
        lastNumber += 1
        guard let wait = take(.update, \.wait) ?? take(.connectionLost, \.wait) else { return bell.newsArrived() }
        coverage.direct.note(.lateRing)
        let number = lastNumber
        late.append(LateRing(number: number, line: line, bell: bell))
        guard case .seconds(let seconds) = wait else { return }
        gate.clock.schedule(at: gate.clock.now + seconds) { [weak self] in
            self?.release { $0.number == number }
        }
    }

    /// Rings all late rings.
    func releaseAll() { release { _ in true } }

    private func release(where isMeant: (LateRing) -> Bool) {
        let meant = late.filter(isMeant)
        late.removeAll(where: isMeant)
        lastNumber += 1
        for ring in meant { ring.bell.newsArrived() }
    }
}

// MARK: - Exchanges

extension DirectWire {
    func exchange(_ commands: [StoreCommand], on line: StoreConnectionID?) -> Exchange {
        lastNumber += 1
        coverage.direct.note(commands.isEmpty ? .pull : .exchange)
        // The asking queue has been told what the ring would say.
        late.removeAll { $0.line == line }
        var exchange = pass(commands, on: line)
        if case .batch = exchange.news {
            if let line, let failure = take(.update, \.loss) {
                exchange.lose(failure)
                closeConnection(line)
            } else {
                coverage.direct.note(.batch)
            }
        }
        if case .lost = exchange.news {
            coverage.direct.note(.lostConnection)
            if let line { echoes[line] = nil }
            if let failure = take(.connectionLost, \.loss) { exchange.lose(failure) }
        }
        return exchange
    }

    private func pass(_ commands: [StoreCommand], on line: StoreConnectionID?) -> Exchange {
        if let failure = line.flatMap({ refused.removeValue(forKey: $0) }) { return .failed(failure, on: line) }
        guard !commands.isEmpty else { return ask(commands, on: line) }
        switch take(.submission, \.harmToCommands) ?? take(.reply, \.harmToAnswer) {
        case nil: return ask(commands, on: line)
        case .refusal(let failure):
            coverage.direct.note(.refusal)
            var exchange = line == nil ? Exchange() : ask([], on: line)
            exchange.refuse(failure)
            return exchange
        case .repetition:
            let exchange = ask(commands, on: line)
            if let line, case .taken = exchange.reply { echoes[line] = commands }
            return exchange
        case .lostAnswer(let failure):
            coverage.direct.note(.lostAnswer)
            var exchange = Exchange.failed(failure, on: line)
            exchange.inherit(ask(commands, on: line))
            if let line { closeConnection(line) }
            return exchange
        case .loss(let failure):
            if let line { closeConnection(line) }
            return .failed(failure, on: line)
        }
    }

    private func ask(_ commands: [StoreCommand], on line: StoreConnectionID?) -> Exchange {
        guard let line, let echo = echoes.removeValue(forKey: line) else { return gate.exchange(commands, on: line) }
        coverage.direct.note(.repetition)
        return gate.exchange(echo + commands, on: line)
    }
}

extension Exchange {
    /// Returns the result of asking an unreachable store.
    fileprivate static func failed(_ failure: StoreFailure, on line: StoreConnectionID?) -> Exchange {
        var exchange = Exchange()
        exchange.refuse(failure)
        if line != nil { exchange.news = .lost(failure) }
        return exchange
    }

    fileprivate mutating func lose(_ failure: StoreFailure) {
        news = .lost(failure)
        hasMore = false
    }
}
