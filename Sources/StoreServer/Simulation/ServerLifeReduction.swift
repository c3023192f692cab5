import Foundation
import StoreCore

/// A reduction of a broken life to the necessary steps.
struct ServerLifeReduction {
    private let setup: ServerSetup
    private let seed: UInt64
    private let violation: ServerViolation

    /// The number of trials after which a reduction ends, whatever it has reached.
    private static let mostTrials = 600
    /// The same for a server that does not answer, for which each trial waits.
    private static let mostTrialsWithoutAnswer = 30

    init(_ setup: ServerSetup, seed: UInt64, _ violation: ServerViolation) {
        (self.setup, self.seed, self.violation) = (setup, seed, violation)
    }

    /// The end of a reduction that has taken too many trials.
    private struct Exhaustion: Error {}

    /// A life that breaks the rule.
    private struct Broken {
        let steps: [ServerStep]
        let life: ServerLife
        let violation: ServerViolation
    }

    /// Lives lives with fewer steps as long as they break the same rule.
    ///
    /// - Parameters:
    ///   - count: the number of steps that are drawn.
    ///   - progress: receives the number of trials.
    ///   - isCancelled: whether to end before the next trial.
    /// - Returns: the reduced life.
    /// - Throws: ``ServerSimulationError`` if the life is not broken again.
    func failure(
        steps count: Int,
        progress: (Int) -> Void,
        isCancelled: () -> Bool
    ) throws -> ServerSimulationFailure {
        let server = try ServerUnderTest(setup)
        var generator = ServerStepGenerator(setup, seed: seed)
        let drawn = generator.steps(count)
        func broken(_ steps: [ServerStep]) throws -> Broken? {
            let life = try ServerLife(setup, server, generator)
            do {
                try life.live(steps)
                return nil
            } catch let found as ServerViolation {
                return found.rule == violation.rule ? Broken(steps: steps, life: life, violation: found) : nil
            }
        }
        guard var best = try broken(drawn) else {
            throw ServerSimulationError(
                "the life of seed \(seed) was broken once, and not again: \(violation.sentence)\n"
                    + "The server depends on more than its requests: on time, chance or threads?"
            )
        }
        // A number of trials, not a time, so that the result is the same on any machine.
        let limit = violation.rule.hasPrefix("answer") ? Self.mostTrialsWithoutAnswer : Self.mostTrials
        var (trials, isUnfinished) = (0, false)
        do {
            try reduce(best.steps) { candidate in
                if isCancelled() { throw CancellationError() }
                if trials == limit { throw Exhaustion() }
                trials += 1
                progress(trials)
                guard let found = try broken(candidate) else { return false }
                best = found
                return true
            }
        } catch is Exhaustion { isUnfinished = true }
        let note = ["# \(best.violation.sentence.split(separator: "\n")[0])", "# seed \(seed)"]
        return ServerSimulationFailure(
            sentence: best.violation.sentence,
            seed: seed,
            drawn: drawn.count,
            isUnfinished: isUnfinished,
            steps: best.steps.map(\.line),
            timeline: best.life.exchanges.map(\.line).joined(separator: "\n"),
            scenario: (note + best.life.scenario).map { "\($0)\n" }.joined()
        )
    }

    /// Tries fewer and simpler steps.
    ///
    /// - Parameters:
    ///   - steps: the steps of the broken life.
    ///   - breaks: whether the rule is broken by other steps, too.
    /// - Throws: the errors of `breaks`.
    private func reduce(_ steps: [ServerStep], breaks: ([ServerStep]) throws -> Bool) throws {
        var steps = steps
        func tried(_ candidate: [ServerStep]) throws -> Bool {
            guard try breaks(candidate) else { return false }
            steps = candidate
            return true
        }
        steps = try steps.withoutPieces(while: breaks)
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
        _ = try steps.withoutPieces(of: 1, while: breaks)
    }
}
