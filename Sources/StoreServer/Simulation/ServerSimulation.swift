import Foundation
import StoreCore
import StoreCrypto

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
    private let setup: ServerSetup
    /// The number of lives unless another is given.
    public let runs: Int
    /// The number of steps in each life unless another is given.
    public let steps: Int

    /// Reads a simulation's file.
    ///
    /// - Throws: ``ServerSimulationError`` for a file that cannot be read, or that has a mistake.
    public init(contentsOf file: URL) throws(ServerSimulationError) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw ServerSimulationError(
                "\(file.path(percentEncoded: false)) cannot be read: \(error.localizedDescription)"
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
    ///   - runs: the number of lives; by default that of the file.
    ///   - steps: the number of steps in each life; by default that of the file. With another number, the same seed
    ///     draws a different life.
    ///   - jobs: the maximum number of threads; by default the number of the machine's cores. A server that runs
    ///     already has one job.
    ///   - progress: receives the number of lives so far after each life, on any thread.
    /// - Returns: a report.
    /// - Throws: ``ServerSimulationFailure`` for the first life that breaks a rule; ``ServerSimulationError`` for a
    ///   mistake in the simulation.
    @discardableResult
    public func run(
        seed: UInt64 = 1,
        runs: Int? = nil,
        steps: Int? = nil,
        jobs: Int = ProcessInfo.processInfo.activeProcessorCount,
        progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws -> ServerSimulationReport {
        try await withCheckedThrowingContinuation { continuation in
            // Not on the task pool, whose threads must not block.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try perform(seed: seed, runs: runs, steps: steps, jobs: jobs, progress: progress) }
                )
            }
        }
    }

    /// The state that jobs share.
    private struct Progress {
        var next: UInt64
        /// The seed and the violation of the first broken life.
        var broken: (seed: UInt64, violation: ServerViolation)?
        var error: (any Error)?
        var report = ServerSimulationReport()
    }

    /// Runs many lives on the caller's thread, like ``run(seed:runs:steps:jobs:progress:)``.
    package func perform(
        seed: UInt64,
        runs: Int? = nil,
        steps: Int? = nil,
        jobs: Int = ProcessInfo.processInfo.activeProcessorCount,
        progress: @Sendable (Int) -> Void = { _ in }
    ) throws -> ServerSimulationReport {
        let (runs, steps) = (runs ?? self.runs, steps ?? self.steps)
        try Self.check(runs, "runs")
        try Self.check(steps, "steps")
        try Self.check(jobs, "jobs")
        guard MicroHTTPD.isAvailable else { throw ServerSimulationError(MicroHTTPD.advice) }
        guard Libcrypto.isAvailable else { throw ServerSimulationError(Libcrypto.advice) }
        let begin = ContinuousClock.now
        let end = seed &+ UInt64(runs)
        let jobs = setup.server.command == nil ? 1 : min(jobs, runs)
        let state = Locked(Progress(next: seed))
        DispatchQueue.concurrentPerform(iterations: jobs) { _ in
            work(state, until: end, steps: steps, progress)
        }
        var progress = state.withLock { $0 }
        if let error = progress.error { throw error }
        if let (seed, violation) = progress.broken { throw try reduced(seed, steps: steps, violation) }
        progress.report.duration = ContinuousClock.now - begin
        return progress.report
    }

    /// Lives one life after another, until there are no more or an earlier one is broken.
    private func work(
        _ state: Locked<Progress>,
        until end: UInt64,
        steps: Int,
        _ progress: @Sendable (Int) -> Void
    ) {
        do {
            let server = try ServerUnderTest(setup)
            while true {
                let seed = state.withLock { state -> UInt64? in
                    guard state.next != end, state.error == nil, state.broken == nil else { return nil }
                    defer { state.next &+= 1 }
                    return state.next
                }
                guard let seed else { break }
                do {
                    var generator = ServerStepGenerator(setup, seed: seed)
                    try ServerLife(setup, server, generator).live(generator.steps(steps))
                } catch let violation as ServerViolation {
                    state.withLock { state in
                        if seed < state.broken?.seed ?? .max { state.broken = (seed, violation) }
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
                state.report.requests += server.requests
                state.report.kills += server.kills
            }
        } catch {
            state.withLock { $0.error = $0.error ?? error }
        }
    }

    /// Reduces a broken life to the necessary steps.
    private func reduced(
        _ seed: UInt64,
        steps count: Int,
        _ violation: ServerViolation
    ) throws -> ServerSimulationFailure {
        let server = try ServerUnderTest(setup)
        var generator = ServerStepGenerator(setup, seed: seed)
        let drawn = generator.steps(count)
        func broken(_ steps: [ServerStep]) throws -> (life: ServerLife, violation: ServerViolation)? {
            let life = try ServerLife(setup, server, generator)
            do {
                try life.live(steps)
                return nil
            } catch let found as ServerViolation {
                return found.rule == violation.rule ? (life, found) : nil
            }
        }
        guard var last = try broken(drawn) else {
            throw ServerSimulationError(
                "the life of seed \(seed) was broken once, and not again: \(violation.sentence)\n"
                    + "The server depends on more than its requests: on time, chance or threads?"
            )
        }
        var steps = drawn
        func tried(_ candidate: [ServerStep]) throws -> Bool {
            guard let found = try broken(candidate) else { return false }
            (steps, last) = (candidate, found)
            return true
        }
        func remove(from size: Int) throws {
            var size = max(1, size)
            while true {
                var (start, hasRemoved) = (0, false)
                while start < steps.count {
                    let end = min(start + size, steps.count)
                    if try tried(Array(steps[..<start] + steps[end...])) { hasRemoved = true } else { start = end }
                }
                if size == 1, !hasRemoved { return }
                size = max(1, size / 2)
            }
        }
        try remove(from: steps.count / 2)
        for index in steps.indices {
            for simpler in steps[index].simpler {
                var candidate = steps
                candidate[index] = simpler
                if try tried(candidate) { break }
            }
        }
        // A fault that waits for a later notification hides which steps it needs.
        for index in steps.indices.reversed() where steps[index].isFault {
            for place in (index + 1..<max(steps.count, index + 1)).reversed() {
                var candidate = steps
                candidate.insert(candidate.remove(at: index), at: place)
                if try tried(candidate) { break }
            }
        }
        try remove(from: 1)
        let lines = steps.map(\.line)
        let note = ["# \(last.violation.sentence.split(separator: "\n")[0])", "# seed \(seed)"]
        return ServerSimulationFailure(
            sentence: last.violation.sentence,
            seed: seed,
            drawn: drawn.count,
            steps: lines,
            timeline: last.life.exchanges.map(\.line).joined(separator: "\n"),
            scenario: (note + last.life.scenario).map { "\($0)\n" }.joined()
        )
    }
}

extension ServerSimulation {
    /// Kills the servers of all simulations in the process, which is about to end.
    package static func killServers() { ServerProcess.killAll() }
}
