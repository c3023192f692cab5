import Foundation

// Somebody waits for each restore: it ends, whatever happens, and it ends once.
extension QueueMachine {
    /// Asks for what was bought earlier.
    mutating func restore(applicationUsername: String?, _ actions: inout Actions) {
        guard !isRetired else { return }
        if connection.isWanted, let failure = connection.failure {
            actions.append(.restoreEnded(failure))
            return
        }
        let number = takeNumber()
        restores.append(number)
        // It does not sit out a pause, whose timer means nothing any more.
        isPausing = false
        post(.restore(applicationUsername: applicationUsername), number: number, &actions)
    }

    mutating func endRestore(_ number: Int, _ failure: StoreFailure?, _ actions: inout Actions) {
        guard let index = restores.firstIndex(of: number) else { return }
        restores.remove(at: index)
        doubtfulRestores.remove(number)
        actions.append(.restoreEnded(failure))
    }

    /// The user is told of trouble at once rather than a restore tried again.
    ///
    /// One that is on its way may yet succeed.
    mutating func failRestores(_ failure: StoreFailure, _ actions: inout Actions) {
        guard !restores.isEmpty else { return }
        var kept = inFlight
        var failed: [Int] = []
        outbound.filter { outbound in
            kept -= 1
            guard kept < 0, case .restore = outbound.command.action else { return true }
            failed.append(outbound.command.id.number)
            return false
        }
        for number in failed { endRestore(number, failure, &actions) }
        lookAgainIfDue(&actions)
    }

    /// A snapshot has ended: what was acknowledged before it and has not ended by now ended before it.
    mutating func endHiddenRestores(_ actions: inout Actions) {
        guard !restores.isEmpty else { return }
        var waiting: Set<Int> = []
        for index in 0..<outbound.count {
            guard case .restore = outbound[index].command.action else { continue }
            let number = outbound[index].command.id.number
            waiting.insert(number)
            if index < inFlight, restores.contains(number) { doubtfulRestores.insert(number) }
        }
        for number in restores where !waiting.contains(number) { endRestore(number, Self.endIsHidden, &actions) }
    }

    /// Nothing tells whether the end of one that was on its way during a snapshot is still to come; the app can ask
    /// again, but not wait for ever.
    mutating func restoreAcknowledged(_ number: Int, _ actions: inout Actions) {
        if doubtfulRestores.contains(number) { endRestore(number, Self.endIsHidden, &actions) }
    }

    private static var endIsHidden: StoreFailure {
        .network(.networkConnectionLost, "the connection was lost before the store said that the restore had ended")
    }
}
