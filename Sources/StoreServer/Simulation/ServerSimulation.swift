import Foundation
import StoreCore
import StoreCrypto
import StoreScenario

/// A simulation of the store, its customers and the network for an app's server in any language, in thousands of random
/// lives.
///
/// ```swift
/// try await ServerSimulation(contentsOf: url).run(runs: 200)
/// ```
///
/// The file describes how the server is started, where it receives notifications and uploads, and where it says what a
/// customer may use; the article "Your server under the simulator" has its form. A life is a sequence of steps, drawn
/// from a seed: customers buy, renew, lapse, upgrade, share and are refunded; notifications arrive twice, late, out of
/// order, forged or never; the server is killed and started again; the App Store Server API fails. At the end, the
/// faults end, everything arrives that will, and the server must say what the store knows.
///
/// The first life that breaks this rule is reduced to the necessary steps, and thrown as a ``ServerSimulationFailure``.
///
/// The simulation is the network: it delivers one request at a time, and the store's clock advances only between
/// requests. A server that depends on nothing but its requests and its own data lives the same life each time.
public struct ServerSimulation: Sendable {
    private(set) var setup: ServerSetup
    /// The number of lives unless another is given.
    public let runs: Int
    /// The number of steps in each life unless another is given.
    public let steps: Int
    /// The seconds to wait for each answer of the server; 10, unless a test sets another value.
    package var patience: Int {
        get { setup.patience }
        set { setup.patience = newValue }
    }

    /// Reads a simulation's file.
    ///
    /// - Throws: ``ServerSimulationError`` for a file that cannot be read, or that has a mistake.
    public init(contentsOf file: URL) throws(ServerSimulationError) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw ServerSimulationError(
                "\(file.path(percentEncoded: false)) cannot be read: \(file.trouble(reading: error))"
            )
        }
        try self.init(data, in: file.deletingLastPathComponent())
    }

    /// Reads a simulation's JSON.
    ///
    /// - Parameters:
    ///   - data: the content of a simulation's file.
    ///   - folder: the folder to which its paths are relative, and in which the server is started.
    /// - Throws: ``ServerSimulationError`` for a mistake.
    public init(_ data: Data, in folder: URL) throws(ServerSimulationError) {
        let file = try SimulationFile.read(data)
        setup = try ServerSetup(file, in: folder)
        (runs, steps) = (file.runs, file.steps)
        try Self.check(runs, "runs")
        try Self.check(steps, "steps")
    }

    private static func checkLibraries() throws(ServerSimulationError) {
        guard MicroHTTPD.isAvailable else { throw ServerSimulationError(MicroHTTPD.advice) }
        guard Libcrypto.isAvailable else { throw ServerSimulationError(Libcrypto.advice) }
    }

    private static func check(_ number: Int, _ name: String) throws(ServerSimulationError) {
        if number < 1 { throw ServerSimulationError("\"\(name)\" is \(number), and has to be at least 1") }
    }

    /// Runs many lives, until one breaks a rule.
    ///
    /// Each job has a thread, and a process of the server with its own port and data. The same seed gives the same
    /// result with any number of jobs.
    ///
    /// - Parameters:
    ///   - seed: the first life's seed. Each further life has the next number as its seed.
    ///   - runs: the number of lives, at least 1; by default that of the file.
    ///   - steps: the number of steps in each life, at least 1; by default that of the file. With another number, the
    ///     same seed draws a different life.
    ///   - jobs: the maximum number of threads, at least 1; by default the number of the machine's cores. A server that
    ///     runs already has one job.
    ///   - progress: receives the number of lives so far after each life, on any thread.
    /// - Returns: a report.
    /// - Throws: ``ServerSimulationFailure`` for the first life that breaks a rule; ``ServerSimulationError`` for a
    ///   mistake in the simulation, or a server that cannot be started; `CancellationError` if the task is canceled.
    @discardableResult
    public func run(
        seed: UInt64 = 1,
        runs: Int? = nil,
        steps: Int? = nil,
        jobs: Int = ProcessInfo.processInfo.activeProcessorCount,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> ServerSimulationReport {
        let isCancelled = Locked(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Not on the task pool, whose threads must not block.
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            try perform(
                                seed: seed,
                                runs: runs,
                                steps: steps,
                                jobs: jobs,
                                progress: progress,
                                isCancelled: { isCancelled.withLock { $0 } }
                            )
                        }
                    )
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// The state that jobs share.
    private struct Progress {
        /// The number of lives that have begun.
        var begun = 0
        /// The number and the violation of the first broken life.
        var broken: (index: Int, violation: ServerViolation)?
        var error: (any Error)?
        var report = ServerSimulationReport()
    }

    /// Runs many lives on the caller's thread, like ``run(seed:runs:steps:jobs:progress:)``.
    package func perform(
        seed: UInt64,
        runs: Int? = nil,
        steps: Int? = nil,
        jobs: Int = ProcessInfo.processInfo.activeProcessorCount,
        progress: @escaping @Sendable (Int) -> Void = { _ in },
        reducing: (Int) -> Void = { _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> ServerSimulationReport {
        let (runs, steps) = (runs ?? self.runs, steps ?? self.steps)
        try Self.check(runs, "runs")
        try Self.check(steps, "steps")
        try Self.check(jobs, "jobs")
        try Self.checkLibraries()
        let begin = ContinuousClock.now
        let jobs = setup.server.command == nil ? 1 : min(jobs, runs)
        let state = Locked(Progress())
        let group = DispatchGroup()
        // Threads of their own: a pool has no more than the machine has cores, and a job mostly waits for its server.
        for _ in 0..<jobs {
            group.enter()
            Thread.detachNewThread {
                work(state, from: seed, runs: runs, steps: steps, progress, isCancelled)
                group.leave()
            }
        }
        group.wait()
        var result = state.withLock { $0 }
        if let error = result.error { throw error }
        if let (index, violation) = result.broken {
            let reduction = ServerLifeReduction(setup, seed: seed &+ UInt64(index), violation)
            throw try reduction.failure(steps: steps, progress: reducing, isCancelled: isCancelled)
        }
        result.report.duration = ContinuousClock.now - begin
        return result.report
    }

    /// Lives one life after another, until there are no more or an earlier one is broken.
    private func work(
        _ state: Locked<Progress>,
        from first: UInt64,
        runs: Int,
        steps: Int,
        _ progress: @Sendable (Int) -> Void,
        _ isCancelled: @Sendable () -> Bool
    ) {
        do {
            var server: ServerUnderTest?
            while true {
                if isCancelled() { throw CancellationError() }
                let index = state.withLock { state -> Int? in
                    guard state.begun < runs, state.error == nil, state.broken == nil else { return nil }
                    defer { state.begun += 1 }
                    return state.begun
                }
                guard let index else { break }
                var generator = ServerStepGenerator(setup, seed: first &+ UInt64(index))
                let running: ServerUnderTest
                if let server {
                    running = server
                } else {
                    running = try ServerUnderTest(setup)
                    server = running
                    try ServerLife(setup, running, generator).check()
                }
                do {
                    try ServerLife(setup, running, generator).live(generator.steps(steps))
                } catch let violation as ServerViolation {
                    state.withLock { state in
                        if state.broken.map({ index < $0.index }) ?? true { state.broken = (index, violation) }
                    }
                }
                let count = state.withLock { state in
                    state.report.runs += 1
                    state.report.steps += steps
                    return state.report.runs
                }
                progress(count)
            }
            state.withLock { state in
                state.report.requests += server?.requests ?? 0
                state.report.kills += server?.kills ?? 0
            }
        } catch {
            state.withLock { $0.error = $0.error ?? error }
        }
    }
}

// For a simulation of an app with its server.
extension ServerSimulation {
    /// Whether the simulation starts and kills the server.
    package var isStarted: Bool { setup.server.command != nil }

    /// Checks that a store sells what the server is asked about.
    package func checkProducts(_ products: [SandboxProduct]) throws(ServerSimulationError) {
        for (member, names) in [("allows", setup.allows.map(\.product)), ("holds", setup.holds.map(\.product))] {
            for name in names where !products.contains(where: { $0.identifier == name }) {
                throw ServerSimulationError("\"\(member)\" has \"\(name)\", which the app's store does not sell")
            }
        }
    }

    /// Returns the server for one life after another, once it is ready and has forgotten everything.
    ///
    /// - Throws: ``ServerSimulationError`` if a library is missing, or the server cannot be started.
    package func makeServer() throws -> ServerUnderTest {
        try Self.checkLibraries()
        let server = try ServerUnderTest(setup)
        try ServerLife(setup, server, ServerStepGenerator(setup, seed: 1)).check()
        return server
    }
}
