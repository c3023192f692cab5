import Foundation

/// A driver's end of one connection to a store that is not asked directly.
///
/// Every connection has its own, so that updates from an earlier one can be told apart.
final class SocketConnection: StoreUpdateReceiver {
    private let driver: QueueDriver
    private let generation: Int
    let journal: JournalID
    private let begun: Date

    init(_ driver: QueueDriver, generation: Int, journal: JournalID) {
        self.driver = driver
        self.generation = generation
        self.journal = journal
        begun = driver.clock.now
    }

    func receive(_ batch: UpdateBatch) {
        driver.takeIn { $0.received(batch, generation: generation, &$1) }
    }

    func connectionLost(_ failure: StoreFailure) {
        let duration = driver.clock.now.timeIntervalSince(begun)
        driver.takeIn { $0.connectionLost(failure, generation: generation, after: duration, &$1) }
    }
}

extension QueueDriver {
    /// Submits commands to a store that replies asynchronously.
    func submit(_ commands: [StoreCommand], number: Int) {
        backend.submit(commands) { reply in
            if case .refused(let refused) = reply { self.logFinishes(of: commands, among: refused) }
            self.takeIn { [now = self.clock.now] in $0.replied(reply, to: number, now: now, &$1) }
        }
        handle { $0.submissionReturned(number, &$1) }
    }

    /// Logs the refused finishes, of which no observer hears.
    private func logFinishes(of commands: [StoreCommand], among refused: [RefusedCommand]) {
        for command in commands {
            guard case .finish(let transaction) = command.action,
                let failure = refused.first(where: { $0.id == command.id })?.failure
            else { continue }
            log("the store refuses the finish of transaction \(transaction.prefix(64)): \(failure.reason)")
        }
    }
}
