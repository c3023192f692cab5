import StoreCore

/// A run of a store and the apps on three devices, from its seed or from written operations.
package struct SimulatedRun: Sendable {
    /// The seed, which decides whether the store's users are asked before each charge, whether operations of a disk are
    /// boundaries, whether queues work on their own lanes, which transport they use, and what a crash leaves on a disk.
    package let seed: UInt64
    /// The operations.
    package let operations: [SimulatedOperation]
    let storage: Storage
    let standIn: StandIn

    /// Creates a run of written operations, as a failure prints it.
    package init(
        seed: UInt64,
        operations: [SimulatedOperation],
        storage: Storage = .memory,
        standIn: @escaping StandIn = { $0 }
    ) {
        self.seed = seed
        self.operations = operations
        self.storage = storage
        self.standIn = standIn
    }

    /// The run as a scenario, which makes the same happen in a store without the apps.
    ///
    /// What does nothing to the store, such as the crash of an app, is a comment. Every line may be refused by the store, as
    /// every operation may. Perform it with StoreScenario's `Scenario` on a ``scenarioStore()``.
    package var scenario: String {
        (SimulatedOperation.scenarioPreparation + operations.map(\.scenarioLine)).map { "\($0)\n" }.joined()
    }

    /// Returns a new store with the products of every simulated run.
    ///
    /// - Throws: nothing that a caller could mend.
    package static func scenarioStore() throws -> SandboxStore {
        try SandboxStore(products: Simulation.products, locale: "en_US")
    }

    /// Runs the operations, and checks the stores and apps after each.
    ///
    /// - Throws: ``BrokenRule`` at the first rule that is broken.
    package func run() throws(BrokenRule) { try run(Coverage()) }

    /// Runs the operations up to the first broken rule or the end, and returns what the store recorded, with what its last
    /// process told the devices.
    ///
    /// It is empty where the store cannot be opened or read.
    package func timeline() -> SandboxTimeline {
        var timeline = SandboxTimeline()
        // Whoever asks knows the rule.
        try? run(Coverage()) { simulation in timeline = (try? simulation.store.timeline) ?? timeline }
        return timeline
    }

    /// Runs the operations, and hands the simulation over when they are through or have broken a rule.
    ///
    /// With `look`, what is sent to devices is traced.
    func run(_ coverage: Coverage, look: ((Simulation) -> Void)? = nil) throws(BrokenRule) {
        var taken = 0
        do {
            let simulation = try Simulation(seed: seed, coverage: coverage, storage: storage, standIn: standIn)
            simulation.tracesDeliveries = look != nil
            defer {
                look?(simulation)
                simulation.removeStorage()
            }
            for (index, operation) in operations.enumerated() {
                taken = index
                simulation.take(operation)
                simulation.endOperation()
                try simulation.relaunchCrashed()
                coverage.operations += 1
                if let violation = simulation.check() { throw BrokenRule(sentence: violation, operation: index) }
            }
            if let violation = try simulation.end() {
                throw BrokenRule(sentence: violation, operation: operations.count)
            }
        } catch let rule as BrokenRule {
            throw rule
        } catch {
            throw BrokenRule(sentence: "the store cannot be opened: \(error)", operation: taken)
        }
    }
}
