import Foundation
import StoreCore

/// A progress line with the store's time, on a terminal, for work that takes longer than a second.
final class CommandProgress: @unchecked Sendable {  // unchecked: any thread may cancel a timer
    private struct State {
        var text = ""
        var clock: (any StoreClock)?
        var begin = ContinuousClock.now
        var isShown = false
        /// Whether work has begun and not ended.
        var isRunning = false
    }

    private let state = Locked(State())
    private let timer: (any DispatchSourceTimer)?
    private let console: Console

    /// The control sequence that erases the cursor's line.
    private static let erasure = "\r\u{1B}[K"

    /// The delay before the line appears.
    static let patience = Duration.seconds(1)

    /// Creates a progress line.
    ///
    /// - Parameters:
    ///   - console: the console whose terminal shows the line.
    ///   - hasTimer: whether a timer writes the line; if false, only ``show(_:)`` does.
    init(_ console: Console, hasTimer: Bool = true) {
        self.console = console
        guard hasTimer else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        self.timer = timer
        timer.schedule(deadline: .now() + 1, repeating: 0.1)
        timer.setEventHandler { [weak self] in self?.show(.now) }
        timer.activate()
    }

    deinit { timer?.cancel() }

    /// Begins work.
    ///
    /// - Parameters:
    ///   - text: a short description of the work.
    ///   - clock: the store's clock; nil while the store is being opened.
    func begin(_ text: String, _ clock: (any StoreClock)? = nil) {
        state.withLock { $0 = State(text: text, clock: clock, isRunning: true) }
    }

    /// Ends the work, and erases its line.
    func end() {
        // Erases under the lock, which prevents the timer from writing the line again afterwards.
        state.withLock { state in
            state.isRunning = false
            guard state.isShown else { return }
            state.isShown = false
            console.complain(Self.erasure)
        }
    }

    /// Writes the line if the delay has passed.
    func show(_ now: ContinuousClock.Instant) {
        state.withLock { state in
            guard state.isRunning, now - state.begin >= Self.patience else { return }
            state.isShown = true
            let time = state.clock.map { ": \(Wording.moment($0.now))" } ?? ""
            console.complain("\(Self.erasure)\(state.text.printable)\(time)")
        }
    }
}
