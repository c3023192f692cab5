extension SimulatedRun {
    /// The run as Swift source.
    var source: String {
        let lines = steps.map { "    \($0),\n" }.joined()
        let place = storage.name == Storage.memory.name ? "" : ", storage: .\(storage.name)"
        return "try SimulatedRun(seed: \(seed), steps: [\n\(lines)]\(place)).run()"
    }

    /// The rule that it breaks, nil for none.
    private var brokenRule: BrokenRule? {
        do { try run() } catch { return error }
        return nil
    }

    /// Returns a run with as few of the operations as it takes to break a rule.
    ///
    /// Takes out pieces, large ones first, as long as some rule is still broken.
    func shrunk() -> SimulatedRun {
        var best = self
        if let rule = brokenRule { best = cut(to: Array(steps.prefix(rule.step + 1))) }
        if best.brokenRule == nil { best = self }
        var size = max(best.steps.count / 2, 1)
        while true {
            var index = 0
            var hasShrunk = false
            while index < best.steps.count {
                var rest = best.steps
                rest.removeSubrange(index..<min(rest.count, index + size))
                let smaller = cut(to: rest)
                if smaller.brokenRule != nil {
                    best = smaller
                    hasShrunk = true
                } else {
                    index += size
                }
            }
            if size == 1, !hasShrunk { return best }
            size = max(size / 2, 1)
        }
    }

    private func cut(to steps: [Step]) -> SimulatedRun {
        SimulatedRun(seed: seed, steps: steps, storage: storage, standIn: standIn)
    }
}
