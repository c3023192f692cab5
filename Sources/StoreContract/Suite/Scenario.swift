/// A part of the suite that runs on a new store.
struct Scenario: Sendable {
    /// The promises that it tests, besides those that are always checked.
    let promises: [ContractPromise]
    let body: @Sendable (TestHarness) throws -> Void

    static var all: [Scenario] {
        [
            .buying, .offering, .waiting, .refusing, .repeating, .remembering, .lookingAtOnce, .finishing, .restoring,
            .refundingRestorable, .resuming, .connecting, .releasing, .callingFromWithin, .crowding, .notifying,
            .moving,
            .requesting, .serving, .promoting, .readingHistory, .refunding, .subscribing,
        ]
    }

    /// Runs the scenario, then checks everything that was sent.
    func run(_ subject: ContractSubject, _ results: ResultCollector) {
        var reason = "there was no occasion"
        do {
            let harness = try TestHarness(subject, results)
            do {
                try body(harness)
                try harness.quiet()
            } catch let stop as Stop {
                reason = stop.reason
            }
            harness.judge()
            harness.close()
        } catch {
            reason = (error as? Stop)?.reason ?? "\(error)"
        }
        results.skip(promises, because: reason)
    }
}
