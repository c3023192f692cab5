import Synchronization

/// A count of calls on threads that belong to no simulated process, while processes are simulated.
///
/// They reach the process's own context, and so another store than code meant that was launched by a simulation.
package enum StrayCalls {
    private static let simulations = Atomic<Int>(0)
    private static let calls = Atomic<Int>(0)

    /// The number of calls so far.
    package static var count: Int { calls.load(ordering: .relaxed) }

    /// Begins to count, until ``end()`` is called as often.
    package static func begin() { simulations.wrappingAdd(1, ordering: .relaxed) }
    package static func end() { simulations.wrappingSubtract(1, ordering: .relaxed) }

    /// Counts a call, if a simulation is under way.
    package static func note() {
        if simulations.load(ordering: .relaxed) > 0 { calls.wrappingAdd(1, ordering: .relaxed) }
    }
}
