/// What may be referred to weakly in an engine's place.
///
/// A weak reference makes every later retain of its object slow, and an engine is retained at every step. Whoever owns
/// the engine owns its port; the engine retires when the port goes.
final class EnginePort: Sendable {
    let engine: QueueEngine

    init(_ engine: QueueEngine) {
        self.engine = engine
        engine.link(to: self)
    }

    deinit { engine.retire() }
}

struct WeakPort: Sendable {
    weak let port: EnginePort?
    /// The journal was opened again before there was a port to tell.
    var isSuperseded = false
}

extension QueueEngine {
    /// Falls silent because the journal has been opened again, and says so unless it has fallen silent before.
    func superseded() {
        let isOver = state.withLock { $0.isRetired }
        retire()
        guard !isOver else { return }
        // The queue that has opened the journal may still hold a lock.
        CallScope.afterwards { [log] in
            log(
                "another payment queue has opened this queue's journal; this queue is silent from now on. A journal serves "
                    + "one queue at a time: give each queue its own, or begin the next launch with relaunch()"
            )
        }
    }
}

// MARK: - Whether there is something to do

extension QueueEngine {
    var pulse: (isQuiet: Bool, work: Int) {
        state.withLock { ($0.lane.isQuiet && $0.deliveries.isQuiet, $0.work) }
    }

    func drainHere() -> Bool {
        guard delivery.isHere, state.withLock({ $0.deliveries.isScheduled }) else { return false }
        delivery.begins()
        drainInline()
        return true
    }

    var waitingFor: [String] { state.withLock { $0.machine.waiting } }
}

extension EnginePort: ActivityMember {
    var pulse: (isQuiet: Bool, work: Int) { engine.pulse }
    func drainHere() -> Bool { engine.drainHere() }
    var waitingFor: [String] { engine.waitingFor }
    var callbacksUnderWay: CallbacksUnderWay? {
        let batch = engine.state.withLock { $0.deliveries.batchUnderWay }
        return batch.map { CallbacksUnderWay(of: engine, batch: $0, log: engine.log) }
    }
}

/// An engine's end of one connection.
///
/// Every connection has its own, so that what an earlier one still sends is told apart.
final class EngineConnection: StoreUpdateReceiver {
    private let engine: QueueEngine
    private let generation: Int
    let journal: JournalID

    init(_ engine: QueueEngine, generation: Int, journal: JournalID) {
        self.engine = engine
        self.generation = generation
        self.journal = journal
    }

    func receive(_ batch: UpdateBatch) {
        engine.takeIn { $0.received(batch, generation: generation, &$1) }
    }

    func connectionLost(_ failure: StoreFailure) {
        engine.takeIn { $0.connectionLost(failure, generation: generation, &$1) }
    }
}
