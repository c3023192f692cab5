import Dispatch
import ModelSimulator
import StorePostgres
import Testing

/// Runs whose store and apps keep everything in a database, and whose crashes close its connections.
@Suite("Simulated runs on a database server, which takes seconds") struct SimulationTests {
    /// Runs on a thread of its own: it takes seconds, and other tests wait for the threads that tests run on.
    private func simulate(seed: UInt64, runs: Int, on storage: Storage = .postgres) async -> SimulationReport {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let report = Simulator.run(seed: seed, runs: runs, operations: 30, jobs: 2, storage: storage)
                continuation.resume(returning: report)
            }
        }
    }

    @Test(.postgres) func `Runs on PostgreSQL break no rule, and a seed replays them`() async {
        let report = await simulate(seed: 19, runs: 3)
        #expect(report.failure == nil)
        #expect(report.runs == 3)
        #expect(report.reached.values.contains { $0 > 0 })
        #expect(await "\(simulate(seed: 19, runs: 3))" == "\(report)")
    }

    @Test(.enabled(if: !Postgres.isAvailable, "libpq is there"))
    func `Without libpq's header no run begins, and the report says what to install`() async throws {
        let failure = try #require(await simulate(seed: 1, runs: 1).failure)
        #expect(failure.rule.sentence.contains(Postgres.advice))
    }
}
