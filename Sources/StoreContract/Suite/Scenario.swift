/// A part of the suite: a story that is played on a new store.
struct Scenario: Sendable {
    /// What it tries, beside what is looked at always.
    let promises: [ContractPromise]
    let act: @Sendable (TestHarness) throws -> Void

    static var all: [Scenario] {
        [.buying, .waiting, .repeating, .finishing, .restoring, .resuming, .connecting, .crowding, .requesting]
    }

    /// Plays it; afterwards looks at everything that was sent.
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
