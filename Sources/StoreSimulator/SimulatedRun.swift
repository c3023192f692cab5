import StoreCore

/// A function that returns a backend in place of a device's: the backend itself, or one that violates a promise.
public typealias StandIn = @Sendable (any StoreBackend) -> any StoreBackend

/// A run of a store and the apps on three devices, from its seed or from written operations.
public struct SimulatedRun: Sendable {
    /// The seed, which decides whether the store's users are asked before each charge, whether operations of a disk are
    /// boundaries, whether queues work on their own lanes, which road they take to their stores, and what a crash
    /// leaves on a disk.
    public let seed: UInt64
    /// The operations.
    public let steps: [Step]
    let storage: Storage
    let standIn: StandIn

    /// Creates a run of written operations, as a failure prints it.
    public init(seed: UInt64, steps: [Step], storage: Storage = .memory, standIn: @escaping StandIn = { $0 }) {
        self.seed = seed
        self.steps = steps
        self.storage = storage
        self.standIn = standIn
    }

    /// Runs the operations, and checks the stores and apps after each.
    ///
    /// - Throws: ``BrokenRule`` at the first rule that is broken.
    public func run() throws(BrokenRule) { try run(Coverage()) }

    func run(_ coverage: Coverage) throws(BrokenRule) {
        var taken = 0
        do {
            let world = try Simulation(seed: seed, coverage: coverage, storage: storage, standIn: standIn)
            defer { world.removeStorage() }
            for (index, step) in steps.enumerated() {
                taken = index
                world.take(step)
                world.endStep()
                try world.raiseTheDead()
                coverage.steps += 1
                if let violation = world.check() { throw BrokenRule(sentence: violation, step: index) }
            }
            if let violation = try world.end() { throw BrokenRule(sentence: violation, step: steps.count) }
        } catch let rule as BrokenRule {
            throw rule
        } catch {
            throw BrokenRule(sentence: "the store cannot be opened: \(error)", step: taken)
        }
    }
}

/// A rule that a run broke.
public struct BrokenRule: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule, in a sentence.
    public let sentence: String
    /// The number of completed operations; all of them, if the violation showed when the run was wound up.
    public let step: Int

    /// The sentence and the operation's number.
    public var description: String { "\(sentence) (step \(step))" }
}
