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

    /// Whether neither the store nor the journal has been handed a command without an answer.
    ///
    /// A retired machine, which repeats nothing by itself, does nothing more then.
    var isAtRest: Bool {
        inFlight == 0 && !isSubmitting && !(0..<outbound.count).contains { outbound[$0].isBeingRecorded }
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

    /// Returns the command by which a retired machine sends a finish.
    ///
    /// It belongs to an opening of its own: a store takes no number below one that it has taken, and the payments in the
    /// journal still have theirs to be sent. The opening follows from the machine's, so that a run repeats.
    func lateFinish(_ outbound: Outbound) -> StoreCommand {
        let opening = JournalID(rawValue: journal.rawValue ^ 1 << 63)
        return StoreCommand(id: OrderID(journal: opening, number: outbound.row), action: outbound.command.action)
    }

    /// Returns whether a command is a payment that is left in the journal for the next launch.
    func isLeftToNextLaunch(_ command: StoreCommand) -> Bool {
        guard isRetired, case .purchase = command.action else { return false }
        return true
    }
}
