import Foundation
import StoreCore

// One life.
extension AppSimulationSetup {
    /// Lives a life on the calling thread.
    ///
    /// Returns the rule that it breaks, nil for none, and then what the store recorded.
    func violation(
        seed: UInt64,
        steps: [AppStep],
        _ monitor: RunMonitor,
        tracesDeliveries: Bool = false
    ) throws -> (AppLife.Violation?, AppCoverage, SandboxTimeline) {
        try monitor.checkCancellation()
        let life = try AppLife(self, seed: seed, monitor)
        life.store.tracesDeliveries = tracesDeliveries
        do {
            try life.live(steps)
            return (nil, life.coverage, SandboxTimeline())
        } catch let violation as AppLife.Violation {
            return (violation, life.coverage, (try? life.store.timeline) ?? SandboxTimeline())
        }
    }

    /// Lives a life, and returns the failure of the shortest life that breaks a rule as well; nil if it breaks none.
    func failure(seed: UInt64, steps: [AppStep], _ monitor: RunMonitor) throws -> AppSimulationFailure? {
        let (violation, _, events) = try violation(seed: seed, steps: steps, monitor)
        return try violation.map { try failure(of: $0, events, seed: seed, steps: steps, monitor) }
    }

    /// Returns the failure of the shortest life that breaks a rule, as a life has done; of this one if it does not repeat.
    func failure(
        of violation: AppLife.Violation,
        _ events: SandboxTimeline,
        seed: UInt64,
        steps: [AppStep],
        _ monitor: RunMonitor
    ) throws -> AppSimulationFailure {
        func failure(_ sentence: String, _ shrunk: [AppStep], _ events: SandboxTimeline) -> AppSimulationFailure {
            .init(sentence: sentence, seed: seed, drawn: steps.count, steps: shrunk, events: events)
        }
        if let again = try self.violation(seed: seed, steps: steps, monitor).0 {
            let shrunk = try shrunk(seed: seed, steps: steps, again, monitor)
            // Only now, for no other life is looked at.
            let (last, _, told) = try self.violation(seed: seed, steps: shrunk, monitor, tracesDeliveries: true)
            if let last { return failure(last.sentence, shrunk, told) }
        }
        return failure("\(violation.sentence), which the same seed did not bring about again", steps, events)
    }

    /// Calls a body on a thread that may be used up.
    func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
        }
    }
}
