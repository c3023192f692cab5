import Foundation

/// What a change of a sandbox store leaves to do once no lock is held.
struct SandboxErrands: Sendable {
    /// When the clock is to ring for the subscriptions.
    var alarm: Date?
    /// The connections that have news.
    var rings: [any NewsListener]
    /// The orders that the authorizer has to be asked about.
    var questions: [Int]
}

extension SandboxDriverState {
    /// Takes what is left to do; nil if there is nothing.
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
