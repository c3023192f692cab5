import Foundation
import StoreCore
import StorePostgres
import StoreSQLite
import StoreSimulator
import StoreSimulatorPostgres
import StoreSimulatorSQLite

// `simulate`, and what it leaves behind.
extension SandboxStoreTool {
    func simulate(_ options: SimulateOptions) -> Int32 {
        let (storage, advice): (Storage, String?) =
            switch options.storage {
            case .memory: (.memory, nil)
            case .sqlite: (.sqlite, SQLite.isAvailable ? nil : SQLite.advice)
            case .postgres: (.postgres, Postgres.isAvailable ? nil : Postgres.advice)
            }
        if let advice {
            console.complain("sandbox-store: \(advice)\n")
            return 1
        }
        let report = Simulator.run(
            seed: options.seed,
            runs: options.runs,
            operations: options.operations,
            jobs: options.jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            // Nil for both.
            transport: Transport(rawValue: options.transport.rawValue),
            storage: storage,
            progress: console.isTerminal ? showProgress(of: options.runs) : nil
        )
        if console.isTerminal { console.complain(ProgressLine.erasure) }
        return tell(report, options)
    }

    /// Prints a report, and writes the page of a failure where it is wanted.
    ///
    /// - Returns: the exit code.
    func tell(_ report: SimulationReport, _ options: SimulateOptions) -> Int32 {
        let page = report.failure == nil ? nil : options.page
        do {
            if let failure = report.failure, let page {
                try Data(failure.page.utf8).write(to: URL(filePath: page), options: .atomic)
            }
        } catch {
            console.complain(
                "sandbox-store: the page cannot be written to \(page ?? ""): \(error.localizedDescription)\n"
            )
        }
        if options.isJSON {
            console.write("\(report.json(seed: options.seed, page: page))\n")
            return report.failure == nil ? 0 : 1
        }
        console.write("\(report)\n")
        if let page {
            console.write("its timeline to look at: \(page)\n")
        } else if report.failure != nil {
            console.write("--page FILE writes its timeline to look at\n")
        }
        console.write(options.printsCoverage ? "\n\(report.tables)\n" : "--coverage prints the tables\n")
        return report.failure == nil ? 0 : 1
    }

    /// Shows a simulation's progress on the terminal.
    private func showProgress(of runs: Int) -> @Sendable (Int) -> Void {
        let line = Locked(ProgressLine(total: runs))
        let (start, complain) = (ContinuousClock.now, console.complain)
        return { runs in
            // Written with the lock held, so that no older line is written over a newer one.
            line.withLock { line in
                if let text = line.add(runs, elapsed: (ContinuousClock.now - start) / .seconds(1)) { complain(text) }
            }
        }
    }
}
