import Foundation
import Synchronization

/// The driver of a queue's state machine, which it guards with a lock.
///
/// The driver performs the machine's actions in order, without the lock held, on two lanes. The store lane calls the
/// store and the journal; the observer lane makes callbacks. One thread at a time drains a lane, including actions that
/// other threads add. During a callback, however, its thread does not submit commands that other threads add. While the
/// store lane is idle, an in-process store may be called directly, with the lock held.
final class QueueDriver: Sendable {
    let backend: any StoreBackend
    /// The store, if it is in-process and can be called directly.
    let store: (any ImmediateStore)?
    let journal: any QueueJournal
    let clock: any StoreClock
    let activity: Activity
    let delivery: StoreDelivery
    let log: StoreLog
    let delegate: any QueueDriverDelegate
    /// The executor of the store lane; nil runs it on the calling thread.
    let laneExecutor: (any LaneExecutor)?
    // Whether there is a `laneExecutor`. Stored, since reading the executor would copy it.
    let hasOwnLane: Bool
    /// The executor that asks the authorizer, so that a store lane with its own executor does not wait for answers.
    let questionExecutor: (any LaneExecutor)?
    /// Whether the store is called with the lock held, which is fastest if the calling thread also makes the callbacks.
    ///
    /// If another thread makes the callbacks, the two threads would contend for the lock. In that case, the store is
    /// called without the lock, and the lane is marked as busy.
    private let asksUnderLock: Bool
    /// Whether finishes in a callback that reports several transactions are sent together, once the callback returns.
    ///
    /// True for a store that is called on the callback's thread, since one exchange for all costs less than one for
    /// each.
    private let holdsFinishes: Bool
    let state: Locked<State>
    /// Whether callbacks have left commands to be sent.
    ///
    /// Used by the thread that makes the callbacks.
    let hasUnsent = Atomic<Bool>(false)
    let link: DriverLink
    /// The download engine, created when the downloads of a transaction are first read.
    let downloadEngine = LazyReference<DownloadEngine>()
    /// The reason why the journal could not be read, to be logged without a lock.
    let openingTrouble: String?
    /// A counter that changes when the first observer is added or the last one removed, and when the driver retires.
    ///
    /// Notices of an earlier epoch are not delivered.
    private let epoch = Atomic<Int>(0)

    /// The state under a driver's lock.
    struct State {
        var machine: QueueMachine
        var actions = QueueMachine.Actions()
        var lane = Outbox<QueueMachine.StoreAction>()
        var notices = Outbox<Notice>()
        /// The objects of the transactions whose removal has not been reported, by number.
        var table = SlotTable<AnyObject>()
        /// The connection to a store that is not called directly.
        var socket: SocketConnection?
        /// The connection to a store that is called directly.
        var direct: DirectConnection?
        /// The current exchange; empty between exchanges, and retained for its buffers.
        var exchange = Exchange()
        var isRetired = false
        var submissionTimer: TimerToken?
        var connectionTimer: TimerToken?
        /// A count of changes, from which settling detects that work has been done.
        var work = 0
        /// The closures that wait until a finish is recorded.
        var finishWaits = FinishWaits()

        /// Whether nothing is under way on either lane.
        var isQuiet: Bool { lane.isQuiet && notices.isQuiet }
    }

    struct DirectConnection {
        let id: StoreConnectionID
        /// The machine's number for the connection.
        let generation: Int
    }

    init(
        backend: any StoreBackend,
        journal: any QueueJournal,
        clock: any StoreClock,
        delivery: StoreDelivery,
        log: StoreLog,
        delegate: any QueueDriverDelegate
    ) {
        self.backend = backend
        store = backend as? any ImmediateStore
        self.clock = clock
        activity = clock.activity
        self.delivery = delivery
        self.log = log
        self.delegate = delegate
        laneExecutor = backend.makeLaneExecutor(label: "StoreCore.store-lane")
        hasOwnLane = laneExecutor != nil
        questionExecutor = hasOwnLane && store != nil ? backend.makeLaneExecutor(label: "StoreCore.question-lane") : nil
        holdsFinishes = !hasOwnLane && store != nil
        asksUnderLock = !hasOwnLane && !delivery.hasTurns && store?.isSelfContained == true
        let link = DriverLink(log)
        let contents: JournalContents
        do {
            contents = try journal.open { link.supersede() }
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
        activity.register(link)
        link.attach(self)
    }

    deinit { for wait in state.withLock({ $0.finishWaits.giveUp() }) { wait(false) } }
}

// MARK: - The app

extension QueueDriver {
    func add(_ payment: StorePayment) { add(payment) { _ in true } }

    /// Adds a payment unless `begin` returns false.
    ///
    /// `begin` is called with the lock held and the machine still unchanged.
    @inline(__always)
    func add(_ payment: StorePayment, _ begin: (borrowing QueueMachine) -> Bool) {
        enter { isDelivering in
            act(inCallback: isDelivering) { state in
                guard begin(state.machine) else { return }
                // Not for offers, whose signatures client code may check: it must not run with the lock held.
                guard mayAsk(state), !payment.hasSpecialTerms, let command = state.machine.order(payment) else {
                    return state.machine.add(payment, &state.actions)
                }
                store?.exchange(command, on: state.direct?.id, into: &state.exchange)
                let generation = state.direct?.generation
                state.machine.ordered(payment, command, state.exchange, generation: generation, &state.actions)
            }
        }
    }

    func finish(_ number: Int) -> QueueMachine.FinishAnswer {
        enter { isDelivering in
            act(inCallback: isDelivering) { state in
                guard mayAsk(state), state.machine.mayAsk else {
                    let isHeld = isDelivering && holdsFinishes && !state.isRetired && CallScope.isReportingSeveral
                    if isHeld { noteUnsent() }
                    return state.machine.finish(number, isHeld: isHeld, &state.actions)
                }
                let (answer, command) = state.machine.finishCommand(number, &state.actions)
                guard let command else { return answer }
                store?.exchange(command, on: state.direct?.id, into: &state.exchange)
                let generation = state.direct?.generation
                state.machine.finished(number, command, state.exchange, generation: generation, &state.actions)
                return answer
            }
        }
    }

    func restore(applicationUsername: String?) { apply { $0.restore(applicationUsername: applicationUsername, &$1) } }

    /// Tells the observers again of each unfinished transaction, as an app's return to the foreground does.
    func repeatTransactions() { apply { $0.repeatTransactions(&$1) } }

    /// Asks the app whether the store may now ask for consent to a higher price, if such a consent is pending.
    func askForPriceConsent() {
        guard backend.services.consent?.isPriceConsentPending == true else { return }
        apply { $1.append(.priceConsent) }
    }

    /// Returns the unfinished transactions, oldest first, converted by `own`.
    ///
    /// `own` returns nil for a finished transaction whose removal has not been reported yet.
    func transactions<Object>(_ own: (AnyObject) -> Object?) -> [Object] {
        state.withLock { state in
            var transactions: [Object] = []
            transactions.reserveCapacity(state.table.count)
            state.table.forEach { if let transaction = own($1) { transactions.append(transaction) } }
            return transactions
        }
    }

    /// Whether the removal of a transaction is yet to be reported.
    func isOpen(_ number: Int) -> Bool { state.withLock { $0.table[number] != nil } }

    /// Updates the driver after a change of the observers.
    ///
    /// To be called after every change.
    ///
    /// - Parameter allLeft: whether all previous observers are gone. The current ones, which were added later, then
    ///   receive every unfinished transaction.
    func observersChanged(allLeft: Bool = false) {
        CallScope.outermost {
            if allLeft {
                act { state in
                    if state.machine.isObserved { silence(&state) }
                    state.machine.setObserved(false, &state.actions)
                }
            }
            // Retained until the lock is free, since the deallocation of an observer may call back into the driver.
            var observers: [AnyObject] = []
            act { state in
                observers = delegate.liveObservers
                let isObserved = !observers.isEmpty && !state.isRetired
                if isObserved != state.machine.isObserved { silence(&state) }
                state.machine.setObserved(isObserved, &state.actions)
            }
            withExtendedLifetime(observers) {}
        }
    }

    /// Retires the driver: callbacks stop at once and permanently.
    ///
    /// Later finishes still go to the store. So do pending ones, unless `leavesFinishes` leaves them in the journal.
    func retire(leavesFinishes: Bool = true) {
        CallScope.outermost {
            var connections: (SocketConnection?, DirectConnection?)
            var timers: [TimerToken?] = []
            act { state in
                state.isRetired = true
                silence(&state)
                state.table = SlotTable()
                timers = [state.submissionTimer.take(), state.connectionTimer.take()]
                connections = (state.socket.take(), state.direct.take())
                state.machine.retire(leavesFinishes: leavesFinishes, &state.actions)
            }
            downloadEngine.load()?.retire()
            close(connections.0, connections.1)
            for timer in timers { timer?.cancel() }
        }
    }

    /// Retires the driver, and hides it from settling.
    func release(leavesFinishes: Bool = true) {
        retire(leavesFinishes: leavesFinishes)
        link.detach()
    }

    /// Discards the pending notices, because their observers are gone, but applies their changes.
    private func silence(_ state: inout State) {
        epoch.add(1, ordering: .sequentiallyConsistent)
        for notice in state.notices.waiting {
            // The store sends some updates only once. Without a cursor, its next snapshot repeats them.
            if notice.applyUndelivered(delegate) { state.machine.forgetCursor() }
        }
        state.notices.clear()
    }

    var currentEpoch: Int { epoch.load(ordering: .sequentiallyConsistent) }
}

// MARK: - Events in, actions out

extension QueueDriver {
    /// Handles a request from the app, or an event from the store or the clock.
    func apply<R>(_ event: (inout QueueMachine, inout QueueMachine.Actions) -> R) -> R {
        enter { isDelivering in
            act(inCallback: isDelivering) { event(&$0.machine, &$0.actions) }
        }
    }

    /// Runs a call from outside the driver.
    ///
    /// Observers that were deallocated without having been removed are first treated as removed.
    @inline(__always)
    private func enter<R>(_ body: (_ isDelivering: Bool) -> R) -> R {
        CallScope.outermost(of: self) { isDelivering in
            // Within a callback, the observers that are being called are alive.
            if !isDelivering { delegate.noticeDeallocatedObservers() }
            return body(isDelivering)
        }
    }

    /// Passes an event to the machine under the lock, then performs its actions.
    @discardableResult
    func handle<R>(_ event: (inout QueueMachine, inout QueueMachine.Actions) -> R) -> R {
        act { event(&$0.machine, &$0.actions) }
    }

    /// Runs a closure under the lock, then performs the machine's actions.
    @discardableResult
    @inline(__always)
    func act<R>(inCallback: Bool = false, _ body: (inout State) -> R) -> R {
        var run = LaneRun(isShort: inCallback)
        var followUp: FollowUp?
        let (result, left) = state.withLock { state in
            let result = body(&state)
            if asksUnderLock { followUp = ask(&state) }
            return (result, route(&state, &run))
        }
        if left.contains(.delivering) { scheduleDeliveries() }
        if left.contains(.recorded) { endFinishWaits() }
        if let followUp {
            followUp.ring()
            followUp.ask()
        }
        if left.contains(.lane) { runLane(&run) }
        downloadEngine.load()?.runWhatWasLeft()
        return result
    }

    /// The work that `route` leaves for its caller, to be done when no lock is held.
    struct Left: OptionSet {
        let rawValue: UInt8
        /// The store lane must be run.
        static let lane = Left(rawValue: 1)
        /// The observer lane must be scheduled.
        static let delivering = Left(rawValue: 2)
        /// Closures that waited for the record of a finish must be called.
        static let recorded = Left(rawValue: 4)
    }

    /// Moves the machine's actions to their lanes, and begins a run if there is work for its thread.
    @inline(__always)
    func route(_ state: inout State, _ run: inout LaneRun) -> Left {
        var left = Left(rawValue: 0)
        if hasOwnLane {
            if !state.actions.store.isEmpty {
                state.work &+= 1
                state.lane.append(from: &state.actions.store)
                if state.lane.schedule() { enqueueLane(isRetired: state.isRetired) }
            }
        } else {
            if !state.actions.store.isEmpty {
                state.work &+= 1
                if run.beginPastOutbox(&state) {
                    left.insert(.lane)
                } else {
                    state.lane.append(from: &state.actions.store)
                }
            }
            // This run also performs actions that a callback has left in the outbox.
            if run.beginFromOutbox(&state) { left.insert(.lane) }
        }
        if !state.actions.observers.isEmpty { noteObserverActions(&state) }
        if !state.finishWaits.isEmpty, state.mustEndFinishWaits { left.insert(.recorded) }
        if state.notices.schedule() { left.insert(.delivering) }
        return left
    }

    /// Whether the store may be called directly, with the lock held.
    @inline(__always)
    private func mayAsk(_ state: borrowing State) -> Bool { asksUnderLock && state.lane.isIdle }

    /// Concludes an exchange made with the lock held.
    ///
    /// Makes further exchanges as long as the machine's only action for the store is another exchange.
    @inline(__always)
    private func ask(_ state: inout State) -> FollowUp? {
        if let followUp = conclude(&state) { return followUp }
        while state.actions.store.count == 1, state.lane.isIdle {
            if !askNext(&state) { return nil }
            if let followUp = conclude(&state) { return followUp }
        }
        return nil
    }

    private func askNext(_ state: inout State) -> Bool {
        let generation = state.direct?.generation
        switch state.actions.store[0] {
        case .submit(let commands, let number):
            if commands.contains(where: \.hasSpecialTerms) { return false }
            store?.exchange(commands, on: state.direct?.id, into: &state.exchange)
            state.actions.store.removeLast()
            state.machine.exchanged(state.exchange, submission: number, generation: generation, &state.actions)
        case .pull:
            store?.exchange([], on: state.direct?.id, into: &state.exchange)
            state.actions.store.removeLast()
            state.machine.exchanged(state.exchange, submission: nil, generation: generation, &state.actions)
        case .connect, .disconnect, .record, .forget, .wake: return false
        }
        state.work &+= 1
        return true
    }

    /// Clears the exchange after the machine has processed it; returns the follow-up work.
    @inline(__always)
    private func conclude(_ state: inout State) -> FollowUp? {
        if state.exchange.hasMore { state.actions.append(.pull) }
        let followUp = FollowUp(state.exchange, activity)
        state.exchange.clear()
        return followUp
    }

    /// Wakes settling threads if both lanes are idle.
    ///
    /// A thread woken at every intermediate step would contend for the lock with the working one.
    func ringIfQuiet() {
        if activity.isAwaited, state.withLock({ $0.isQuiet }) { activity.changed() }
    }

    func scheduleDeliveries() {
        delivery.schedule(self, log)
        if case .inline = delivery { return }
        // The thread that is to deliver may itself be waiting for the store to settle.
        activity.changed()
    }
}

/// A delegate that creates the objects that observers see, and calls the observers.
///
/// To the driver, a transaction is an opaque object created by the delegate.
protocol QueueDriverDelegate: AnyObject, Sendable {
    /// Creates the object of a payment. Called with the driver's lock held; must not call the driver.
    func makeTransaction(_ number: Int, _ payment: StorePayment, in driver: QueueDriver) -> AnyObject
    /// Creates the object of a transaction that the store sent. Called with the driver's lock held.
    func makeTransaction(_ number: Int, _ transaction: StoreTransaction, in driver: QueueDriver) -> AnyObject
    /// Applies a change to a transaction's object. Called with the driver's lock held or from `deliver`, never
    /// concurrently for one object.
    func apply(_ change: StoreTransaction, to transaction: AnyObject)
    /// Applies a report to a download's object. Called under the same conditions as `apply(_:to:)`.
    func apply(_ report: DownloadReport, toDownload download: AnyObject)
    /// Marks a transaction's object as finished, so that it changes no more. Called with the driver's lock held.
    func markFinished(_ transaction: AnyObject)
    /// Marks a transaction's object as finished, before its removal is reported; returns false if it is marked already.
    func markRemoved(_ transaction: AnyObject) -> Bool
    /// The observers that still exist. Called with the driver's lock held; the caller releases them without the lock.
    var liveObservers: [AnyObject] { get }
    /// Calls the driver's `observersChanged` if all observers were deallocated without having been removed. Called
    /// without a lock.
    func noticeDeallocatedObservers()
    /// Takes the driver's pending notices until none is left, and calls the observers for each.
    ///
    /// Called without a lock, by one thread at a time.
    func deliver(_ driver: QueueDriver)
}

/// A driver's end of one connection to a store that is not called directly.
///
/// Every connection has its own receiver, so that updates from an earlier connection are recognized and ignored.
final class SocketConnection: StoreUpdateReceiver {
    private let driver: QueueDriver
    private let generation: Int
    let journal: JournalID
    private let begun: Date

    init(_ driver: QueueDriver, generation: Int, journal: JournalID) {
        self.driver = driver
        self.generation = generation
        self.journal = journal
        begun = driver.clock.now
    }

    func receive(_ batch: UpdateBatch) { driver.apply { $0.received(batch, generation: generation, &$1) } }

    func connectionLost(_ failure: StoreFailure) {
        let duration = driver.clock.now.timeIntervalSince(begun)
        driver.apply { $0.connectionLost(failure, generation: generation, after: duration, &$1) }
    }
}

extension QueueDriver {
    /// Submits commands to a store that replies asynchronously.
    func submit(_ commands: [StoreCommand], number: Int) {
        backend.submit(commands) { reply in
            if case .refused(let refused) = reply { self.logFinishes(of: commands, among: refused) }
            self.apply { [now = self.clock.now] in $0.replied(reply, to: number, now: now, &$1) }
        }
        handle { $0.submissionReturned(number, &$1) }
    }

    /// Logs refused finishes, since observers are not notified of them.
    private func logFinishes(of commands: [StoreCommand], among refused: [RefusedCommand]) {
        for command in commands {
            guard case .finish(let transaction) = command.action,
                let failure = refused.first(where: { $0.id == command.id })?.failure
            else { continue }
            log("the store refuses the finish of transaction \(transaction.prefix(64)): \(failure.reason)")
        }
    }
}
