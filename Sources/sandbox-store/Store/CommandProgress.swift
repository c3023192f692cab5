import Foundation
import StoreCore

/// A line on a terminal about work that takes longer than a second, with the store's time.
final class CommandProgress: @unchecked Sendable {  // unchecked: a timer may be canceled on any thread
    private struct State {
        var text = ""
        var clock: (any StoreClock)?
        var begin = ContinuousClock.now
        var isShown = false
        /// Whether work is in progress.
        var isRunning = false
    }

    private let state = Locked(State())
    private let timer: any DispatchSourceTimer
    private let console: Console

    /// The sequence that erases the line that the cursor is on.
    private static let erasure = "\r\u{1B}[K"

    /// The time after which the line appears.
    static let patience = Duration.seconds(1)

    init(_ console: Console) {
        self.console = console
        let timer = DispatchSource.makeTimerSource(queue: .global())
        self.timer = timer
        timer.schedule(deadline: .now() + 1, repeating: 0.1)
        timer.setEventHandler { [weak self] in self?.show(.now) }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Begins work.
    ///
    /// - Parameters:
    ///   - text: the work, in a few words.
    ///   - clock: the clock of the store; nil as long as there is none.
    func begin(_ text: String, _ clock: (any StoreClock)? = nil) {
        state.withLock { $0 = State(text: text, clock: clock, isRunning: true) }
    }

    /// Ends the work, and erases its line.
    func end() {
        // Written under the lock, so that the line is not written again afterwards.
        state.withLock { state in
            state.isRunning = false
            guard state.isShown else { return }
            state.isShown = false
            console.complain(Self.erasure)
        }
    }

    /// Writes the line, if the work has taken long enough.
    func show(_ now: ContinuousClock.Instant) {
        state.withLock { state in
            guard state.isRunning, now - state.begin >= Self.patience else { return }
            state.isShown = true
            let time = state.clock.map { ": \(Wording.moment($0.now))" } ?? ""
            console.complain("\(Self.erasure)\(state.text.printable)\(time)")
        }
    }
}
