import StoreCore
import StoreScenario

/// A store on which the tool performs commands.
protocol KeptStore {
    /// The store's clock; nil if it is in another process.
    var clock: (any StoreClock)? { get }

    /// Performs a step.
    ///
    /// When the method returns or throws, all effects of the step are saved.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - line: the step as it is written in its scenario.
    /// - Returns: the result.
    /// - Throws: a `ScenarioError` for a step that the store refuses, and the errors of its storage or server.
    func perform(_ step: ScenarioStep, written line: String) throws -> ScenarioAnswer

    /// Returns the names in the store that are valid for a kind of word, oldest first.
    func names(of kind: ScenarioValueKind) throws -> [String]

    /// Closes the store's database or connection.
    func close()
}

/// A store in this process.
protocol LocalStore: KeptStore {
    var performer: ScenarioPerformer { get }

    /// Throws an error if a step changes a setting that cannot be saved.
    func check(_ step: ScenarioStep) throws

    /// Saves the time and the settings that the ledger does not store.
    func keep() throws
}

extension LocalStore {
    var clock: (any StoreClock)? { performer.store.clock }

    func perform(_ step: ScenarioStep, written line: String) throws -> ScenarioAnswer {
        try check(step)
        let result = Result { try performer.perform(step) }
        // A refused step may have moved the clock.
        try keep()
        return try result.get()
    }

    func names(of kind: ScenarioValueKind) throws -> [String] { try performer.names(of: kind) }
}

/// A store in memory, which ends with the process.
struct MemoryStore: LocalStore {
    let performer: ScenarioPerformer

    func check(_ step: ScenarioStep) {}
    func keep() {}
    func close() {}
}
