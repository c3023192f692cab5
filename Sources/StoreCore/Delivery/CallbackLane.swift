/// A serial lane for the callbacks of requests, which belong to no queue; they run in order.
final class CallbackLane: Sendable {
    private let delivery: StoreDelivery
    private let activity: Activity
    private let log: StoreLog
    private let state = Locked(State())

    private struct State {
        var callbacks = Outbox<@Sendable () -> Void>()
        var work = 0
    }

    init(delivery: StoreDelivery, activity: Activity, log: StoreLog) {
        self.delivery = delivery
        self.activity = activity
        self.log = log
        delivery.prepare()
        activity.register(self)
    }

    func call(_ callback: @escaping @Sendable () -> Void) {
        let mustDrain = state.withLock { state in
            state.callbacks.append(callback)
            state.work &+= 1
            return state.callbacks.schedule()
        }
        guard mustDrain else { return }
        delivery.schedule(self, log)
        activity.changed()
    }

    /// Runs a callback one turn of the queue later than ``call(_:)``: after the work that the caller enqueues there in
    /// its own turn.
    ///
    /// Inline delivery has no turns: the callback runs before the outermost call returns, like every other.
    func callLater(_ callback: @escaping @Sendable () -> Void) { call { self.call(callback) } }
}

extension CallbackLane: InlineDrain {
    func drainInline() {
        let isDue = CallScope.delivering { state.drain(\.callbacks, hasTurns: delivery.hasTurns) { $0() } }
        if isDue { delivery.schedule(self, log) }
        activity.changed()
    }
}

extension CallbackLane: ActivityMember {
    var pulse: (isQuiet: Bool, work: Int) { state.withLock { ($0.callbacks.isQuiet, $0.work) } }
    var keepable: (any ActivityPulse)? { self }

    func drainHere() -> Bool {
        guard delivery.isHere, state.withLock({ $0.callbacks.isScheduled }) else { return false }
        delivery.begins()
        drainInline()
        return true
    }

    var waitingFor: [String] { [] }

    var callbacksUnderWay: CallbacksUnderWay? {
        state.withLock { $0.callbacks.batchUnderWay }.map { CallbacksUnderWay(of: self, batch: $0, log: log) }
    }
}
