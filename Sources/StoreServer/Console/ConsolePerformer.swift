import StoreScenario

/// A performer of a page's acts, with what keeps the settings and the time that no ledger keeps.
package struct ConsolePerformer: Sendable {
    let performer: ScenarioPerformer
    let keep: @Sendable () throws -> Void

    /// Creates a performer.
    ///
    /// - Parameters:
    ///   - performer: the performer, whose ``ScenarioPerformer/settings`` are those to keep.
    ///   - keep: is called after each act, one at a time. The act is done even if it throws: its error is a sentence that says
    ///     so, and what will be lost.
    package init(_ performer: ScenarioPerformer, keep: @escaping @Sendable () throws -> Void = {}) {
        (self.performer, self.keep) = (performer, keep)
    }
}
