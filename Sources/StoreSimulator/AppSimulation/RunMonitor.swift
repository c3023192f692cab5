import Foundation
import StoreCore
import Synchronization

/// What is known of the lives of a run while they are under way, for a run that is canceled, stands still, or ends with its
/// process.
final class RunMonitor: Sendable {
    /// A life under way.
    final class Life: Sendable {
        fileprivate struct State {
            var place = Place.launch
            var since = ContinuousClock.now
            var isReported = false
        }

        fileprivate let seed: UInt64
        fileprivate let state = Locked(State())

        fileprivate init(seed: UInt64) { self.seed = seed }
    }

    /// A place in a life.
    enum Place: Sendable {
        case launch
        case step(Int, AppStep)
        case end
    }

    /// The lives under way, in the order of their beginnings.
    private let lives = Locked<[Life]>([])
    private let isCanceled = Atomic<Bool>(false)
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

    func cancel() { isCanceled.store(true, ordering: .relaxed) }

    /// Throws if the run is canceled.
    func checkCancellation() throws { if isCanceled.load(ordering: .relaxed) { throw CancellationError() } }

    // MARK: Lives

    /// Calls a body that lives lives of a seed.
    func withSeed<R>(_ seed: UInt64, _ body: () throws -> R) rethrows -> R {
        seeds?.begin(seed)
        defer { seeds?.end(seed) }
        return try body()
    }

    func begin(_ seed: UInt64) -> Life {
        let life = Life(seed: seed)
        lives.withLock { $0.append(life) }
        return life
    }

    /// Notes that a life goes on.
    ///
    /// - Throws: `CancellationError` if the run is canceled.
    func go(_ life: Life, to place: Place) throws {
        life.state.withLock { state in
            (state.place, state.since, state.isReported) = (place, ContinuousClock.now, false)
        }
        try checkCancellation()
    }

    func end(_ life: Life) { lives.withLock { $0.removeAll { $0 === life } } }

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
        var (lines, next) = ([String](), limit)
        for life in lives.withLock({ $0 }) {
            life.state.withLock { state in
                if state.isReported { return }
                let left = limit - (now - state.since)
                if left > .zero {
                    next = min(next, left)
                } else {
                    state.isReported = true
                    lines.append("a life of seed \(life.seed) has stood still for \(limit), \(state.place.text)")
                }
            }
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
