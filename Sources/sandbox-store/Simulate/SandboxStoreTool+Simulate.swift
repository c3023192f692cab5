import Foundation
import StoreCore
import StoreCrypto
import StoreServer

extension SandboxStoreTool {
    /// Runs the simulation of a server, and prints the report or the first failure.
    ///
    /// - Returns: 0 if no rule was broken, 1 otherwise.
    func simulateServer(_ options: SimulateServerOptions) throws -> Int32 {
        try require(MicroHTTPD.isAvailable, MicroHTTPD.advice)
        try require(Libcrypto.isAvailable, Libcrypto.advice)
        let file = try InputFile.url(options.file)
        let data = try InputFile.contents(options.file) {
            Command.Mistake("the simulation cannot be read from \(options.file): \($0)")
        }
        let simulation: ServerSimulation
        do {
            simulation = try ServerSimulation(data, in: file.deletingLastPathComponent())
        } catch {
            throw Command.Mistake("\(options.file): \(error)")
        }
        let progress = SimulationProgress(console, of: options.runs ?? simulation.runs)
        do {
            let report = try simulation.perform(
                seed: options.seed,
                runs: options.runs,
                steps: options.steps,
                jobs: options.jobs ?? ProcessInfo.processInfo.activeProcessorCount,
                progress: { progress.show($0) },
                reducing: { progress.showTrials($0) }
            )
            progress.end()
            console.write("\(report)\n")
            return 0
        } catch let failure as ServerSimulationFailure {
            progress.end()
            let name = "\(file.deletingPathExtension().lastPathComponent)-\(failure.seed).scenario"
            let scenario = file.deletingLastPathComponent().appending(path: name)
            console.write("\(failure)\n".printable)
            try Data(failure.scenario.utf8).write(to: scenario, options: .atomic)
            console.write("\nThe scenario is in \(scenario.path(percentEncoded: false)).\n".printable)
            return 1
        } catch let error as ServerSimulationError {
            progress.end()
            throw Command.Mistake("\(options.file): \(error)")
        }
    }
}

/// The progress of a simulation: a line that is replaced on a terminal, otherwise a line for each tenth of the lives.
private final class SimulationProgress: Sendable {
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
