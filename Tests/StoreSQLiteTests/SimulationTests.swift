import Dispatch
import ModelSimulator
import StoreCore
import StoreSQLite
import Testing

/// Runs whose store and apps keep everything in files, of which crashes take what was not synchronized.
@Suite("Simulated runs on files, which takes seconds") struct SimulationTests {
    /// Runs on a thread of its own: it takes seconds, and other tests wait for the threads that tests run on.
    private func simulate(
        on storage: Storage,
        seed: UInt64,
        runs: Int,
        operations: Int = 50,
        jobs: Int = 2
    ) async -> SimulationReport {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let report = Simulator.run(seed: seed, runs: runs, operations: operations, jobs: jobs, storage: storage)
                continuation.resume(returning: report)
            }
        }
    }

    @Test(.sqlite) func `B33-B39: Runs on SQLite break no rule, whatever power failures leave of the files`() async {
        let report = await simulate(on: .sqlite, seed: 52_000, runs: 15)
        #expect(report.failure == nil)
        #expect(report.runs == 15)
    }

    @Test(.sqlite) func `A seed replays its runs on SQLite, on one thread and on several`() async {
        let alone = await simulate(on: .sqlite, seed: 7, runs: 12, operations: 30, jobs: 1)
        let together = await simulate(on: .sqlite, seed: 7, runs: 12, operations: 30, jobs: 2)
        #expect("\(alone)" == "\(together)")
        #expect(alone.reached.values.contains { $0 > 0 })
    }

    @Test(.sqlite) func `Commits that do not wait for the disk are found out`() async throws {
        let failure = try #require(await simulate(on: .carelessSQLite, seed: 1, runs: 50, operations: 20).failure)
        #expect(failure.rule.sentence.contains(" are left"))
        #expect(failure.shrunk.operations.count <= 4)
        #expect(failure.description.contains(", storage: .carelessSQLite)"))
        #expect(throws: BrokenRule.self) { try failure.shrunk.run() }
    }

    @Test(.sqlite) func `A disk that says it has what it has not is found out`() async throws {
        let failure = try #require(await simulate(on: .lyingSQLite, seed: 1, runs: 50, operations: 20).failure)
        #expect(failure.shrunk.operations.count <= 4)
    }

    @Test(.sqlite) func `Stores of simulated runs open on snapshots`() async {
        let opened = Locked(0)
        let storage = Storage("watched") { _ in try WatchedStorage { opened.withLock { $0 += 1 } } }
        let report = await simulate(on: storage, seed: 3, runs: 20)
        #expect(report.failure == nil)
        #expect(opened.withLock { $0 } > 10)
    }

    @Test(.enabled(if: !SQLite.isAvailable, "SQLite is there"))
    func `Without SQLite's header no run begins, and the report says what to install`() async throws {
        let failure = try #require(await simulate(on: .sqlite, seed: 1, runs: 1, operations: 1).failure)
        #expect(failure.rule.sentence.contains(SQLite.advice))
    }
}
