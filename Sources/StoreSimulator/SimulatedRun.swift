import StoreCore

/// What stands in for a device's backend in a simulated life: the backend itself, or one that is to be found wanting.
public typealias StandIn = @Sendable (any StoreBackend) -> any StoreBackend

/// One life of a store and the apps on three devices, from its seed or from written steps.
public struct SimulatedRun: Sendable {
    /// Decides whether the store's users are asked before each charge, whether acts of a disk are boundaries, whether queues work
    /// on lanes of their own, which road they take to their stores, and what a death leaves on a disk.
    public let seed: UInt64
    /// What happens.
    public let steps: [Step]
    let storage: Storage
    let standIn: StandIn

    /// A life of written steps, as a failure prints it.
    public init(seed: UInt64, steps: [Step], storage: Storage = .memory, standIn: @escaping StandIn = { $0 }) {
        self.seed = seed
        self.steps = steps
        self.storage = storage
        self.standIn = standIn
    }

    /// Lives it, and checks it after every step.
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

/// A rule that a life broke.
public struct BrokenRule: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which one, in a sentence.
    public let sentence: String
    /// After how many whole steps; all of them, if it showed when the life was wound up.
    public let step: Int

    /// The sentence and the step.
    public var description: String { "\(sentence) (step \(step))" }
}
