// A retired queue still owes its store the finishes, and nothing else.
extension QueueMachine {
    /// Retires the machine: from now on it buys, restores and reports nothing and sets no timer, but still sends
    /// finishes.
    ///
    /// Unsent payments are left in the journal for the next launch; so are finishes, if there will be a next launch.
    mutating func retire(leavesFinishes: Bool, _ actions: inout Actions) {
        guard !isRetired else { return }
        isRetired = true
        leavesFinishesToNextLaunch = leavesFinishes
        isObserved = false
        connection.isWanted = false
        isPausing = false
        restores = []
        doubtfulRestores = []
        if !isSubmitting {
            record(from: 0, &actions)
            shedIfRetired()
        }
        sendNext(&actions)
    }

    /// Drops commands that will not be sent.
    ///
    /// To be called after the commands have been handed to the journal.
    mutating func shedIfRetired() {
        guard isRetired else { return }
        var kept = inFlight
        outbound.filter { outbound in
            kept -= 1
            guard kept < 0 else { return true }
            // The next launch finds a finish in the journal only once it is recorded.
            if case .finish = outbound.command.action { return !leavesFinishesToNextLaunch || !outbound.isRecorded }
            return false
        }
    }

    /// Returns whether a command is a payment that is left in the journal for the next launch.
    func isLeftToNextLaunch(_ command: StoreCommand) -> Bool {
        guard isRetired, case .purchase = command.action else { return false }
        return true
    }
}
