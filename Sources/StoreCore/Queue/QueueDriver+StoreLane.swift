import Dispatch
import Foundation
import Synchronization

// The store lane: performs the machine's actions that concern the store, the journal and the clock.
extension QueueDriver {
    /// Performs the lane's actions until none is left, or until a short run has to end.
    func runLane(_ run: inout LaneRun) {
        // The result of an exchange with an in-process store.
        var exchange = Exchange()
        while !run.isOver {
            if let action = run.batch.popLast() {
                perform(action, &run, &exchange)
            } else {
                state.withLock { run.next(&$0) }
            }
        }
        if run.leavesActions { noteUnsent() }
        downloadEngine.load()?.runWhatWasLeft()
        ringIfQuiet()
    }

    /// Records that a callback has left commands, which `sendUnsent` will send.
    func noteUnsent() { hasUnsent.store(true, ordering: .relaxed) }

    /// Sends the commands that callbacks have left, unless another thread has sent them.
    @inline(__always)
    func sendUnsent(inCallback: Bool) {
        if !hasUnsent.load(ordering: .relaxed) { return }
        hasUnsent.store(false, ordering: .relaxed)
        CallScope.outermost { act(inCallback: inCallback) { $0.machine.sendNext(&$0.actions) } }
    }

    func enqueueLane(isRetired: Bool) {
        // Settling does not wait for a retired driver, but must wait for this work.
        let work = isRetired ? activity.begin() : nil
        laneExecutor?.enqueue {
            var run = LaneRun(isShort: false)
            if self.state.withLock({ run.beginFromOutbox(&$0) }) { CallScope.outermost { self.runLane(&run) } }
            work?.end()
        }
    }

    private func perform(
        _ action: consuming QueueMachine.StoreAction,
        _ run: inout LaneRun,
        _ exchange: inout Exchange
    ) {
        switch consume action {
        case .submit(let commands, let number):
            guard store != nil else { return submit(commands, number: number) }
            ask(commands, submission: number, &run, &exchange)
        case .pull: ask([], submission: nil, &run, &exchange)
        case .connect(let generation, let cursor): connect(generation, after: cursor, &run, &exchange)
        case .disconnect: disconnect(&run)
        case .record(var commands):
            // All waiting records are written at once.
            while case .record(let more)? = run.batch.last {
                commands += more
                run.batch.removeLast()
            }
            record(commands)
        case .forget(let commands): forget(commands)
        case .wake(let timer, let pause): wake(timer, after: pause)
        }
    }

    private func wake(_ timer: QueueMachine.Timer, after pause: TimeInterval) {
        // Captures the link, since a timer must not keep a released driver alive.
        let token = clock.schedule(at: clock.now + pause) { [link] in
            link.driver?.apply { $0.timerFired(timer, &$1) }
        }
        let void = state.withLock { state in
            guard !state.isRetired else { return token as TimerToken? }
            switch timer {
            case .submission: return state.submissionTimer.replace(with: token)
            case .connection: return state.connectionTimer.replace(with: token)
            }
        }
        void?.cancel()
    }

    private func record(_ commands: [StoreCommand]) {
        let outcome: QueueMachine.RecordingOutcome
        do {
            try journal.record(commands)
            outcome = .recorded
        } catch {
            let reason = "the journal cannot keep this payment: \(StoreFailure(error).reason)"
            outcome = error is JournalInDoubtError ? .inDoubt : .failed(.storeKit(.unknown, reason))
            log("the journal cannot be written: \(error)")
        }
        let acknowledged = handle { [now = clock.now] in $0.recorded(commands, outcome, now: now, &$1) }
        if !acknowledged.isEmpty { forget(acknowledged) }
    }

    private func forget(_ commands: [OrderID]) {
        do { try journal.forget(commands) } catch {
            log("the journal cannot forget what is acknowledged; it is sent again at the next launch: \(error)")
        }
    }
}

// MARK: - A store in the process

extension QueueDriver: UpdateListener {
    func updatesArrived() { apply { machine, actions in if machine.connection.isWanted { actions.append(.pull) } } }

    /// Passes commands to the store and the store's response to the machine, and adds the resulting actions to the run.
    private func ask(_ commands: [StoreCommand], submission: Int?, _ run: inout LaneRun, _ exchange: inout Exchange) {
        guard let store else { return }
        if commands.count == 1, !commands[0].hasSpecialTerms {
            store.exchange(commands[0], on: run.connection?.id, into: &exchange)
        } else {
            store.exchange(commands, on: run.connection?.id, into: &exchange)
        }
        let afterwards = exchange.afterwards
        let followUp = exchange.questions.map { FollowUp(questions: $0, activity) }
        let left = state.withLock { state in
            let generation = run.connection?.generation
            state.machine.exchanged(exchange, submission: submission, generation: generation, &state.actions)
            if exchange.hasMore { state.actions.append(.pull) }
            exchange.clear()
            let left = route(&state, &run)
            // If there is an `afterwards`, the lane stays busy until it has notified the store's other connections.
            if afterwards == nil, run.batch.isEmpty { run.next(&state) }
            return left
        }
        if left.contains(.delivering) { scheduleDeliveries() }
        if left.contains(.recorded) { endFinishWaits() }
        afterwards?()
        if let followUp { ask(followUp) }
    }

    /// Asks the authorizer the questions that an exchange has left.
    ///
    /// A store lane with its own executor does not wait for the answers, since updates may arrive before them.
    private func ask(_ followUp: FollowUp) {
        guard let questionExecutor else { return followUp.ask() }
        questionExecutor.enqueue { CallScope.outermost { followUp.ask() } }
    }
}

// MARK: - Connecting

extension QueueDriver {
    private func connect(
        _ generation: Int,
        after cursor: UpdateCursor?,
        _ run: inout LaneRun,
        _ exchange: inout Exchange
    ) {
        if let store {
            connectDirectly(to: store, generation, after: cursor, &run, &exchange)
        } else {
            connectSocket(generation, after: cursor)
        }
    }

    private func connectDirectly(
        to store: any ImmediateStore,
        _ generation: Int,
        after cursor: UpdateCursor?,
        _ run: inout LaneRun,
        _ exchange: inout Exchange
    ) {
        let journal = state.withLock { $0.machine.journal }
        let id = store.openConnection(self, journal: journal, after: cursor)
        let old = state.withLock { state in
            let old = state.direct
            state.direct = state.wants(generation) ? DirectConnection(id: id, generation: generation) : nil
            run.connection = state.direct
            return old
        }
        if let old { store.closeConnection(old.id) }
        if run.connection == nil { store.closeConnection(id) } else { ask([], submission: nil, &run, &exchange) }
    }

    private func connectSocket(_ generation: Int, after cursor: UpdateCursor?) {
        let (old, new) = state.withLock { state in
            let old = state.socket
            let journal = state.machine.journal
            state.socket =
                state.wants(generation) ? SocketConnection(self, generation: generation, journal: journal) : nil
            return (old, state.socket)
        }
        if let old { backend.disconnect(old) }
        guard let new else { return }
        backend.connect(new, after: cursor)
        // If the driver was retired or disconnected during the call, this connection must be disconnected here.
        if state.withLock({ $0.socket !== new }) { backend.disconnect(new) }
    }

    private func disconnect(_ run: inout LaneRun) {
        run.connection = nil
        let (socket, direct) = state.withLock { ($0.socket.take(), $0.direct.take()) }
        close(socket, direct)
    }

    func close(_ socket: SocketConnection?, _ direct: DirectConnection?) {
        if let socket { backend.disconnect(socket) }
        if let direct { store?.closeConnection(direct.id) }
    }
}

extension QueueDriver.State {
    /// Whether the machine still waits for the connection with this number.
    fileprivate func wants(_ generation: Int) -> Bool { !isRetired && machine.connection.generation == generation }
}

/// A run of a driver's store lane by one thread.
struct LaneRun {
    /// Whether the run ends before commands that other threads have added, since sending them would delay a callback.
    let isShort: Bool
    /// The actions to perform, the next one last.
    var batch: [QueueMachine.StoreAction] = []
    private(set) var isOver = false
    /// Whether the run ended with actions left in the outbox.
    private(set) var leavesActions = false
    /// The connection to a store that is called directly.
    var connection: QueueDriver.DirectConnection?

    init(isShort: Bool) { self.isShort = isShort }
}

// Called with the driver's lock held.
extension LaneRun {
    /// Begins the run with the actions that the machine has just produced, bypassing the lane's outbox.
    ///
    /// Returns false, and changes nothing, if a thread is draining the outbox or is about to, or if actions wait in it.
    @inline(__always)
    mutating func beginPastOutbox(_ state: inout QueueDriver.State) -> Bool {
        guard state.lane.begin(with: &state.actions.store, &batch) else { return false }
        begun(&state)
        return true
    }

    /// Begins the run with the actions in the outbox.
    ///
    /// They were left there by a short run, or added by the thread that scheduled the lane. Returns false if there are
    /// none, or if another thread is draining the outbox.
    @inline(__always)
    mutating func beginFromOutbox(_ state: inout QueueDriver.State) -> Bool {
        guard state.lane.begin(&batch) else { return false }
        begun(&state)
        return true
    }

    private mutating func begun(_ state: inout QueueDriver.State) {
        connection = state.direct
        batch.reverseInPlace()
    }

    /// Takes the next batch, or ends the run.
    mutating func next(_ state: inout QueueDriver.State) {
        if isShort, state.lane.isWaiting(where: \.isSubmission) {
            isOver = true
            leavesActions = state.lane.endEarly(&batch)
        } else {
            isOver = !state.lane.take(&batch)
            begun(&state)
        }
    }
}

/// A serial executor of a background lane's work.
package protocol LaneExecutor: Sendable {
    /// Enqueues work to run later, never inside this call.
    func enqueue(_ work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: LaneExecutor {
    package func enqueue(_ work: @escaping @Sendable () -> Void) { async(execute: work) }
}

/// A backend that runs its queues' background lanes itself, as a replayable simulation does.
package protocol LaneProvider: StoreBackend {
    var laneExecutor: any LaneExecutor { get }
}

extension StoreBackend {
    /// Creates the executor of a background lane; returns nil if this backend is called on the caller's thread.
    func makeLaneExecutor(label: String) -> (any LaneExecutor)? {
        switch lane {
        case .caller: nil
        case .background: (self as? any LaneProvider)?.laneExecutor ?? DispatchQueue(label: label)
        }
    }
}

/// The follow-up work of an exchange, to be done when no lock is held.
///
/// Settling waits until this work is done.
struct FollowUp {
    private let work: Activity.Work
    private let afterwards: (@Sendable () -> Void)?
    private let questions: (@Sendable () -> Void)?

    /// Returns nil if an exchange has left no work.
    @inline(__always)
    init?(_ exchange: borrowing Exchange, _ activity: Activity) {
        if exchange.isOver { return nil }
        work = activity.begin()
        afterwards = exchange.afterwards
        questions = exchange.questions
    }

    /// Creates a follow-up that only asks questions.
    init(questions: @escaping @Sendable () -> Void, _ activity: Activity) {
        work = activity.begin()
        afterwards = nil
        self.questions = questions
    }

    /// Notifies other connections and sets the clock; blocks no thread.
    func ring() { afterwards?() }

    /// Asks the authorizer, which may block or use queues, once this thread has no other work for a queue.
    ///
    /// Questions do not nest: if an answer leads to another purchase, the question about that purchase is asked
    /// afterwards.
    func ask() {
        guard let questions else { return work.end() }
        CallScope.inTurn { [work] in
            questions()
            work.end()
        }
    }
}
