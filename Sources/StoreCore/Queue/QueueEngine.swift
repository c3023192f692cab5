import Foundation
import Synchronization

/// Drives a queue's machine: owns the lock, runs the actions outside it and keeps their order.
///
/// Two lanes. The store lane talks to the store and the journal; the delivery lane talks to the observers. Neither waits
/// for the other.
final class QueueEngine: Sendable {
    let backend: any StoreBackend
    private let journal: any QueueJournal
    let timekeeper: any Timekeeper
    let activity: Activity
    let delivery: StoreDelivery
    let log: StoreLog
    private let stage: any QueueStage
    /// Runs the store lane; nil runs it on the calling thread.
    private let laneExecutor: (any LaneExecutor)?
    let state: Locked<State>
    let link: Locked<WeakPort>
    /// Made when the first transaction is asked for its downloads.
    let downloadEngine = LazyReference<DownloadEngine>()
    /// What kept the journal from being read, to be logged without a lock.
    let openingTrouble: String?
    /// Changes when observers come first or go last, and when the engine retires: what belongs to an earlier epoch is
    /// told to nobody.
    private let epoch = Atomic<Int>(0)

    init(
        backend: any StoreBackend,
        journal: any QueueJournal,
        timekeeper: any Timekeeper,
        delivery: StoreDelivery,
        log: StoreLog,
        stage: any QueueStage
    ) {
        self.backend = backend
        self.timekeeper = timekeeper
        activity = timekeeper.activity
        self.delivery = delivery
        self.log = log
        self.stage = stage
        laneExecutor = backend.makeLaneExecutor(label: "StoreCore.store-lane")
        let link = Locked(WeakPort(port: nil))
        let contents: JournalContents
        do {
            contents = try journal.open {
                let port = link.withLock { link in
                    link.isSuperseded = true
                    return link.port
                }
                port?.engine.superseded()
            }
            self.journal = journal
            openingTrouble = nil
        } catch {
            openingTrouble = "the journal cannot be opened: \(error)"
            contents = JournalContents(id: .unique(), commands: [])
            self.journal = UnreadableJournal(error: StoreFailure(error))
        }
        state = Locked(State(machine: QueueMachine(journal: contents.id)))
        self.link = link
        delivery.prepare()
        if !contents.commands.isEmpty { handle { $0.adopt(contents.commands, &$1) } }
    }
}

// MARK: - The app

extension QueueEngine {
    /// To be called once, by the port.
    func link(to port: EnginePort) {
        let isSuperseded = link.withLock { link in
            link = WeakPort(port: port, isSuperseded: link.isSuperseded)
            return link.isSuperseded
        }
        activity.register(port)
        if isSuperseded { superseded() }
    }

    func add(_ payment: StorePayment) { takeIn { $0.add(payment, &$1) } }

    func finish(_ number: Int) -> QueueMachine.FinishAnswer { takeIn { $0.finish(number, &$1) } }

    func restore(applicationUsername: String?) {
        takeIn { $0.restore(applicationUsername: applicationUsername, &$1) }
    }

    /// To be called after every change of the observers: asks the stage how it is now.
    ///
    /// - Parameter allLeft: the observers that were there are all gone. Whoever is there now came after them, and is to hear
    ///   of everything unfinished.
    func observersChanged(allLeft: Bool = false) {
        CallScope.outermost {
            if allLeft { handle(before: { if $0.machine.isObserved { silence(&$0) } }) { $0.setObserved(false, &$1) } }
            // Held until the lock is free: what an observer does when it goes may lead back here.
            var observers: [AnyObject] = []
            var isObserved = false
            handle(before: { state in
                observers = stage.liveObservers
                isObserved = !observers.isEmpty && !state.isRetired
                if isObserved != state.machine.isObserved { silence(&state) }
            }) { machine, actions in machine.setObserved(isObserved, &actions) }
            withExtendedLifetime(observers) {}
        }
    }

    /// The app is at the front: what its user is to be asked may be asked.
    func askForPriceConsent() {
        guard backend.isPriceConsentPending else { return }
        takeIn { $1.append(.priceConsent) }
    }

    /// Falls silent at once and for good.
    ///
    /// What is finished on it still goes to its store; what was finished before and waits, unless the journal's next queue
    /// will find it there.
    func retire(leavesFinishes: Bool = true) {
        CallScope.outermost {
            var connection: EngineConnection?
            var timers: [TimerToken?] = []
            handle(before: { state in
                state.isRetired = true
                silence(&state)
                state.table = SlotTable()
                timers = [state.submissionTimer.take(), state.connectionTimer.take()]
                connection = state.connection.take()
            }) { $0.retire(leavesFinishes: leavesFinishes, &$1) }
            downloadEngine.load()?.retire()
            if let connection { backend.disconnect(connection) }
            for timer in timers { timer?.cancel() }
        }
    }

    /// What is waiting to be told belongs to observers that have gone.
    private func silence(_ state: inout State) {
        epoch.add(1, ordering: .sequentiallyConsistent)
        for delivery in state.deliveries.waiting {
            switch delivery {
            case .changed(let transaction, let change): stage.apply(change, to: transaction)
            case .download(let download, let report): stage.apply(report, toDownload: download)
            // The store still owes this to whoever observes next: it is asked for all that is open.
            case .told: state.machine.forgetCursor()
            default: break
            }
        }
        state.deliveries.clear()
    }
}

// MARK: - Events in, actions out

extension QueueEngine {
    /// Takes in what the app asks for, or what the store or the clock brings.
    ///
    /// From here on observers that were deallocated without having been removed count as removed.
    func takeIn<R>(_ event: (inout QueueMachine, inout [QueueMachine.Action]) -> R) -> R {
        CallScope.outermost {
            stage.noticeDeallocatedObservers()
            return handle(event)
        }
    }

    @discardableResult
    func handle<R>(
        before: (inout State) -> Void = { _ in },
        _ event: (inout QueueMachine, inout [QueueMachine.Action]) -> R
    ) -> R {
        var batch: [QueueMachine.Action] = []
        let (result, runsLane, drains) = state.withLock { state in
            before(&state)
            let result = event(&state.machine, &state.actions)
            route(&state)
            let mustRun = state.lane.schedule()
            let runsLane = mustRun && laneExecutor == nil && state.lane.begin(&batch)
            if mustRun, let laneExecutor {
                // Whoever settles does not see a retired engine any more.
                let work = state.isRetired ? activity.begin() : nil
                laneExecutor.enqueue {
                    self.runLaneFromQueue()
                    work?.end()
                }
            }
            return (result, runsLane, state.deliveries.schedule())
        }
        if runsLane { runLane(&batch) }
        downloadEngine.load()?.runWhatWasLeft()
        if drains { scheduleDeliveries() }
        return result
    }

    private func scheduleDeliveries() {
        delivery.schedule(self, log)
        if case .inline = delivery { return }
        // Somebody may be settling on the very thread that is to deliver.
        activity.changed()
    }

    /// Sends each action to its lane, with the objects that it is about.
    private func route(_ state: inout State) {
        guard !state.actions.isEmpty else { return }
        state.work &+= 1
        // From the end each can be moved out rather than copied.
        state.actions.turnRound()
        while let action = state.actions.popLast() {
            if action.isForStore {
                state.lane.append(action)
            } else if !state.isRetired, let delivery = makeDelivery(of: action, &state) {
                // A retired engine has nobody to tell; a transaction made now would keep it alive for ever.
                tell(delivery, &state)
            }
        }
        if state.actions.capacity > 4096 { state.actions = [] }
    }

    /// What observers are to be told, with the object that it is about; nil for an object that is not there any more.
    @inline(__always)
    private func makeDelivery(of action: consuming QueueMachine.Action, _ state: inout State) -> Delivery? {
        switch consume action {
        case .connect, .disconnect, .submit, .record, .forget, .wake: return nil
        case .show(let number, let payment):
            let transaction = stage.makeTransaction(number, payment, in: self)
            state.table.insert(transaction, at: number)
            return .shown(transaction)
        case .bring(let number, let value):
            let transaction = stage.makeTransaction(number, value, in: self)
            state.table.insert(transaction, at: number)
            return .shown(transaction)
        case .change(let number, let value):
            guard let transaction = state.table[number] else { return nil }
            return .changed(transaction, value)
        case .again(let number): return state.table[number].map { .again($0) }
        case .withdraw(let number):
            if let transaction = state.table[number] { withdraw(transaction, number, &state) }
            return nil
        case .remove(let number):
            guard let transaction = state.table.remove(number) else { return nil }
            // What the store removed by itself has not been withdrawn.
            withdraw(transaction, number, &state)
            return .removed(transaction)
        case .restoreEnded(let failure): return .restoreEnded(failure)
        case .mayContinue(let number, let identifier, let storefront):
            return state.table[number].map { .mayContinue($0, identifier: identifier, storefront) }
        case .storefrontChanged: return .storefrontChanged
        case .priceConsent: return .priceConsent
        case .revoked(let identifiers): return .revoked(identifiers)
        case .promoted(let payment, let product): return .promoted(payment, product)
        case .told(let cursor): return .told(cursor)
        case .download(let number, let report):
            return downloadEngine.load()?.object(number).map { .download($0, report) }
        }
    }

    /// Ends what a transaction has under way: it is off the list, and changes no more.
    private func withdraw(_ transaction: AnyObject, _ number: Int, _ state: inout State) {
        stage.markFinished(transaction)
        for ended in downloadEngine.load()?.end(number) ?? [] { tell(ended, &state) }
    }

    private func tell(_ delivery: Delivery, _ state: inout State) {
        if state.machine.isObserved {
            state.deliveries.append(delivery)
        } else if case .changed(let transaction, let change) = delivery {
            stage.apply(change, to: transaction)
        } else if case .download(let download, let report) = delivery {
            stage.apply(report, toDownload: download)
        }
    }
}

// MARK: - The store lane

extension QueueEngine {
    private func runLaneFromQueue() {
        var batch: [QueueMachine.Action] = []
        guard state.withLock({ $0.lane.begin(&batch) }) else { return }
        CallScope.outermost { runLane(&batch) }
    }

    private func runLane(_ batch: inout [QueueMachine.Action]) {
        var returned: Int?
        repeat {
            returned = nil
            batch.turnRound()
            while let action = batch.popLast() {
                perform(action, &batch, &returned)
                // Whatever comes behind a submission comes after its return.
                if let number = returned, !batch.isEmpty {
                    handle { $0.submissionReturned(number, &$1) }
                    returned = nil
                }
            }
        } while state.withLock { state in
            if let returned {
                state.machine.submissionReturned(returned, &state.actions)
                route(&state)
            }
            return state.lane.take(&batch)
        }
        activity.changed()
    }

    /// Does one thing; `rest` lies behind it, the next one last.
    private func perform(
        _ action: QueueMachine.Action,
        _ rest: inout [QueueMachine.Action],
        _ returned: inout Int?
    ) {
        switch action {
        case .connect(let generation, let cursor): connect(generation, after: cursor)
        case .disconnect: disconnect()
        case .submit(let commands, let number):
            submit(commands, number: number)
            returned = number
        case .record(var commands):
            // What waits to be written is written at once.
            while case .record(let more)? = rest.last {
                commands += more
                rest.removeLast()
            }
            record(commands)
        case .forget(let commands): forget(commands)
        case .wake(let timer, let pause):
            wake(timer, after: pause)
        default: fatalError("\(action) belongs to the delivery lane")
        }
    }

    private func wake(_ timer: QueueMachine.Timer, after pause: TimeInterval) {
        // A timer keeps no engine alive that nobody owns any more.
        let token = timekeeper.schedule(at: timekeeper.now + pause) { [link] in
            guard let port = link.withLock({ $0.port }) else { return }
            port.engine.takeIn { $0.timerFired(timer, &$1) }
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

    private func connect(_ generation: Int, after cursor: UpdateCursor?) {
        let previous = state.withLock { state in
            let previous = state.connection
            let isWanted = !state.isRetired && state.machine.connection.generation == generation
            let journal = state.machine.journal
            state.connection = isWanted ? EngineConnection(self, generation: generation, journal: journal) : nil
            return (previous, state.connection)
        }
        if let old = previous.0 { backend.disconnect(old) }
        guard let new = previous.1 else { return }
        backend.connect(new, after: cursor)
        // Retired or cut off meanwhile, it would never be disconnected.
        if state.withLock({ $0.connection !== new }) { backend.disconnect(new) }
    }

    private func disconnect() {
        if let connection = state.withLock({ $0.connection.take() }) { backend.disconnect(connection) }
    }

    private func submit(_ commands: [StoreCommand], number: Int) {
        backend.submit(commands) { reply in self.takeIn { $0.replied(reply, to: number, &$1) } }
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

// MARK: - The delivery lane

extension QueueEngine: InlineDrain {
    func drainInline() {
        CallScope.delivering { stage.drain(self) }
        activity.changed()
    }

    var currentEpoch: Int { epoch.load(ordering: .sequentiallyConsistent) }
    func acknowledge(through cursor: UpdateCursor) { backend.acknowledge(through: cursor) }

    /// Nobody heard what was to be told: whoever observes next has the store send it once more.
    func askAgain() { state.withLock { $0.machine.forgetCursor() } }
}
