import Foundation

/// The state that a context shares with its queues, such as the store, its journal and its clock.
///
/// The store, journal, clock, delivery and log are replaced together. Queues retain this object rather than their
/// context, since the context retains the default queue.
final class ContextCore: Sendable {
    struct Setup: Sendable {
        let backend: (any StoreBackend)?
        let journal: any QueueJournal
        let clock: any StoreClock
        let delivery: StoreDelivery
        let log: StoreLog
        /// The lane on which the delegates of requests are called.
        let callbacks: CallbackLane

        init(
            backend: (any StoreBackend)?,
            journal: any QueueJournal,
            clock: (any StoreClock)?,
            delivery: StoreDelivery,
            log: StoreLog,
            realTime: any StoreClock = SystemClock()
        ) {
            self.backend = backend
            self.journal = journal
            // Without a store, the context has a clock of its own: settling must not wait for other users of a shared
            // clock.
            self.clock = clock ?? backend?.clock ?? SystemClock()
            self.delivery = delivery
            self.log = log
            callbacks = CallbackLane(
                delivery: delivery,
                activity: self.clock.activity,
                log: log,
                realTime: realTime
            )
        }

        /// The activities to settle, in order; if the store's clock differs from the queues', each appears twice.
        var activities: [Activity] {
            let own = clock.activity
            guard let stores = backend?.clock.activity, stores !== own else { return [own] }
            // Settled twice, since work on one clock may cause work on the other.
            return [own, stores, own, stores]
        }
    }

    private let state: Locked<State>
    let promotions = PromotionMemory()
    let receiptFile = ReceiptFile()

    /// An object that another module, which uses the context's store, has attached to the context.
    let companion = Locked<(any AnyObject & Sendable)?>(nil)

    /// The errors that a test injects into calls of Store Kit 2, by the calls' names.
    let simulatedErrors = Locked<[String: any Error]>([:])
    /// The seconds before a waiting call is checked, see ``LongWait``.
    let patience = Locked<TimeInterval>(5)
    let includesFinishedConsumables = Locked(ContextCore.infoIncludesFinishedConsumables)
    /// The default value from the app's Info.plist, cached because reading it would take most of a context's creation.
    private static let infoIncludesFinishedConsumables =
        Bundle.main.object(forInfoDictionaryKey: "SKIncludeConsumableInAppPurchaseHistory") as? Bool ?? false

    private struct State {
        var setup: Setup
        /// The number of times that the setup was replaced.
        var changes = 0
        var hasWarned = false
        var members: [WeakMember] = []
    }

    private struct WeakMember: Sendable {
        weak let member: (any ContextMember)?
    }

    init(_ setup: Setup) { state = Locked(State(setup: setup)) }

    var setup: Setup { state.withLock { $0.setup } }

    /// The setup; if it has no store, a warning is logged once.
    var setupOrWarning: Setup {
        let (setup, mustWarn) = state.withLock { state in
            let mustWarn = state.setup.backend == nil && !state.hasWarned
            if mustWarn { state.hasWarned = true }
            return (state.setup, mustWarn)
        }
        if mustWarn { setup.log(Self.noBackend) }
        return setup
    }

    /// The store; if there is none, a warning is logged once.
    var backendOrWarning: (any StoreBackend)? { setupOrWarning.backend }

    /// The log message for a call that needs a store if none is set.
    ///
    /// If the process binds other contexts, the message also explains which code does not inherit them.
    static var noBackend: String {
        let line =
            "no store is set: call StoreContext.process.use(store) when the app starts, or run in a StoreContext of your own"
        guard DetachedTasks.isInUse else { return line }
        return line
            + "; code on a Thread or a dispatch queue, and in a Task.detached that begins on an actor, has none even "
            + "if it was begun in one: take the context along, and wrap that code in context.run { }"
    }

    /// Replaces the setup by the result of `body`, which is called without a lock since it reads the new store's clock.
    func change(_ body: (Setup) -> Setup) {
        while true {
            let (old, changes) = state.withLock { ($0.setup, $0.changes) }
            let new = body(old)
            let members = state.withLock { state -> [any ContextMember]? in
                // If another thread has changed the setup in the meantime, this thread tries again.
                guard state.changes == changes else { return nil }
                state.changes += 1
                state.setup = new
                state.hasWarned = false
                return state.members.compactMap { $0.member }
            }
            guard let members else { continue }
            for member in members { member.setupChanged() }
            // Released without a lock held, since this may be the last reference to the old store.
            return withExtendedLifetime(old) {}
        }
    }

    func register(_ member: any ContextMember) {
        // Members are released after the lock, since this may be the last reference to one.
        let retained = state.withLock { state in
            let retained = state.members.map(\.member)
            state.members = zip(state.members, retained).filter { $1 != nil }.map(\.0)
            state.members.append(WeakMember(member: member))
            return retained
        }
        withExtendedLifetime(retained) {}
    }
}

extension ContextCore {
    func settle() -> [String] {
        var waiting: [String] = []
        for activity in setup.activities { waiting = activity.settle() }
        return waiting
    }

    func settle() async -> [String] {
        var waiting: [String] = []
        for activity in setup.activities { waiting = await activity.settle() }
        return waiting
    }
}
