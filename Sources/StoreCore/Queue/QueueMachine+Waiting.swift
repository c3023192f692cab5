extension QueueMachine {
    /// The outside events that the queue waits for, a line each.
    var waiting: [String] {
        var lines: [String] = []
        if inFlight > 0 { lines.append("the store's answer to \(inFlight) commands") }
        if isPausing { lines.append("the pause before commands are sent again") }
        if connection.isWanted, connection.isLost {
            lines.append("the pause before the queue connects again")
        } else if connection.isWanted, connection.awaitsSnapshot {
            lines.append("the store's snapshot of what is unfinished")
        }
        if unobservedPayments > 0 { lines.append("an observer, for \(unobservedPayments) payments") }
        if !restores.isEmpty { lines.append("the end of \(restores.count) restores") }
        return lines
    }

    private var unobservedPayments: Int {
        guard !isObserved, !isRetired else { return 0 }
        return (inFlight..<outbound.count).count { index in
            if case .purchase = outbound[index].command.action { true } else { false }
        }
    }
}
