import Foundation

/// A watchdog for a call that waits for the store; logs a message if the call waits long in vain.
///
/// If a test's clock does not advance, a call waits forever for an unreachable store or a missing decision.
package final class LongWait: Sendable {
    private let core: ContextCore
    private let call: String
    private let isOver = Locked(false)

    init(_ call: String, in core: ContextCore) {
        (self.core, self.call) = (core, call)
        lookLater()
    }

    /// Ends the wait.
    package func end() { isOver.withLock { $0 = true } }

    private func lookLater() {
        // Measured in real time, since the store's clock may not advance.
        let patience = core.patience.withLock { $0 }
        DispatchQueue.watchdogs.asyncAfter(deadline: .now() + patience) { [weak self] in self?.look() }
    }

    /// Logs the events that the call needs, or checks again later if work is under way that may end the wait.
    private func look() {
        if isOver.withLock({ $0 }) { return }
        let setup = core.setup
        // On a running clock, the passage of time may end the wait.
        if (setup.clock as? any RunningClock)?.isRunning == true { return }
        var lines: [String] = []
        for activity in setup.activities.prefix(2) {
            guard let waiting = activity.waitingIfQuiet else { return lookLater() }
            lines += waiting
        }
        let list = lines.isEmpty ? "nothing that is known here" : lines.joined(separator: "; ")
        setup.log(
            "\(call) still waits, and nothing is under way that could end it; what waits for an act from outside: \(list)"
        )
    }
}

extension StoreContext {
    /// The seconds of real time before a waiting call is checked; 5, unless a test sets another value.
    package var patience: TimeInterval {
        get { core.patience.withLock { $0 } }
        set { core.patience.withLock { $0 = newValue } }
    }

    /// Begins to watch a call that waits for the store, until the result's ``LongWait/end()`` is called.
    package func waits(_ call: String) -> LongWait { LongWait(call, in: core) }
}
