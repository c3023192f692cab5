/// A detachable reference to a driver, for clients that must not keep the driver alive.
///
/// The clients are timers, the journal, downloads and the queue's ``Activity``. The payment queue detaches the link
/// when it releases the driver. The link is not a weak reference, since that would slow down every retain of the
/// driver, and each step of the driver retains it.
final class DriverLink: Sendable {
    private let log: StoreLog
    private let state = Locked(State())

    private struct State {
        var driver: QueueDriver?
        /// The driver's work count when it was detached.
        var lastWork = 0
        /// Whether another queue has opened the journal, perhaps before the driver was attached.
        var isSuperseded = false
    }

    init(_ log: StoreLog) { self.log = log }

    var driver: QueueDriver? { state.withLock { $0.driver } }

    /// Attaches the driver; called once, at the end of the driver's initializer.
    func attach(_ driver: QueueDriver) {
        let isSuperseded = state.withLock { state in
            state.driver = driver
            return state.isSuperseded
        }
        if isSuperseded { supersede() }
    }

    func detach() {
        // Retained until the end, so that the driver is not deallocated with the lock held.
        guard let driver else { return }
        let work = driver.state.withLock { $0.work }
        state.withLock { state in
            state.lastWork = work
            state.driver = nil
        }
        // A settling thread may have been waiting for the driver.
        driver.activity.changed()
        withExtendedLifetime(driver) {}
    }

    /// Retires the driver because another queue has opened the journal.
    ///
    /// Logs a message, unless the driver was retired before.
    func supersede() {
        let driver = state.withLock { state in
            state.isSuperseded = true
            return state.driver
        }
        guard let driver else { return }
        let isOver = driver.state.withLock { $0.isRetired }
        driver.retire()
        guard !isOver else { return }
        // Logged afterwards, since the queue that has opened the journal may still hold a lock.
        CallScope.afterwards { [log] in
            log(
                "another payment queue has opened this queue's journal; this queue is silent from now on. A journal serves "
                    + "one queue at a time: give each queue its own, or begin the next launch with relaunch()"
            )
        }
    }
}

extension DriverLink: ActivityMember {
    var pulse: (isQuiet: Bool, work: Int) {
        let (driver, lastWork) = state.withLock { ($0.driver, $0.lastWork) }
        return driver?.state.withLock { ($0.isQuiet, $0.work) } ?? (true, lastWork)
    }

    var retainable: (any ActivityPulse)? { self }

    func drainHere() -> Bool {
        guard let driver, driver.delivery.isHere, driver.state.withLock({ $0.notices.isScheduled }) else {
            return false
        }
        driver.delivery.begins()
        driver.drainInline()
        return true
    }

    var waitingFor: [String] { driver?.state.withLock { $0.machine.waiting } ?? [] }

    var callbacksUnderWay: CallbacksUnderWay? {
        guard let driver, let batch = driver.state.withLock({ $0.notices.batchUnderWay }) else { return nil }
        return CallbacksUnderWay(of: driver, batch: batch, log: log)
    }
}
