import Foundation

/// A serial executor of the callbacks of requests, such as ``SKProductsRequest``, which belong to no payment queue.
///
/// Callbacks run in the order in which they were added.
final class CallbackLane: Sendable {
    private let delivery: StoreDelivery
    private let activity: Activity
    private let log: StoreLog
    private let realTime: any StoreClock
    private let state = Locked(State())

    private struct State {
        var callbacks = Outbox<@Sendable () -> Void>()
        /// The number of callbacks of `callLater` whose delay has not elapsed.
        var waiting = 0
        var work = 0
    }

    /// Creates a lane; `realTime` is the clock of ``callLater(_:)``.
    init(delivery: StoreDelivery, activity: Activity, log: StoreLog, realTime: any StoreClock) {
        self.delivery = delivery
        self.activity = activity
        self.log = log
        self.realTime = realTime
        delivery.prepare()
        activity.register(self)
    }

    func call(_ callback: @escaping @Sendable () -> Void) { add(callback, hasWaited: false) }

    private func add(_ callback: @escaping @Sendable () -> Void, hasWaited: Bool) {
        let mustDrain = state.withLock { state in
            if hasWaited { state.waiting -= 1 }
            state.callbacks.append(callback)
            state.work &+= 1
            return state.callbacks.schedule()
        }
        guard mustDrain else { return }
        delivery.schedule(self, log)
        activity.changed()
    }

    /// Runs a callback like ``call(_:)``, but after one second of real time, regardless of the store's clock.
    ///
    /// In that second, work that the caller submits to the delivery's queue or to another thread can run first. Inline
    /// delivery has no delay: the callback runs before the outermost call returns, as all inline callbacks do.
    func callLater(_ callback: @escaping @Sendable () -> Void) {
        guard delivery.hasTurns else { return call(callback) }
        state.withLock { state in
            state.waiting += 1
            state.work &+= 1
        }
        realTime.schedule(at: realTime.now + 1) { [self] in add(callback, hasWaited: true) }
        activity.changed()
    }
}

extension CallbackLane: InlineDrain {
    func drainInline() {
        let isDue = CallScope.delivering { state.drain(\.callbacks, hasTurns: delivery.hasTurns) { $0() } }
        if isDue { delivery.schedule(self, log) }
        activity.changed()
    }
}

extension CallbackLane: ActivityMember {
    var pulse: (isQuiet: Bool, work: Int) { state.withLock { ($0.callbacks.isQuiet && $0.waiting == 0, $0.work) } }
    var retainable: (any ActivityPulse)? { self }

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
