/// The result of a simulation.
package struct SimulationReport: Sendable {
    /// The number of runs, the failed one included.
    package let runs: Int
    /// The failure, nil if there is none.
    package let failure: SimulationFailure?
    let coverage: Coverage
}

extension SimulationReport: CustomStringConvertible {
    /// The number of runs, or the failure, and the coverage, in some lines.
    package var description: String {
        let outcome = failure?.description ?? "\(runs) runs, \(coverage.operations) operations, no rule broken"
        return "\(outcome)\n\n\(coverage.summary)"
    }

    /// Tables of how often each event met each state, and a list of the pairs that were not met.
    package var tables: String { coverage.table }

    /// The number of times that each event met a transaction, a payment in flight or a subscription in each of its
    /// states, under names such as `purchased, signOut`.
    ///
    /// Impossible pairs are left out; see ``impossiblePairs``.
    package var reached: [String: Int] { coverage.reached }

    /// The number of times that queues on the direct transport met each of its events, under names such as `exchange`,
    /// `ring` and `rung, store crashes`.
    package var reachedDirectly: [String: Int] { coverage.direct.reached }

    /// The names in ``reached`` and ``reachedDirectly`` that no run met, in order.
    package var unmet: [String] { [reached, reachedDirectly].flatMap { $0.filter { $0.value == 0 }.keys }.sorted() }

    /// The impossible pairs, each with the reason.
    package static var impossiblePairs: [String: String] { Coverage.impossible }
}
