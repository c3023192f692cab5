import Foundation
import Synchronization

/// Drives a queue's machine: owns the lock, runs the machine's actions outside it, and keeps their order.
///
/// There are two lanes. The store lane talks to the store and the journal, the observer lane makes callbacks. Each is worked
/// off by one thread at a time, which takes what others add meanwhile. A thread that makes callbacks leaves to others what they
/// have added to the store lane, until the callback returns. While the store lane is idle, a store in the process may be asked
/// past it, with the lock held.
final class QueueDriver: Sendable {
    let backend: any StoreBackend
    /// The store, if it is in the process and can be asked directly.
    let store: (any ImmediateStore)?
    let journal: any QueueJournal
    let clock: any StoreClock
    let activity: Activity
    let delivery: StoreDelivery
    let log: StoreLog
    let delegate: any QueueDriverDelegate
    /// Runs the store lane; nil runs it on the calling thread.
    let laneExecutor: (any LaneExecutor)?
    // To look at the executor would copy it.
    let hasOwnLane: Bool
    /// Asks the authorizer where the store lane has an executor of its own, which must not wait for the answer.
    let questionExecutor: (any LaneExecutor)?
    /// Whether the store is asked with the lock held, which is quickest where the thread that asks makes the callbacks as well.
    ///
    /// Where another thread makes them, the two would wait for each other: there the lane is marked as busy instead.
    private let asksUnderLock: Bool
    /// Whether the transactions that a callback finishes of several go to the store together, once the callback returns.
    ///
    /// One that is asked by the thread that makes the callback, and takes less for all than for each.
    private let holdsFinishes: Bool
    let state: Locked<State>
    /// Whether callbacks have left something to be sent.
    ///
    /// Used by the thread that makes them.
    let hasUnsent = Atomic<Bool>(false)
    let link: DriverLink
    /// Made when the first transaction is asked for its downloads.
    let downloadEngine = LazyReference<DownloadEngine>()
    /// What kept the journal from being read, to be logged without a lock.
    let openingTrouble: String?
    /// Changes when observers come first or go last, and when the driver retires: what belongs to an earlier epoch is told to
    /// nobody.
    private let epoch = Atomic<Int>(0)

    /// What a driver keeps under its lock.
    struct State {
        var machine: QueueMachine
        var actions = QueueMachine.Actions()
        var lane = Outbox<QueueMachine.StoreAction>()
        var notices = Outbox<Notice>()
        /// The open transactions, as the delegate's objects.
        var table = SlotTable<AnyObject>()
        /// The connection to a store elsewhere.
        var socket: SocketConnection?
        /// The connection to a store that is asked directly.
        var direct: DirectConnection?
        /// Empty between two exchanges; kept for its buffers.
        var exchange = Exchange()
        var isRetired = false
        var submissionTimer: TimerToken?
        var connectionTimer: TimerToken?
        /// Counts changes, for whoever settles.
        var work = 0

        /// Whether nothing is under way on either lane.
        var isQuiet: Bool { lane.isQuiet && notices.isQuiet }
    }

    struct DirectConnection {
        let id: StoreConnectionID
        /// The machine's number for it.
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
}

// MARK: - The app

extension QueueDriver {
    func add(_ payment: StorePayment) {
        enter { isDelivering in
            act(inCallback: isDelivering) { state in
                // Signatures of discounts are checked by a client's code.
                guard mayAsk(state), !payment.hasDiscount, let command = state.machine.order(payment) else {
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
                    let isHeld = isDelivering && holdsFinishes && !state.isRetired && CallScope.isTellingOfSeveral
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

    func restore(applicationUsername: String?) {
        takeIn { $0.restore(applicationUsername: applicationUsername, &$1) }
    }

    /// Tells the store that the app is at the front, where its user may be asked something.
    func askForPriceConsent() {
        guard backend.isPriceConsentPending else { return }
        takeIn { $1.append(.priceConsent) }
    }

    /// Returns the unfinished transactions, oldest first, as `own` converts them.
    ///
    /// `own` returns nil for a transaction that is finished and waits for its removal to be reported.
    func transactions<Object>(_ own: (AnyObject) -> Object?) -> [Object] {
        state.withLock { state in
            var transactions: [Object] = []
            transactions.reserveCapacity(state.table.count)
            state.table.forEach { if let transaction = own($1) { transactions.append(transaction) } }
            return transactions
        }
    }

    /// Whether the driver still has something to tell of a transaction.
    func isOpen(_ number: Int) -> Bool { state.withLock { $0.table[number] != nil } }

    /// Looks at the observers anew.
    ///
    /// To be called after every change of them.
    ///
    /// - Parameter allLeft: the observers that were there are all gone. Whoever is there now came after them, and is to hear
    ///   of everything unfinished.
    func observersChanged(allLeft: Bool = false) {
        CallScope.outermost {
            if allLeft {
                act { state in
                    if state.machine.isObserved { silence(&state) }
                    state.machine.setObserved(false, &state.actions)
                }
            }
            // Held until the lock is free: what an observer does when it goes may lead back here.
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

    /// Falls silent at once and for good.
    ///
    /// What is finished on it still goes to its store; what was finished before and waits, unless the journal's next queue
    /// will find it there.
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

    /// Retires, and is no longer seen by whoever settles.
    func release(leavesFinishes: Bool = true) {
        retire(leavesFinishes: leavesFinishes)
        link.detach()
    }

    /// Forgets what is waiting to be told: it belongs to observers that have gone.
    private func silence(_ state: inout State) {
        epoch.add(1, ordering: .sequentiallyConsistent)
        for notice in state.notices.waiting {
            switch notice {
            case .changed(let transaction, let change): delegate.apply(change, to: transaction)
            case .download(let download, let report): delegate.apply(report, toDownload: download)
            // The store still owes this to whoever observes next: it is asked for all that is open.
            case .told: state.machine.forgetCursor()
            default: break
            }
        }
        state.notices.clear()
    }

    var currentEpoch: Int { epoch.load(ordering: .sequentiallyConsistent) }
}

// MARK: - Events in, actions out

extension QueueDriver {
    /// Handles what the app asks for, or what the store or the clock brings.
    func takeIn<R>(_ event: (inout QueueMachine, inout QueueMachine.Actions) -> R) -> R {
        enter { isDelivering in
            act(inCallback: isDelivering) { event(&$0.machine, &$0.actions) }
        }
    }

    /// Runs what comes from outside.
    ///
    /// From here on observers that were deallocated without having been removed count as removed.
    @inline(__always)
    private func enter<R>(_ body: (_ isDelivering: Bool) -> R) -> R {
        CallScope.outermost(of: self) { isDelivering in
            // Observers that are being called are there.
            if !isDelivering { delegate.noticeDeallocatedObservers() }
            return body(isDelivering)
        }
    }

    /// Gives the machine an event under the lock, then does what it decides.
    @discardableResult
    func handle<R>(_ event: (inout QueueMachine, inout QueueMachine.Actions) -> R) -> R {
        act { event(&$0.machine, &$0.actions) }
    }

    /// Does something under the lock, then what the machine has decided in it.
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
        if let followUp {
            followUp.ring()
            followUp.ask()
        }
        if left.contains(.lane) { runLane(&run) }
        downloadEngine.load()?.runWhatWasLeft()
        return result
    }

    /// What a caller has to see to once it holds no lock.
    struct Left: OptionSet {
        let rawValue: UInt8
        /// To run the store lane.
        static let lane = Left(rawValue: 1)
        /// To schedule the observer lane.
        static let delivering = Left(rawValue: 2)
    }

    /// Moves the machine's actions to their lanes, and begins a run if there is something to do for its thread.
    @inline(__always)
    func route(_ state: inout State, _ run: inout LaneRun) -> Left {
        var left: Left = []
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
            // What a callback has left there goes along.
            if run.beginFromOutbox(&state) { left.insert(.lane) }
        }
        if !state.actions.observers.isEmpty { noteObserverActions(&state) }
        if state.notices.schedule() { left.insert(.delivering) }
        return left
    }

    /// Whether the store may be asked at once, with the lock held.
    @inline(__always)
    private func mayAsk(_ state: borrowing State) -> Bool { asksUnderLock && state.lane.isIdle }

    /// Concludes an exchange that was made with the lock held, and makes more for as long as that is all that the machine wants.
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
            if commands.contains(where: \.hasDiscount) { return false }
            store?.exchange(commands, on: state.direct?.id, into: &state.exchange)
            state.actions.store.removeLast()
            state.machine.exchanged(state.exchange, submission: number, generation: generation, &state.actions)
        case .pull:
            store?.exchange([], on: state.direct?.id, into: &state.exchange)
            state.actions.store.removeLast()
            state.machine.exchanged(state.exchange, submission: nil, generation: generation, &state.actions)
        default: return false
        }
        state.work &+= 1
        return true
    }

    /// Empties the exchange, of which the machine has been told.
    @inline(__always)
    private func conclude(_ state: inout State) -> FollowUp? {
        if state.exchange.hasMore { state.actions.append(.pull) }
        let followUp = FollowUp(state.exchange, activity)
        state.exchange.clear()
        return followUp
    }

    /// Wakes whoever settles if both lanes have come to rest.
    ///
    /// A thread that was woken for every step on the way would take the lock from the one that works.
    func ringIfQuiet() {
        if activity.isAwaited, state.withLock({ $0.isQuiet }) { activity.changed() }
    }

    func scheduleDeliveries() {
        delivery.schedule(self, log)
        if case .inline = delivery { return }
        // Somebody may be settling on the very thread that is to deliver.
        activity.changed()
    }
}
