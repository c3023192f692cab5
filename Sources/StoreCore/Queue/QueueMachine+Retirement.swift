// A queue that has fallen silent owes its store nothing but what was finished on it.
extension QueueMachine {
    /// From now on nothing is bought, restored or told, and no timer is set; what is finished still goes to the store.
    ///
    /// Payments not sent yet are left in the journal, to the next launch; so is what was finished, if there will be one.
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

    /// Lets go of what will not be sent.
    ///
    /// To be called after the commands have been handed to the journal.
    mutating func shedIfRetired() {
        guard isRetired else { return }
        var kept = inFlight
        outbound.filter { outbound in
            kept -= 1
            guard kept < 0 else { return true }
            // The next launch finds a finish in the journal only once it is there.
            if case .finish = outbound.command.action { return !leavesFinishesToNextLaunch || !outbound.isRecorded }
            return false
        }
    }

    /// The journal has kept a payment that is not to be sent in this launch any more.
    func isLeftToNextLaunch(_ command: StoreCommand) -> Bool {
        guard isRetired, case .purchase = command.action else { return false }
        return true
    }
}
