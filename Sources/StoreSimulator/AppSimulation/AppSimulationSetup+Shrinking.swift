import StoreCore

// Of a life that breaks a rule, the shortest part that does.
extension AppSimulationSetup {
    /// Returns the steps that it takes to break a rule, if not always the same.
    func shrunk(
        seed: UInt64,
        steps: [AppStep],
        _ first: AppLife.Violation,
        _ monitor: RunMonitor
    ) throws -> [AppStep] {
        // What breaks the same rule is most likely the same mistake.
        let same = try shrunk(steps, first) {
            try violation(seed: seed, steps: $0, monitor).0.map { $0.rule == first.rule } ?? false
        }
        if same.count <= Self.few { return same }
        let other = try shrunk(same, first) { try violation(seed: seed, steps: $0, monitor).0 != nil }
        return other.count < same.count ? other : same
    }

    /// As many steps as are understood at a glance.
    private static var few: Int { 8 }

    private func shrunk(
        _ steps: [AppStep],
        _ first: AppLife.Violation,
        _ breaks: ([AppStep]) throws -> Bool
    ) throws -> [AppStep] {
        var best = steps
        let prefix = Array(steps.prefix(first.step + 1))
        if prefix.count < steps.count, try breaks(prefix) { best = prefix }
        while true {
            let next = try shrunkOnce(best, breaks)
            // A process that is killed earlier may need less again.
            if next == best { return best }
            best = next
        }
    }

    private func shrunkOnce(_ steps: [AppStep], _ breaks: ([AppStep]) throws -> Bool) throws -> [AppStep] {
        var best = try withoutPieces(steps, breaks)
        // What a process passes before it is killed may not be needed where it is killed earlier.
        var index = 0
        while index < best.count {
            var rest = best
            rest.remove(at: index)
            if let shorter = try killsEarlier(rest).first(where: breaks) {
                (best, index) = (shorter, 0)
            } else {
                index += 1
            }
        }
        return try killsEarlier(best).first(where: breaks) ?? best
    }

    /// Takes out pieces, large ones first.
    private func withoutPieces(_ steps: [AppStep], _ breaks: ([AppStep]) throws -> Bool) rethrows -> [AppStep] {
        var (best, size) = (steps, max(steps.count / 2, 1))
        while true {
            var (index, hasShrunk) = (0, false)
            while index < best.count {
                var rest = best
                rest.removeSubrange(index..<min(rest.count, index + size))
                if try breaks(rest) {
                    (best, hasShrunk) = (rest, true)
                } else {
                    index += size
                }
            }
            if size == 1, !hasShrunk { return best }
            size = max(size / 2, 1)
        }
    }

    /// Returns the steps with one process killed earlier, earliest first; only at one of the first boundaries.
    private func killsEarlier(_ steps: [AppStep]) -> some Sequence<[AppStep]> {
        steps.indices.lazy.flatMap { index -> LazyMapSequence<Range<Int>, [AppStep]> in
            var end = 1
            if case .kill(let count) = steps[index] { end = min(max(count, 1), AppStepGenerator.latestKill + 1) }
            return (1..<end).lazy.map { earlier in
                var earlierSteps = steps
                earlierSteps[index] = .kill(after: earlier)
                return earlierSteps
            }
        }
    }
}
