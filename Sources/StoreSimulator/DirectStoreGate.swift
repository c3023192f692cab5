import Foundation
import StoreContract
import StoreCore

/// The store's end of a device's direct road.
///
/// The model records arrivals and updates here, and whether the store obeys the rules of an ``ImmediateStore``.
final class DirectStoreGate: StoreGate, @unchecked Sendable {  // unchecked: a life is lived on one thread
    /// A connection to the running store or to a crashed one.
    private struct Line {
        let listener: any NewsListener
        /// The store's name for it; nil once that store has crashed.
        var name: StoreConnectionID?
        /// Whether the store sends it updates, as far as it knows.
        var isOpen = false
        var isRung = false
    }

    private var store: any ImmediateStore
    private var lines: [StoreConnectionID: Line] = [:]
    private var lastLine = 0
    /// The number of exchanges whose remaining work is not done.
    private var undone = 0

    private static let lost = StoreFailure.network(.networkConnectionLost, "the store went away")

    init(
        _ device: Int,
        _ store: any ImmediateStore,
        _ clock: any StoreClock,
        _ witness: ModelDriver,
        _ lifeline: CrashInjector,
        _ inquiries: Inquiries
    ) {
        self.store = store
        super.init(device, store, clock, witness, lifeline, inquiries)
    }

    override var isConnected: Bool { super.isConnected || lines.values.contains { $0.isOpen } }

    override var violation: String? {
        undone == 0 ? nil : "the queue of device \(device) has not done what an exchange left to do"
    }

    override func isCutOff() { for line in lines.keys { lines[line]?.isOpen = false } }

    override func replace(by backend: any StoreBackend) {
        guard let store = backend as? any ImmediateStore else {
            fatalError("what stands in for a device could be asked directly, and cannot any more")
        }
        self.store = store
        super.replace(by: backend)
        let lost = lines.sorted { $0.key < $1.key }
        for (line, _) in lost {
            lines[line]?.name = nil
            lines[line]?.isOpen = false
        }
        for (line, known) in lost where !known.isRung { ring(line) }
    }
}

// MARK: - The store's side of the road

extension DirectStoreGate {
    func openConnection(
        _ listener: any NewsListener,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        lifeline.pass(.opening)
        lastLine += 1
        let line = StoreConnectionID(rawValue: lastLine)
        lines[line] = Line(listener: listener)
        if lifeline.store.isDead { return line }
        let bell = Bell()
        bell.onRing = { [weak self, pulse = lifeline.store] in if !pulse.isDead { self?.ring(line, as: pulse) } }
        lines[line]?.name = store.openConnection(bell, journal: journal, after: cursor)
        return line
    }

    func closeConnection(_ line: StoreConnectionID) {
        let name = lines.removeValue(forKey: line)?.name
        if let name, !lifeline.store.isDead { store.closeConnection(name) }
    }

    func exchange(_ commands: [StoreCommand], on line: StoreConnectionID?) -> Exchange {
        lifeline.pass(.arrival)
        if lifeline.store.isDead { return answerOfTheDead(on: line) }
        if !commands.isEmpty { witness.arrived(commands, on: device) }
        var exchange = ask(commands, on: line)
        lifeline.pass(.answer)
        exchange.afterwards = exchange.afterwards.map(watched)
        exchange.questions = exchange.questions.map(watched)
        if lifeline.store.isDead {
            var answer = answerOfTheDead(on: line)
            answer.inherit(exchange)
            return answer
        }
        if !commands.isEmpty { witness.answered(exchange.answer, on: device) }
        if let line, let known = lines[line], known.name == nil { exchange.news = .lost(Self.lost) }
        if let line { lines[line]?.isOpen = true }
        switch exchange.news {
        case .none: break
        case .batch:
            witness.told(exchange.batch.updates, on: device)
            exchange.batch = witness.numbered(exchange.batch)
        case .lost: if let line { lines[line] = nil }
        }
        return exchange
    }

    private func ask(_ commands: [StoreCommand], on line: StoreConnectionID?) -> Exchange {
        if let line { lines[line]?.isRung = false }
        witness.isExchanging = true
        defer { witness.isExchanging = false }
        var exchange = Exchange()
        store.exchange(commands, on: line.flatMap { lines[$0]?.name }, into: &exchange)
        return exchange
    }

    /// Returns an exchange's remaining work, to be done once.
    private func watched(_ leftToDo: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        undone += 1
        let isDone = Locked(false)
        return { [self] in
            lifeline.pass(.afterwards)
            if isDone.withLock({ $0 }) {
                witness.diary.broke("the queue of device \(device) does twice what an exchange left to do")
            }
            isDone.withLock { $0 = true }
            undone -= 1
            leftToDo()
            lifeline.pass(.settled)
        }
    }

    /// Returns the answer of a crashed store; whatever it still says does not count.
    private func answerOfTheDead(on line: StoreConnectionID?) -> Exchange {
        if let line { lines[line] = nil }
        var exchange = Exchange()
        exchange.refuse(Self.lost)
        if line != nil { exchange.news = .lost(Self.lost) }
        return exchange
    }

    /// Rings a connection because the store has news.
    private func ring(_ line: StoreConnectionID, as pulse: ProcessState) {
        // The asking queue may hold a lock.
        if witness.isExchanging { return witness.diary.broke("the store rings before it has answered a queue") }
        lifeline.pass(.ring)
        if pulse.isDead { return }
        if lines[line]?.isRung == true {
            witness.diary.broke("the store rings device \(device) once more before it was asked")
        }
        ring(line)
        lifeline.pass(.rung)
    }

    private func ring(_ line: StoreConnectionID) {
        guard let listener = lines[line]?.listener else { return }
        lines[line]?.isRung = true
        witness.coverage.direct.note(.ring)
        listener.newsArrived()
    }
}
