import Foundation

/// The state that a context shares with its queues: the store and its dependencies, replaced together.
///
/// Queues refer to this and not to their context, which owns the default queue.
final class ContextCore: Sendable {
    struct Setup: Sendable {
        let backend: (any StoreBackend)?
        let journal: any QueueJournal
        let clock: any StoreClock
        let delivery: StoreDelivery
        let log: StoreLog
        /// Calls the delegates of requests.
        let callbacks: CallbackLane

        init(
            backend: (any StoreBackend)?,
            journal: any QueueJournal,
            clock: (any StoreClock)?,
            delivery: StoreDelivery,
            log: StoreLog
        ) {
            self.backend = backend
            self.journal = journal
            // Without a store it has its own clock, so that settling does not wait for other clients of the system clock.
            self.clock = clock ?? backend?.clock ?? SystemClock()
            self.delivery = delivery
            self.log = log
            callbacks = CallbackLane(delivery: delivery, activity: self.clock.activity, log: log)
        }

        /// The activities to settle: a store may have another clock than its queues.
        var activities: [Activity] {
            let own = clock.activity
            guard let stores = backend?.clock.activity, stores !== own else { return [own] }
            // Work may pass back and forth between the two.
            return [own, stores, own, stores]
        }
    }

    private let state: Locked<State>
    let promotions = PromotionMemory()
    let receiptFile = ReceiptFile()

    /// An object attached to the context by a module that sets the context's store.
    let companion = Locked<(any AnyObject & Sendable)?>(nil)

    /// The errors that a test injects into Store Kit 2 calls, under the calls' names.
    let simulatedErrors = Locked<[String: any Error]>([:])
    /// See ``LongWait``.
    let patience = Locked<TimeInterval>(5)
    let includesFinishedConsumables = Locked(ContextCore.infoIncludesFinishedConsumables)
    /// The default from the app's Info.plist, read once: reading it costs more than all else of a context.
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

    /// The setup; logs one warning while it has no store.
    var setupOrWarning: Setup {
        let (setup, mustWarn) = state.withLock { state in
            let mustWarn = state.setup.backend == nil && !state.hasWarned
            if mustWarn { state.hasWarned = true }
            return (state.setup, mustWarn)
        }
        if mustWarn { setup.log(Self.noBackend) }
        return setup
    }

    /// The store; logs one warning while there is none.
    var backendOrWarning: (any StoreBackend)? { setupOrWarning.backend }

    /// The log message for a context without a store.
    ///
    /// Where other contexts are bound, it also says how code misses them.
    static var noBackend: String {
        let line =
            "no store is set: call StoreContext.process.use(store) when the app starts, or run in a StoreContext of your own"
        guard DetachedTasks.isInUse else { return line }
        return line
            + "; code on a Thread or a dispatch queue, and in a Task.detached that begins on an actor, has none even "
            + "if it was begun in one: take the context along, and wrap that code in context.run { }"
    }

    /// Replaces the setup with the result of `body`, which is called without a lock because it queries the new store's clock.
    func change(_ body: (Setup) -> Setup) {
        while true {
            let (old, changes) = state.withLock { ($0.setup, $0.changes) }
            let new = body(old)
            let members = state.withLock { state -> [any ContextMember]? in
                // Another change came first.
                guard state.changes == changes else { return nil }
                state.changes += 1
                state.setup = new
                state.hasWarned = false
                return state.members.compactMap { $0.member }
            }
            guard let members else { continue }
            for member in members { member.setupChanged() }
            // Released without a lock held: this may be the last reference to a store.
            return withExtendedLifetime(old) {}
        }
    }

    func register(_ member: any ContextMember) {
        // Members are released without the lock held: this may be the last reference.
        let kept = state.withLock { state in
            let kept = state.members.map(\.member)
            state.members = zip(state.members, kept).filter { $1 != nil }.map(\.0)
            state.members.append(WeakMember(member: member))
            return kept
        }
        withExtendedLifetime(kept) {}
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
