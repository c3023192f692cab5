import Dispatch
import StoreCore
import StoreSQLite
import StoreSimulator
import StoreSimulatorSQLite
import Testing

/// Lives whose store and apps keep everything in files, of which deaths take what was not synchronised.
@Suite struct SimulationTests {
    /// Lives on a thread of its own: it takes seconds, and other tests wait for the threads that tests run on.
    private func live(
        on storage: Storage,
        seed: UInt64,
        lives: Int,
        steps: Int = 50,
        jobs: Int = 2
    ) async -> SimulationReport {
        await withCheckedContinuation { lived in
            DispatchQueue.global().async {
                let report = Simulator.run(seed: seed, lives: lives, steps: steps, jobs: jobs, storage: storage)
                lived.resume(returning: report)
            }
        }
    }

    @Test(.sqlite) func `B33-B39: Lives on SQLite break no rule, whatever power failures leave of the files`() async {
        let report = await live(on: .sqlite, seed: 52_000, lives: 200)
        #expect(report.failure == nil)
        #expect(report.lives == 200)
    }

    @Test(.sqlite) func `A seed replays its lives on SQLite, on one thread and on several`() async {
        let alone = await live(on: .sqlite, seed: 7, lives: 40, steps: 30, jobs: 1)
        let together = await live(on: .sqlite, seed: 7, lives: 40, steps: 30, jobs: 2)
        #expect("\(alone)" == "\(together)")
        #expect(alone.reached.values.contains { $0 > 0 })
    }

    @Test(.sqlite) func `Commits that do not wait for the disk are found out`() async throws {
        let failure = try #require(await live(on: .carelessSQLite, seed: 1, lives: 50, steps: 20).failure)
        #expect(failure.rule.sentence.contains(" are left"))
        #expect(failure.shrunk.steps.count <= 4)
        #expect(failure.description.contains(", storage: .carelessSQLite)"))
        #expect(throws: BrokenRule.self) { try failure.shrunk.run() }
    }

    @Test(.sqlite) func `A disk that says it has what it has not is found out`() async throws {
        let failure = try #require(await live(on: .lyingSQLite, seed: 1, lives: 50, steps: 20).failure)
        #expect(failure.shrunk.steps.count <= 4)
    }

    @Test(.sqlite) func `Stores of simulated lives open on snapshots`() async {
        let opened = Locked(0)
        let storage = Storage("watched") { _ in try WatchedStorage { opened.withLock { $0 += 1 } } }
        let report = await live(on: storage, seed: 3, lives: 20)
        #expect(report.failure == nil)
        #expect(opened.withLock { $0 } > 10)
    }

    @Test(.enabled(if: !SQLite.isAvailable, "SQLite is there"))
    func `Without SQLite's header no life begins, and the report says what to install`() async throws {
        let failure = try #require(await live(on: .sqlite, seed: 1, lives: 1, steps: 1).failure)
        #expect(failure.rule.sentence.contains(SQLite.advice))
    }
}
