import Foundation

// The app waits for each restore, which therefore ends in every case, exactly once.
extension QueueMachine {
    /// Requests the restore of earlier purchases.
    mutating func restore(applicationUsername: String?, _ actions: inout Actions) {
        guard !isRetired else { return }
        if connection.isWanted, let failure = connection.failure {
            actions.append(.restoreEnded(failure))
            return
        }
        let number = takeNumber()
        restores.append(number)
        // A restore does not wait for a pause to end; the pause's timer is ignored from now on.
        isPausing = false
        post(.restore(applicationUsername: applicationUsername), number: number, &actions)
    }

    mutating func endRestore(_ number: Int, _ failure: StoreFailure?, _ actions: inout Actions) {
        guard let index = restores.firstIndex(of: number) else { return }
        restores.remove(at: index)
        doubtfulRestores.remove(number)
        actions.append(.restoreEnded(failure))
    }

    /// Fails the waiting restores: the user is told of trouble at once, rather than a restore retried.
    ///
    /// A restore that is on its way may yet succeed.
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

    /// Ends the restores that were acknowledged before a snapshot and are still open at its end: they ended before it.
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

    /// Ends an acknowledged restore that was on its way during a snapshot.
    ///
    /// Its end may lie before the snapshot or still come. The app can ask again, but must not wait forever.
    mutating func restoreAcknowledged(_ number: Int, _ actions: inout Actions) {
        if doubtfulRestores.contains(number) { endRestore(number, Self.endIsHidden, &actions) }
    }

    private static var endIsHidden: StoreFailure {
        .network(.networkConnectionLost, "the connection was lost before the store said that the restore had ended")
    }
}
