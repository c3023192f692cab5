/// A part of the suite that runs on a new store.
struct Scenario: Sendable {
    /// The promises that it tests, besides those that are always checked.
    let promises: [ContractPromise]
    let act: @Sendable (TestHarness) throws -> Void

    static var all: [Scenario] {
        [.buying, .waiting, .repeating, .finishing, .restoring, .resuming, .connecting, .crowding, .requesting]
    }

    /// Runs the scenario, then checks everything that was sent.
    func play(_ subject: ContractSubject, _ book: ResultCollector) {
        var reason = "there was no occasion"
        do {
            let stage = try TestHarness(subject, book)
            do {
                try act(stage)
                try stage.quiet()
            } catch let stop as Stop {
                reason = stop.reason
            }
            stage.judge()
            stage.close()
        } catch {
            reason = (error as? Stop)?.reason ?? "\(error)"
        }
        book.skip(promises, because: reason)
    }
}
