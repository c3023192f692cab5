import Synchronization

// In `API` rather than `Context`, since the process's store may be a sandbox store, which `Context` does not know.
extension StoreContext {
    /// The context of the process, used by code for which no other context is bound.
    ///
    /// It initially has no store, or a store created from the `.storekit` file that the environment variable
    /// `STOREKIT_CONFIGURATION` names, with the system's clock. If the file is refused, the reason is written to
    /// standard error, and there is no store.
    public static let process = StoreContext(
        backend: SandboxStore.namedByEnvironment(log: .standardError),
        isOfProcess: true
    )

    /// The context bound in the running task or, if there is none, the process's.
    public static var current: StoreContext { ofCaller ?? processForStray }

    /// The process's context, for code without another one; counts the access while processes are simulated.
    private static var processForStray: StoreContext {
        StrayCalls.note()
        return process
    }
}

/// A counter of calls that come from no simulated process while processes are simulated.
///
/// Such a call uses the context of the real process, rather than the store that the simulated code was meant to use.
package enum StrayCalls {
    private static let simulations = Atomic<Int>(0)
    private static let calls = Atomic<Int>(0)

    /// The number of calls so far.
    package static var count: Int { calls.load(ordering: .relaxed) }

    /// Begins to count calls; counting ends when ``end()`` has been called as often as this method.
    package static func begin() { simulations.wrappingAdd(1, ordering: .relaxed) }
    package static func end() { simulations.wrappingSubtract(1, ordering: .relaxed) }

    /// Counts a call if a simulation is under way.
    package static func note() {
        if simulations.load(ordering: .relaxed) > 0 { calls.wrappingAdd(1, ordering: .relaxed) }
    }
}
