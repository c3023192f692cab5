// Of a life that breaks a rule, the shortest part that does.
extension AppSimulation {
    /// Returns the steps that it takes to break a rule, if not always the same.
    func shrunk(seed: UInt64, steps: [AppStep], _ first: AppLife<App>.Violation) throws -> [AppStep] {
        func breaks(_ steps: [AppStep]) throws -> Bool { try violation(seed: seed, steps: steps).0 != nil }
        var best = steps
        let prefix = Array(steps.prefix(first.step + 1))
        if prefix.count < steps.count, try breaks(prefix) { best = prefix }
        best = try withoutPieces(best, breaks)
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

    /// Returns the steps with one process killed earlier, earliest first.
    private func killsEarlier(_ steps: [AppStep]) -> [[AppStep]] {
        steps.indices.flatMap { index -> [[AppStep]] in
            guard case .kill(let count) = steps[index] else { return [] }
            return (1..<max(count, 1)).map { earlier in
                var earlierSteps = steps
                earlierSteps[index] = .kill(after: earlier)
                return earlierSteps
            }
        }
    }
}
