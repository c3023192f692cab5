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
        let simulation: ServerSimulation
        do {
            simulation = try ServerSimulation(contentsOf: file)
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
