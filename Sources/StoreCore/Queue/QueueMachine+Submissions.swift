import Foundation

// The outbound path: commands go to the store; those that it does not acknowledge at once go to the journal.
extension QueueMachine {
    mutating func sendNext(_ actions: inout Actions) {
        guard submission.isIdle, !outbound.isEmpty else { return }
        let mayAllGo = isObserved && (restores.isEmpty || !connection.awaitsSnapshot)
        let count = mayAllGo ? outbound.count : leadingSendables
        guard count > 0 else { return }
        beginSubmission(of: count)
        // The buffer is reused if nothing else refers to it.
        submission.commands.empty()
        for index in 0..<count {
            submission.commands.append(isRetired ? lateFinish(outbound[index]) : outbound[index].command)
        }
        actions.append(.submit(submission.commands, number: submission.number))
    }

    private mutating func beginSubmission(of count: Int) {
        submission.stage = .inFlight(count)
        submission.number += 1
        submission.isBeingPassed = true
        lastSentRow = max(lastSentRow, outbound[count - 1].row)
    }

    /// The number of commands at the front of `outbound` that may be sent while others must wait.
    ///
    /// Without an observer, purchases and restores wait. A restore also waits for the end of a snapshot, which might
    /// not show that the restore has ended.
    private var leadingSendables: Int {
        var count = 0
        while count < outbound.count {
            switch outbound[count].command.action {
            case .finish: break
            case .purchase where isObserved: break
            case .purchase, .restore: return count
            }
            count += 1
        }
        return count
    }

    /// Handles the return of the call that submitted commands to the store.
    ///
    /// Commands that the store has not acknowledged by now go to the journal.
    mutating func submissionReturned(_ number: Int, _ actions: inout Actions) {
        guard number == submission.number else { return }
        submission.isBeingPassed = false
        record(from: 0, &actions)
        shedIfRetired()
    }

    /// Handles the response of an in-process store, once the call to it has returned.
    ///
    /// - Parameters:
    ///   - exchange: the response.
    ///   - submission: the number of the submission that it responds to; nil if only updates were requested.
    ///   - generation: the number of the connection; nil if there was none.
    ///   - actions: receives the actions to perform.
    mutating func exchanged(_ exchange: Exchange, submission: Int?, generation: Int?, _ actions: inout Actions) {
        if let submission { replied(exchange.reply, to: submission, &actions) }
        switch exchange.updates {
        case .none: break
        case .batch: if let generation { received(exchange.batch, generation: generation, &actions) }
        case .lost(let failure): if let generation { connectionLost(failure, generation: generation, &actions) }
        }
        if let submission { submissionReturned(submission, &actions) }
    }

    mutating func record(from start: Int, _ actions: inout Actions) {
        guard start < outbound.count else { return }
        var commands: [StoreCommand] = []
        for index in start..<outbound.count {
            let recording = outbound[index].recording
            guard recording == .none || recording == .inDoubt, !outbound[index].isOver else { continue }
            if case .restore = outbound[index].command.action { continue }
            outbound[index].recording = recording == .none ? .underWay : .underWayInDoubt
            commands.append(outbound[index].command)
        }
        if !commands.isEmpty { actions.append(.record(commands)) }
    }

    /// The outcome of recording commands in the journal.
    enum RecordingOutcome {
        /// All commands are recorded.
        case recorded
        /// No command is recorded.
        case failed(StoreFailure)
        /// The journal does not know: the commands are neither reported nor failed, and are offered to it again.
        case inDoubt
    }

    /// Handles the outcome of recording commands.
    ///
    /// Returns the commands that the store has acknowledged in the meantime. The journal must forget them before
    /// anything else is sent: the next submission may finish a purchase, and a relaunch must not find a finished
    /// purchase in the journal.
    mutating func recorded(
        _ commands: [StoreCommand],
        _ outcome: RecordingOutcome,
        now: Date,
        _ actions: inout Actions
    ) -> [OrderID] {
        let isInDoubt: Bool
        switch outcome {
        case .recorded: isInDoubt = false
        case .inDoubt: isInDoubt = true
        case .failed(let failure):
            notRecorded(commands, failure, now: now, &actions)
            return []
        }
        var alreadyAcknowledged: [OrderID] = []
        for command in commands {
            guard let index = outboundIndex(of: command.id) else {
                if !isLeftToNextLaunch(command) { alreadyAcknowledged.append(command.id) }
                continue
            }
            outbound[index].recording = isInDoubt ? .inDoubt : .recorded
            if isInDoubt { continue }
            if case .purchase(let payment) = command.action { show(outbound[index].row, payment, &actions) }
            reportRemoval(index, &actions)
        }
        return alreadyAcknowledged
    }

    /// Reports the removal of the transaction that a command in `outbound` finishes, unless it was reported before.
    private mutating func reportRemoval(_ index: Int, _ actions: inout Actions) {
        guard let number = outbound[index].removal.take() else { return }
        actions.append(.remove(number))
    }

    /// Fails purchases that are neither recorded nor known to the store, except those in flight, which may yet succeed.
    ///
    /// All other commands go with the next submission regardless, and are offered to the journal again.
    private mutating func notRecorded(
        _ commands: [StoreCommand],
        _ failure: StoreFailure,
        now: Date,
        _ actions: inout Actions
    ) {
        var failed: Set<OrderID> = []
        for command in commands {
            guard let index = outboundIndex(of: command.id) else { continue }
            // The command may have been recorded by an earlier attempt whose outcome is in doubt.
            let isInDoubt = outbound[index].recording.mayBeDone
            outbound[index].recording = isInDoubt ? .inDoubt : .none
            guard index >= submission.inFlight, !isInDoubt, case .purchase(let payment) = command.action,
                let row = rows[outbound[index].row], !row.isInStore
            else { continue }
            failed.insert(command.id)
            fail(outbound[index].row, command, payment, failure, now: now, &actions)
        }
        if !failed.isEmpty { outbound.filter { !failed.contains($0.command.id) } }
    }

    private mutating func fail(
        _ number: Int,
        _ command: StoreCommand,
        _ payment: StorePayment,
        _ failure: StoreFailure,
        now: Date,
        _ actions: inout Actions
    ) {
        if number <= lastSentRow { givenUp.insert(number) }
        show(number, payment, &actions)
        rows.update(number) { $0.state = .failed }
        let transaction = StoreTransaction(
            identifier: "",
            order: command.id,
            payment: payment,
            state: .failed,
            date: now,
            failure: failure
        )
        actions.append(.change(number, transaction))
    }

    /// Handles the store's reply to the submission that is under way.
    mutating func replied(_ reply: SubmissionReply, to number: Int, now: Date, _ actions: inout Actions) {
        switch reply {
        case .taken: replied(.taken as Exchange.Reply, to: number, &actions)
        case .tryLater(let failure): replied(.tryLater(failure) as Exchange.Reply, to: number, &actions)
        case .refused(let commands):
            guard submission.inFlight > 0, number == submission.number else { return }
            refuse(Dictionary(commands.map { ($0.id, $0.failure) }) { $1 }, now: now, &actions)
            // The remaining commands were acknowledged.
            if submission.inFlight > 0 { taken(&actions) } else { submissionEnded(&actions) }
        }
    }

    private mutating func replied(_ reply: Exchange.Reply, to number: Int, _ actions: inout Actions) {
        // A second reply to one submission is ignored.
        guard submission.inFlight > 0, number == submission.number else { return }
        switch reply {
        case .taken: taken(&actions)
        case .tryLater(let failure): putOff(failure, &actions)
        }
    }

    /// Handles the acknowledgement of every command of the submission.
    private mutating func taken(_ actions: inout Actions) {
        var recorded: [OrderID] = []
        var mustLookAgain = false
        // Commands are read in place: removing them one at a time would copy each.
        for index in 0..<submission.inFlight {
            if outbound[index].recording.mayBeDone { recorded.append(outbound[index].command.id) }
            if acknowledged(index, &actions) { mustLookAgain = true }
        }
        outbound.removeFirst(submission.inFlight)
        if mustLookAgain { connection.mustLookAgain = true }
        if !recorded.isEmpty { actions.append(.forget(recorded)) }
        submissionEnded(&actions)
    }

    /// Continues after a submission whose commands need not be sent again.
    private mutating func submissionEnded(_ actions: inout Actions) {
        submission.attempts = 0
        submission.stage = .idle
        if submission.commands.count > Self.reusedSubmissionLimit { submission.commands = [] }
        lookAgainIfDue(&actions)
        sendNext(&actions)
    }

    /// Removes permanently refused commands from the submission under way.
    private mutating func refuse(_ failures: [OrderID: StoreFailure], now: Date, _ actions: inout Actions) {
        var refused: [(outbound: Outbound, failure: StoreFailure)] = []
        let sent = submission.commands
        var index = -1
        outbound.filter { outbound in
            index += 1
            // Looked up by the identifier that was sent: a retired machine sends finishes under other identifiers.
            guard index < sent.count, let failure = failures[sent[index].id] else { return true }
            refused.append((outbound, failure))
            return false
        }
        submission.stage = .inFlight(submission.inFlight - refused.count)
        var recorded: [OrderID] = []
        for (outbound, failure) in refused {
            let command = outbound.command
            if isLeftToNextLaunch(command) { continue }
            if outbound.recording.mayBeDone { recorded.append(command.id) }
            switch command.action {
            case .purchase(let payment):
                // A store that has reported the order's transaction has the order, whatever it replies.
                guard let row = rows[outbound.row], !row.isInStore else { continue }
                endAdoption(ofRow: outbound.row)
                fail(outbound.row, command, payment, failure, now: now, &actions)
            case .finish(let transaction):
                // The refusal is final: if the store sends the transaction again, it is shown as new.
                if let number = outbound.removal { actions.append(.remove(number)) }
                finished.remove(transaction)
            case .restore: endRestore(command.id.number, failure, &actions)
            }
        }
        if !recorded.isEmpty { actions.append(.forget(recorded)) }
    }

    /// Schedules a retry of the same commands after a delay.
    private mutating func putOff(_ failure: StoreFailure, _ actions: inout Actions) {
        submission.stage = .pausing
        submission.attempts += 1
        failRestores(failure, &actions)
        if !submission.isBeingPassed {
            record(from: 0, &actions)
            shedIfRetired()
        }
        pause(&actions)
    }

    private mutating func pause(_ actions: inout Actions) {
        // A retired machine has no timer: its next finish also sends the remaining commands.
        guard !outbound.isEmpty, !isRetired else { return submission.endPause() }
        submission.stage = .pausing
        submission.pauses += 1
        let duration = Self.pause(afterAttempts: submission.attempts)
        actions.append(.wake(.submission(number: submission.pauses), after: duration))
    }

    /// Handles the acknowledgement of a command in `outbound`.
    ///
    /// Returns whether its transaction may already be finished, by an earlier launch or by another queue, which only a
    /// snapshot reveals.
    private mutating func acknowledged(_ index: Int, _ actions: inout Actions) -> Bool {
        let number = outbound[index].row
        switch outbound[index].command.action {
        case .purchase(let payment):
            var isNew = false
            rows.update(number) { row in
                isNew = !row.isInStore
                row.isInStore = true
            }
            if isNew { excuse(number) }
            show(number, payment, &actions)
            return isNew && (number <= lastDoubtfulRow || outbound[index].command.id.journal != journal)
        case .finish(let transaction):
            reportRemoval(index, &actions)
            forgetFinish(of: transaction)
        case .restore: restoreAcknowledged(outbound[index].command.id.number, &actions)
        }
        return false
    }

    /// Exempts a row whose order was acknowledged during a snapshot from having to appear in that snapshot.
    ///
    /// A row that an earlier connection reported must appear, however late its acknowledgement.
    @inline(__always)
    mutating func excuse(_ number: Int) {
        if connection.isInSnapshot { connection.excused.insert(number) }
    }

    @inline(__always)
    mutating func forgetFinish(of transaction: String) {
        guard !finished.isEmpty, finished.contains(transaction) else { return }
        // The snapshot that is arriving may have been taken before the finish.
        if connection.isInSnapshot { finishedInSnapshot.append(transaction) } else { finished.remove(transaction) }
    }

    /// Ends an unacknowledged order whose transaction is finished or removed, so that a relaunch does not repeat it.
    mutating func endOrder(ofRow row: Int, _ actions: inout Actions) {
        // Rows ascend in `outbound`.
        let index = (0..<outbound.count).partitionPoint { outbound[$0].row < row }
        guard index < outbound.count, outbound[index].row == row else { return }
        if outbound[index].recording != .none { actions.append(.forget([outbound[index].command.id])) }
        outbound[index].isOver = true
    }

    /// Handles the end of a pause.
    mutating func timerFired(_ timer: Timer, _ actions: inout Actions) {
        switch timer {
        case .submission(let number):
            guard submission.isPausing, number == submission.pauses else { return }
            submission.stage = .idle
            sendNext(&actions)
        case .connection(let generation):
            guard connection.isWanted, generation == connection.generation, connection.isLost else { return }
            connect(&actions)
        }
    }

    /// Returns a command's index in `outbound`.
    ///
    /// The command must be of this opening of the journal; commands of earlier openings precede these in `outbound`,
    /// and are already recorded. The commands of this opening are in the order of their numbers.
    private func outboundIndex(of id: OrderID) -> Int? {
        let index = (0..<outbound.count).partitionPoint {
            let other = outbound[$0].command.id
            return other.journal != journal || other.number < id.number
        }
        return index < outbound.count && outbound[index].command.id == id ? index : nil
    }

    private mutating func show(_ number: Int, _ payment: StorePayment, _ actions: inout Actions) {
        guard !isRetired else { return }
        var isNew = false
        rows.update(number) { row in
            isNew = !row.isShown
            row.isShown = true
        }
        if isNew { actions.append(.show(number, payment)) }
    }
}

// Exchanges with an in-process store while the machine is locked: one command at a time, without an outbound queue.
extension QueueMachine {
    /// Whether a command may be passed to the store at once: an observer exists, and no command is under way or
    /// pending.
    var mayAsk: Bool {
        @inline(__always)
        mutating get { isObserved && submission.isIdle && outbound.isEmpty }
    }

    /// Creates an order to be passed to the store at once; returns nil if the order must wait: call `add` instead.
    @inline(__always)
    mutating func order(_ payment: StorePayment) -> StoreCommand? {
        guard mayAsk else { return nil }
        return StoreCommand(id: OrderID(journal: journal, number: takeNumber()), action: .purchase(payment))
    }

    /// Handles the store's response to an order, once the call to it has returned.
    mutating func ordered(
        _ payment: StorePayment,
        _ command: StoreCommand,
        _ exchange: Exchange,
        generation: Int?,
        _ actions: inout Actions
    ) {
        let number = command.id.number
        if case .taken = exchange.reply {
            submission.attempts = 0
            lastSentRow = number
            rows.insert(Row(isInStore: true, isShown: true), at: number)
            excuse(number)
            actions.append(.show(number, payment))
            exchanged(exchange, submission: nil, generation: generation, &actions)
        } else {
            rows.insert(Row(), at: number)
            refused(Outbound(command: command, row: number), exchange, generation: generation, &actions)
        }
    }

    /// Removes a transaction from the list.
    ///
    /// Returns the finish command to be passed to the store at once; nil if there is nothing to finish in the store.
    @inline(__always)
    mutating func finishCommand(_ number: Int, _ actions: inout Actions) -> (FinishAnswer, StoreCommand?) {
        let (answer, transaction) = close(number, &actions)
        guard let transaction else { return (answer, nil) }
        let id = OrderID(journal: journal, number: takeNumber())
        return (answer, StoreCommand(id: id, action: .finish(transaction: transaction)))
    }

    /// Handles the store's response to the finish of a transaction, once the call to it has returned.
    mutating func finished(
        _ number: Int,
        _ command: StoreCommand,
        _ exchange: Exchange,
        generation: Int?,
        _ actions: inout Actions
    ) {
        if case .taken = exchange.reply, case .finish(let transaction) = command.action {
            submission.attempts = 0
            lastSentRow = command.id.number
            actions.append(.remove(number))
            forgetFinish(of: transaction)
            exchanged(exchange, submission: nil, generation: generation, &actions)
        } else {
            let outbound = Outbound(command: command, row: command.id.number, removal: number)
            refused(outbound, exchange, generation: generation, &actions)
        }
    }

    /// Continues as if a command had been submitted and the store had not accepted it.
    @inline(never)
    private mutating func refused(
        _ command: Outbound,
        _ exchange: Exchange,
        generation: Int?,
        _ actions: inout Actions
    ) {
        outbound.append(command)
        beginSubmission(of: 1)
        exchanged(exchange, submission: submission.number, generation: generation, &actions)
    }
}
