import Foundation
import StoreCore

/// What is known of the lives of a run while they are under way, for a run that is canceled, stands still, or ends with its
/// process.
final class RunMonitor: Sendable {
    /// A life under way.
    struct Life: Sendable {
        fileprivate let number: Int
        let seed: UInt64
    }

    private struct State {
        var isCanceled = false
        /// The lives under way, and how far they are.
        var lives: [Int: (seed: UInt64, place: Place, since: ContinuousClock.Instant, isReported: Bool)] = [:]
        var count = 0
    }

    /// A place in a life.
    enum Place: Sendable {
        case launch
        case step(Int, AppStep)
        case end
    }

    private let state = Locked(State())
    private let limit: Duration
    private let say: @Sendable (String) -> Void
    private let seeds: UnderwaySeeds?

    /// - Parameters:
    ///   - limit: the time for which a life may stand still.
    ///   - seeds: where the seeds under way are written.
    ///   - say: prints a line.
    init(limit: Duration, seeds: UnderwaySeeds? = nil, say: @escaping @Sendable (String) -> Void) {
        self.limit = limit
        self.seeds = seeds
        self.say = say
    }

    func cancel() { state.withLock { $0.isCanceled = true } }

    /// Throws if the run is canceled.
    func checkCancellation() throws { if state.withLock({ $0.isCanceled }) { throw CancellationError() } }

    // MARK: Lives

    /// Calls a body that lives lives of a seed.
    func withSeed<R>(_ seed: UInt64, _ body: () throws -> R) rethrows -> R {
        seeds?.begin(seed)
        defer { seeds?.end(seed) }
        return try body()
    }

    func begin(_ seed: UInt64) -> Life {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.count += 1
            state.lives[state.count] = (seed, .launch, now, false)
            return Life(number: state.count, seed: seed)
        }
    }

    /// Notes that a life goes on.
    ///
    /// - Throws: `CancellationError` if the run is canceled.
    func go(_ life: Life, to place: Place) throws {
        let now = ContinuousClock.now
        let isCanceled = state.withLock { state in
            state.lives[life.number] = (life.seed, place, now, false)
            return state.isCanceled
        }
        if isCanceled { throw CancellationError() }
    }

    func end(_ life: Life) { state.withLock { $0.lives[life.number] = nil } }

    // MARK: Standing still

    /// Calls a body, and says which lives stand still meanwhile.
    func watching<R>(_ body: () throws -> R) rethrows -> R {
        let condition = NSCondition()
        let isOver = Locked(false)
        let thread = Thread { [self] in
            condition.lock()
            defer { condition.unlock() }
            while !isOver.withLock({ $0 }) {
                let next = report()
                // A wait of centuries traps (Foundation of Swift 6.3), and one of no time would use up a core.
                let pause = min(max(next.seconds, 0.01), 3_600)
                _ = condition.wait(until: Date(timeIntervalSinceNow: pause))
            }
        }
        thread.name = "AppSimulation"
        thread.start()
        defer {
            condition.lock()
            isOver.withLock { $0 = true }
            condition.signal()
            condition.unlock()
        }
        return try body()
    }

    /// Says which lives stand still; returns the time until another may do.
    private func report() -> Duration {
        let now = ContinuousClock.now
        let (lines, next) = state.withLock { state in
            var (lines, next) = ([String](), limit)
            for (number, life) in state.lives.sorted(by: { $0.key < $1.key }) where !life.isReported {
                let left = limit - (now - life.since)
                if left > .zero {
                    next = min(next, left)
                } else {
                    state.lives[number]?.isReported = true
                    lines.append("a life of seed \(life.seed) has stood still for \(limit), \(life.place.text)")
                }
            }
            return (lines, next)
        }
        for line in lines { say(line) }
        return next
    }
}

extension RunMonitor.Place {
    fileprivate var text: String {
        switch self {
        case .launch: "at the first launch"
        case .step(let index, let step): "at step \(index + 1), \(step)"
        case .end: "after its last step"
        }
    }
}

extension Duration {
    /// The duration in seconds.
    fileprivate var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
