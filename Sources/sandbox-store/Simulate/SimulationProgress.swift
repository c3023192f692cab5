import Foundation
import StoreCore

/// The progress of a simulation: a line that is replaced on a terminal, otherwise a line for each tenth of the lives.
final class SimulationProgress: Sendable {
    private let console: Console
    private let runs: Int
    private let begin = ContinuousClock.now
    private let last = Locked(0)

    init(_ console: Console, of runs: Int) { (self.console, self.runs) = (console, runs) }

    func show(_ count: Int) {
        let isDue = last.withLock { last in
            let isDue = count > last && (console.isTerminal || count == runs || count >= last + max(1, runs / 10))
            if isDue { last = count }
            return isDue
        }
        guard isDue else { return }
        let seconds = Double((ContinuousClock.now - begin).components.seconds)
        let pace = seconds > 0 ? ", \(Int(Double(count) * 60 / seconds)) a minute" : ""
        console.complain(
            "\(console.isTerminal ? "\r\u{1B}[K" : "")\(count) of \(runs) lives\(pace)\(console.isTerminal ? "" : "\n")"
        )
    }

    /// Shows the number of trials in which a broken life is reduced.
    func showTrials(_ count: Int) {
        if console.isTerminal {
            console.complain("\r\u{1B}[Kreducing the broken life, trial \(count)")
        } else if count.isMultiple(of: 100) {
            console.complain("reducing the broken life, trial \(count)\n")
        }
    }

    func end() { if console.isTerminal { console.complain("\r\u{1B}[K") } }
}
