import Foundation

// The store's updates, each applied once.
extension QueueMachine {
    /// The queue's connection to its store, and its position in the updates.
    struct Connection {
        var isWanted = false
        /// The number of connections so far; updates from earlier ones are ignored.
        var generation = 0
        var cursor: UpdateCursor?
        var attempts = 0
        /// The reason why there is no connection now.
        var failure: StoreFailure?
        var isLost: Bool { failure != nil }
        var awaitsFirstBatch = false
        /// Whether the store is sending a snapshot, or may be about to.
        var isInSnapshot = false
        /// Whether a snapshot is certain to start or continue.
        ///
        /// If the cursor is not within a snapshot, the store may send only changes, or nothing at all.
        var awaitsSnapshot: Bool { isInSnapshot && (cursor == nil || cursor?.part != nil) }
        /// Whether another snapshot is needed, once the current one and the restores under way have ended.
        var mustLookAgain = false
        /// The rows that the current snapshot must still show; those left at its end are removed.
        ///
        /// Initially the rows that were in the store when the snapshot began, except ``excused`` ones.
        var unseen: Set<Int> = []
        /// The rows whose orders were acknowledged on this connection, so that its snapshot need not show them.
        var excused: Set<Int> = []
    }

    mutating func connect(_ actions: inout Actions) {
        connection.isWanted = true
        connection.generation += 1
        connection.failure = nil
        connection.awaitsFirstBatch = true
        connection.isInSnapshot = true
        // A snapshot may resume where it stopped: the rows that it has not shown so far are still expected.
        if connection.cursor?.part == nil { connection.unseen = [] }
        connection.excused = []
        if connection.cursor == nil { connection.mustLookAgain = false }
        actions.append(.connect(generation: connection.generation, after: connection.cursor))
    }

    /// Handles the loss of the connection.
    ///
    /// The queue reconnects from its cursor, after a delay.
    ///
    /// - Parameters:
    ///   - failure: the reason.
    ///   - generation: the number of the lost connection.
    ///   - duration: the duration of the lost connection, in seconds. A connection that lasted longer than any backoff
    ///     counts as working, even without updates.
    ///   - actions: receives the actions to perform.
    mutating func connectionLost(
        _ failure: StoreFailure,
        generation: Int,
        after duration: TimeInterval = 0,
        _ actions: inout Actions
    ) {
        guard connection.isWanted, generation == connection.generation, !connection.isLost else { return }
        if duration > Self.longestPause { connection.attempts = 0 }
        connection.failure = failure
        connection.attempts += 1
        let pause = Self.pause(afterAttempts: connection.attempts)
        actions.append(.wake(.connection(generation: generation), after: pause))
        failRestores(failure, &actions)
        sendNext(&actions)
    }

    mutating func received(_ batch: UpdateBatch, generation: Int, _ actions: inout Actions) {
        guard connection.isWanted, generation == connection.generation, !connection.isLost else { return }
        if batch.after == nil, connection.awaitsFirstBatch {
            beginSnapshot()
        } else {
            if let cursor = connection.cursor, batch.through <= cursor { return }
            guard let cursor = connection.cursor, batch.after == cursor else { return reconnect(&actions) }
            if connection.awaitsFirstBatch, cursor.part == nil { endSnapshotWatch() }
        }
        connection.awaitsFirstBatch = false
        connection.attempts = 0
        let mustTell = fold(batch.updates, &actions)
        connection.cursor = batch.through
        if mustTell { actions.append(.delivered(batch.through)) }
        if connection.isInSnapshot, batch.through.part == nil { endSnapshot(&actions) }
        lookAgainIfDue(&actions)
    }

    /// Reconnects after a gap in the updates: at once the first time, then with backoff.
    private mutating func reconnect(_ actions: inout Actions) {
        if connection.attempts == 0 {
            connection.attempts = 1
            connect(&actions)
        } else {
            let failure = StoreFailure.network(.networkConnectionLost, "updates from the store went missing on the way")
            connectionLost(failure, generation: connection.generation, &actions)
        }
    }

    /// Requests a new snapshot, if one is needed.
    ///
    /// None is requested during another snapshot, nor during a restore, whose end the new snapshot might hide.
    mutating func lookAgainIfDue(_ actions: inout Actions) {
        guard connection.mustLookAgain, !connection.awaitsSnapshot, restores.isEmpty else { return }
        connection.mustLookAgain = false
        connection.cursor = nil
        if connection.isWanted, !connection.isLost { connect(&actions) }
    }

    /// Makes the next connection begin with a snapshot.
    mutating func forgetCursor() { connection.cursor = nil }

    // MARK: Snapshots

    private mutating func beginSnapshot() {
        connection.cursor = nil
        connection.unseen = []
        rows.forEach { number, row in
            if row.isInStore, !connection.excused.contains(number) { connection.unseen.insert(number) }
        }
    }

    private mutating func endSnapshot(_ actions: inout Actions) {
        for number in connection.unseen.sorted() { drop(number, &actions) }
        doubtHiddenOrders()
        endHiddenRestores(&actions)
        endSnapshotWatch()
        lookAgainIfDue(&actions)
        sendNext(&actions)
    }

    /// Marks the orders that may have been sold, and finished by another queue, before the snapshot was taken.
    ///
    /// These are orders that were sent before the end of the snapshot and that it did not show. No later change reports
    /// their finishes. Another snapshot reveals them, once the orders are acknowledged. Orders that are sent from now
    /// on are reported as changes.
    private mutating func doubtHiddenOrders() {
        lastDoubtfulRow = lastSentRow
        // The store may have received these orders after it took this snapshot; it has them when it takes the next.
        rows.forEach { _, row in if row.isUnseen { connection.mustLookAgain = true } }
    }

    private mutating func endSnapshotWatch() {
        connection.isInSnapshot = false
        connection.unseen = []
        connection.excused = []
        finished.subtract(finishedInSnapshot)
        finishedInSnapshot = []
    }

    // MARK: Updates

    /// Applies updates; returns whether their delivery to observers must be acknowledged to the store.
    private mutating func fold(_ updates: [StoreUpdate], _ actions: inout Actions) -> Bool {
        var mustTell = false
        for index in updates.indices {
            // Apart from the other updates, with which it would be copied.
            if case .transaction(let transaction) = updates[index] {
                fold(transaction, &actions)
            } else if foldRare(updates[index], &actions) {
                mustTell = true
            }
        }
        return mustTell
    }

    /// Applies an update that is not about a transaction, and returns like ``fold(_:_:)``.
    private mutating func foldRare(_ update: StoreUpdate, _ actions: inout Actions) -> Bool {
        switch update {
        case .transaction(let transaction): fold(transaction, &actions)
        case .finished(let identifier, let order):
            if let number = row(of: identifier, order: order) { drop(number, &actions) }
        case .restoreEnded(let order, let failure):
            if order.journal == journal { endRestore(order.number, failure, &actions) }
        case .storefront(let storefront):
            if let storefront { askWhatContinues(in: storefront, &actions) }
            actions.append(.storefrontChanged)
        case .revoked(let identifiers):
            actions.append(.revoked(identifiers))
            return true
        case .promoted(let payment, let product):
            actions.append(.promoted(payment, product))
            return true
        }
        return false
    }

    /// Asks the app, for each purchase that is under way in the store, whether it continues in the new storefront.
    private func askWhatContinues(in storefront: StoreStorefront, _ actions: inout Actions) {
        rows.forEach { number, row in
            guard row.isInStore, row.state == .purchasing || row.state == .deferred else { return }
            actions.append(.mayContinue(number, identifier: row.identifier, storefront))
        }
    }

    private mutating func fold(_ transaction: StoreTransaction, _ actions: inout Actions) {
        if let order = transaction.order, let number = ownRow(of: order) {
            // If the order has no row any more, its transaction is finished, and `change` ignores the update.
            change(number, to: transaction, &actions)
        } else if finished.isEmpty || !finished.contains(transaction.identifier) {
            bring(transaction, &actions)
        }
    }

    /// Returns the row of one of this queue's orders, whether or not the row still exists; nil for other orders.
    private func ownRow(of order: OrderID) -> Int? {
        if order.journal == journal { return isGivenUp(order) ? nil : order.number }
        return adopted.isEmpty ? nil : adopted[order]
    }

    private func row(of identifier: String, order: OrderID?) -> Int? {
        if let order, let number = ownRow(of: order) { return number }
        return foreign.row(of: identifier)
    }

    private func isGivenUp(_ order: OrderID) -> Bool {
        !givenUp.isEmpty && order.journal == journal && givenUp.contains(order.number)
    }

    private mutating func bring(_ transaction: StoreTransaction, _ actions: inout Actions) {
        let number = lastNumber + 1
        if let known = foreign.insert(number, for: transaction.identifier) {
            return change(known, to: transaction, &actions)
        }
        _ = takeNumber()
        rows.insert(
            Row(
                identifier: transaction.identifier,
                state: transaction.state,
                isInStore: true,
                isShown: true,
                isForeign: true
            ),
            at: number
        )
        actions.append(.bring(number, transaction))
    }

    /// Applies a transaction's change to its row, if there is one.
    private mutating func change(_ number: Int, to transaction: StoreTransaction, _ actions: inout Actions) {
        var isNew = false
        var changes = false
        let isThere = rows.update(number) { row in
            isNew = !row.isShown
            changes = row.state.mayBecome(transaction.state)
            row.identifier = transaction.identifier
            row.isInStore = true
            row.isShown = true
            if changes { row.state = transaction.state }
        }
        guard isThere else { return }
        if !connection.unseen.isEmpty { connection.unseen.remove(number) }
        if isNew { actions.append(.show(number, transaction.payment)) }
        if changes { actions.append(.change(number, transaction)) }
    }

    /// Removes the row of a transaction that left the store independently of this queue.
    private mutating func drop(_ number: Int, _ actions: inout Actions) {
        guard let row = rows.remove(number) else { return }
        if !outbound.isEmpty { endOrder(ofRow: number, &actions) }
        if row.isForeign {
            foreign.remove(row.identifier)
        } else if !endAdoption(ofRow: number) {
            // Perhaps the user signed out: after the next sign-in, the transaction is shown as new.
            givenUp.insert(number)
        }
        if row.isShown { actions.append(.remove(number)) }
    }
}

extension StoreTransaction.State {
    /// Returns whether a transition is valid: a decided state is final, and no change happens twice.
    fileprivate func mayBecome(_ next: Self) -> Bool {
        switch self {
        case .purchasing: next != .purchasing
        case .deferred: next != .purchasing && next != .deferred
        case .purchased, .failed, .restored: false
        }
    }
}

// Restores. The app waits for the end of each, so the end is reported in every case, exactly once.
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
        submission.endPause()
        post(.restore(applicationUsername: applicationUsername), number: number, &actions)
    }

    mutating func endRestore(_ number: Int, _ failure: StoreFailure?, _ actions: inout Actions) {
        guard let index = restores.firstIndex(of: number) else { return }
        restores.remove(at: index)
        doubtfulRestores.remove(number)
        actions.append(.restoreEnded(failure))
    }

    /// Fails the restores that have not been submitted: observers are notified at once, and there is no retry.
    ///
    /// A restore that has been submitted stays, since it may still succeed.
    mutating func failRestores(_ failure: StoreFailure, _ actions: inout Actions) {
        guard !restores.isEmpty else { return }
        var remainingInFlight = submission.inFlight
        var failed: [Int] = []
        outbound.filter { outbound in
            remainingInFlight -= 1
            guard remainingInFlight < 0, case .restore = outbound.command.action else { return true }
            failed.append(outbound.command.id.number)
            return false
        }
        for number in failed { endRestore(number, failure, &actions) }
        lookAgainIfDue(&actions)
    }

    /// Ends the acknowledged restores that are still open at the end of a snapshot, which may have hidden their ends.
    mutating func endHiddenRestores(_ actions: inout Actions) {
        guard !restores.isEmpty else { return }
        var waiting: Set<Int> = []
        for index in 0..<outbound.count {
            guard case .restore = outbound[index].command.action else { continue }
            let number = outbound[index].command.id.number
            waiting.insert(number)
            if index < submission.inFlight, restores.contains(number) { doubtfulRestores.insert(number) }
        }
        for number in restores where !waiting.contains(number) { endRestore(number, Self.endIsHidden, &actions) }
    }

    /// Handles the acknowledgement of a restore: ends the restore if it awaited its reply when a snapshot ended.
    ///
    /// The snapshot may have hidden the end of the restore, and the app must not wait forever.
    mutating func restoreAcknowledged(_ number: Int, _ actions: inout Actions) {
        if doubtfulRestores.contains(number) { endRestore(number, Self.endIsHidden, &actions) }
    }

    private static var endIsHidden: StoreFailure {
        .network(.networkConnectionLost, "the connection was lost before the store said that the restore had ended")
    }
}
