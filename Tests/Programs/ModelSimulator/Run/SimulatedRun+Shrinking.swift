import StoreCore

extension SimulatedRun {
    /// The run as Swift source.
    var source: String {
        let lines = operations.map { "    \($0),\n" }.joined()
        let place = storage.name == Storage.memory.name ? "" : ", storage: .\(storage.name)"
        return "try SimulatedRun(seed: \(seed), operations: [\n\(lines)]\(place)).run()"
    }

    /// The rule that it breaks, nil for none.
    private var brokenRule: BrokenRule? {
        do { try run() } catch { return error }
        return nil
    }

    /// Returns a run with as few of the operations as it takes to break a rule.
    ///
    /// Operations are removed as long as some rule is still broken.
    func shrunk() -> SimulatedRun {
        var best = self
        if let rule = brokenRule { best = cut(to: Array(operations.prefix(rule.operation + 1))) }
        if best.brokenRule == nil { best = self }
        return cut(to: best.operations.withoutPieces { cut(to: $0).brokenRule != nil })
    }

    private func cut(to operations: [SimulatedOperation]) -> SimulatedRun {
        SimulatedRun(seed: seed, operations: operations, storage: storage, standIn: standIn)
    }
}
