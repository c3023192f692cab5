import Foundation

/// The work that a change of a sandbox store leaves to do once no lock is held.
struct SandboxErrands: Sendable {
    /// The time at which the clock is to ring for the subscriptions.
    var alarm: Date?
    /// The listeners of the connections that have news.
    var rings: [any NewsListener]
    /// The orders to ask the authorizer about.
    var questions: [TransactionNumber]
}

extension SandboxDriverState {
    /// Takes the work that is left; nil if there is none.
    mutating func takeErrands() -> SandboxErrands? {
        let alarm = nextAlarm()
        guard alarm != nil || !rings.isEmpty || !questions.isEmpty else { return nil }
        ringing += rings.count
        defer {
            rings = []
            questions = []
        }
        return SandboxErrands(alarm: alarm, rings: rings, questions: questions)
    }
}
