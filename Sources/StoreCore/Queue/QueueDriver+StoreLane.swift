import Foundation

/// The work of the one thread that runs a driver's store lane.
struct LaneRun {
    /// What is to be done, the next one last.
    var batch: [QueueMachine.StoreAction] = []
    var isOver = false
    /// The connection to a store that is asked directly.
    var connection: QueueDriver.DirectConnection?
    /// What such a store answers.
    var exchange = Exchange()

    /// Takes the next batch, or ends.
    ///
    /// Called with the driver's lock held.
    mutating func next(_ state: inout QueueDriver.State) {
        isOver = !state.lane.take(&batch)
        connection = state.direct
        batch.turnRound()
    }
}

// What the machine wants of the store, the journal and the clock.
extension QueueDriver {
    /// Runs the lane until nothing is left, beginning with a batch.
    func runLane(_ batch: inout [QueueMachine.StoreAction]) {
        var run = LaneRun()
        swap(&run.batch, &batch)
        run.batch.turnRound()
        run.connection = state.withLock { $0.direct }
        while !run.isOver {
            if let action = run.batch.popLast() {
                perform(action, &run)
            } else {
                state.withLock { run.next(&$0) }
            }
        }
        downloadEngine.load()?.runWhatWasLeft()
        activity.changed()
    }

    func enqueueLane(isRetired: Bool) {
        // Whoever settles does not see a retired driver any more.
        let work = isRetired ? activity.begin() : nil
        laneExecutor?.enqueue {
            var batch: [QueueMachine.StoreAction] = []
            if self.state.withLock({ $0.lane.begin(&batch) }) { CallScope.outermost { self.runLane(&batch) } }
            work?.end()
        }
    }

    private func perform(_ action: consuming QueueMachine.StoreAction, _ run: inout LaneRun) {
        switch consume action {
        case .submit(let commands, let number):
            if store == nil { submit(commands, number: number) } else { ask(commands, submission: number, &run) }
        case .pull:
            ask([], submission: nil, &run)
        case .connect(let generation, let cursor): connect(generation, after: cursor, &run)
        case .disconnect: disconnect(&run)
        case .record(var commands):
            // What waits to be written is written at once.
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
        // A timer keeps no driver alive that nobody owns any more.
        let token = timekeeper.schedule(at: timekeeper.now + pause) { [link] in
            link.driver?.takeIn { $0.timerFired(timer, &$1) }
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
        var failure: StoreFailure?
        do { try journal.record(commands) } catch {
            failure = .storeKit(.unknown, "the journal cannot keep this payment: \(StoreFailure(error).reason)")
            log("the journal cannot be written: \(error)")
        }
        let acknowledged = handle { [now = timekeeper.now] in
            $0.recorded(commands, failure: failure, now: now, &$1)
        }
        if !acknowledged.isEmpty { forget(acknowledged) }
    }

    private func forget(_ commands: [OrderID]) {
        do { try journal.forget(commands) } catch {
            log("the journal cannot forget what is acknowledged; it is sent again at the next launch: \(error)")
        }
    }
}

// MARK: - A store in the process

extension QueueDriver: NewsListener {
    func newsArrived() {
        takeIn { machine, actions in if machine.connection.isWanted { actions.append(.pull) } }
    }

    /// Hands commands to the store, gives the machine what it answers, and goes on with the lane.
    private func ask(_ commands: [StoreCommand], submission: Int?, _ run: inout LaneRun) {
        guard let store else { return }
        store.exchange(commands, on: run.connection?.id, into: &run.exchange)
        let afterwards = run.exchange.afterwards
        let followUp = run.exchange.questions.map { FollowUp(questions: $0, activity) }
        let left = state.withLock { state in
            let generation = run.connection?.generation
            state.machine.exchanged(run.exchange, submission: submission, generation: generation, &state.actions)
            if run.exchange.hasMore { state.actions.append(.pull) }
            run.exchange.clear()
            var none: [QueueMachine.StoreAction] = []
            let left = route(&state, &none)
            // Until everybody has been rung the lane is not at rest.
            if afterwards == nil, run.batch.isEmpty { run.next(&state) }
            return left
        }
        if left.contains(.delivering) { scheduleDeliveries() }
        afterwards?()
        if let followUp { ask(followUp) }
    }

    /// Asks what an exchange has left to ask, where the lane does not wait for the answer: news comes in meanwhile.
    private func ask(_ followUp: FollowUp) {
        guard let questionExecutor else { return followUp.ask() }
        questionExecutor.enqueue { CallScope.outermost { followUp.ask() } }
    }
}

// MARK: - Connecting

extension QueueDriver {
    private func connect(_ generation: Int, after cursor: UpdateCursor?, _ run: inout LaneRun) {
        if let store {
            connectDirectly(to: store, generation, after: cursor, &run)
        } else {
            connectSocket(generation, after: cursor)
        }
    }

    private func connectDirectly(
        to store: any ImmediateStore,
        _ generation: Int,
        after cursor: UpdateCursor?,
        _ run: inout LaneRun
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
        if run.connection == nil { store.closeConnection(id) } else { ask([], submission: nil, &run) }
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
        // Retired or cut off meanwhile, it would never be disconnected.
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
    /// Whether the machine still waits for a connection.
    fileprivate func wants(_ generation: Int) -> Bool {
        !isRetired && machine.connection.generation == generation
    }
}
