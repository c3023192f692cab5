import Foundation

/// A call that waits for the store; a message is logged if it waits long in vain.
///
/// A test whose clock does not advance waits forever for a store that is unreachable, or for a decision that nobody makes.
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
        // Real time: a store's clock may not advance.
        let patience = core.patience.withLock { $0 }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + patience) { [weak self] in self?.look() }
    }

    /// Logs what waits, or checks again later if anything is under way that may end the wait.
    private func look() {
        if isOver.withLock({ $0 }) { return }
        let setup = core.setup
        // Time that passes by itself may end it.
        if setup.clock is SystemClock { return }
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
    /// The seconds of real time until a waiting call is checked for waiting in vain; 5, unless a test sets it.
    package var patience: TimeInterval {
        get { core.patience.withLock { $0 } }
        set { core.patience.withLock { $0 = newValue } }
    }

    /// Begins to watch a call that waits for the store, until ``LongWait/end()``.
    package func waits(_ call: String) -> LongWait { LongWait(call, in: core) }
}
