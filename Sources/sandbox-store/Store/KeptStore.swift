import StoreScenario

/// A store that goes on from process to process.
protocol KeptStore {
    var performer: ScenarioPerformer { get }

    /// Throws if a command would do something that cannot be kept.
    func check(_ step: ScenarioStep) throws

    /// Keeps what the ledger does not.
    func keep() throws

    /// Closes the file or the connections.
    func close()
}
