import Foundation

// The way out: commands to the store, and to the journal what it does not acknowledge at once.
extension QueueMachine {
    mutating func sendNext(_ actions: inout Actions) {
        guard inFlight == 0, !isPausing, !outbound.isEmpty else { return }
        let mayAllGo = isObserved && (restores.isEmpty || !connection.awaitsSnapshot)
        inFlight = mayAllGo ? outbound.count : leadingSendables
        guard inFlight > 0 else { return }
        submissionNumber += 1
        lastSentRow = max(lastSentRow, outbound[inFlight - 1].row)
        isSubmitting = true
        // A buffer that nobody has kept is filled again.
        submission.empty()
        for index in 0..<inFlight { submission.append(outbound[index].command) }
        actions.append(.submit(submission, number: submissionNumber))
    }

    /// How many commands from the front may go when not all may.
    ///
    /// Without an observer nothing is bought or restored. A restore waits for the end of a snapshot, so that its own
    /// end cannot lie hidden behind it.
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

    /// The call to the store has returned.
    ///
    /// What it has not acknowledged by now goes to the journal.
    mutating func submissionReturned(_ number: Int, _ actions: inout Actions) {
        guard number == submissionNumber else { return }
        isSubmitting = false
        record(from: 0, &actions)
        shedIfRetired()
    }

    /// A store in the process has answered, and the call to it has returned.
    ///
    /// - Parameters:
    ///   - exchange: what it has answered.
    ///   - submission: the number of the submission that was answered; nil if the store was only asked for news.
    ///   - generation: the connection's; nil if there was none.
    ///   - actions: what is to be done.
    mutating func exchanged(
        _ exchange: Exchange,
        submission: Int?,
        generation: Int?,
        _ actions: inout Actions
    ) {
        if let submission { replied(exchange.reply, to: submission, &actions) }
        switch exchange.news {
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
            guard !outbound[index].isRecorded, !outbound[index].isBeingRecorded, !outbound[index].isOver else {
                continue
            }
            if case .restore = outbound[index].command.action { continue }
            outbound[index].isBeingRecorded = true
            commands.append(outbound[index].command)
        }
        if !commands.isEmpty { actions.append(.record(commands)) }
    }

    /// The journal has kept commands, or could not.
    ///
    /// Returns those that the store has acknowledged meanwhile. The journal is to forget them before anything else is
    /// sent: a purchase that is finished next must not be found there by a relaunch.
    mutating func recorded(
        _ commands: [StoreCommand],
        failure: StoreFailure?,
        now: Date,
        _ actions: inout Actions
    ) -> [OrderID] {
        var alreadyAcknowledged: [OrderID] = []
        if let failure {
            notRecorded(commands, failure, now: now, &actions)
            return alreadyAcknowledged
        }
        for command in commands {
            guard let index = outboundIndex(of: command.id) else {
                if !isLeftToNextLaunch(command) { alreadyAcknowledged.append(command.id) }
                continue
            }
            outbound[index].isBeingRecorded = false
            outbound[index].isRecorded = true
            if case .purchase(let payment) = command.action { show(outbound[index].row, payment, &actions) }
            reportRemoval(index, &actions)
        }
        return alreadyAcknowledged
    }

    /// Reports the removal that one of `outbound` orders, once.
    private mutating func reportRemoval(_ index: Int, _ actions: inout Actions) {
        guard let number = outbound[index].removal.take() else { return }
        actions.append(.remove(number))
    }

    /// A purchase that is neither in the journal nor known to the store fails; one on its way may yet be acknowledged.
    ///
    /// Everything else goes with the next submission all the same, and is offered to the journal again.
    private mutating func notRecorded(
        _ commands: [StoreCommand],
        _ failure: StoreFailure,
        now: Date,
        _ actions: inout Actions
    ) {
        var failed: Set<OrderID> = []
        for command in commands {
            guard let index = outboundIndex(of: command.id) else { continue }
            outbound[index].isBeingRecorded = false
            guard index >= inFlight, case .purchase(let payment) = command.action,
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

    /// The store has answered the submission that is under way.
    mutating func replied(_ reply: SubmissionReply, to number: Int, _ actions: inout Actions) {
        switch reply {
        case .taken: replied(.taken as Exchange.Reply, to: number, &actions)
        case .tryLater(let failure): replied(.tryLater(failure) as Exchange.Reply, to: number, &actions)
        }
    }

    private mutating func replied(_ reply: Exchange.Reply, to number: Int, _ actions: inout Actions) {
        // A second answer to one submission does nothing.
        guard inFlight > 0, number == submissionNumber else { return }
        switch reply {
        case .taken: taken(&actions)
        case .tryLater(let failure): putOff(failure, &actions)
        }
    }

    /// The store has every command of the submission.
    private mutating func taken(_ actions: inout Actions) {
        submissionAttempts = 0
        var recorded: [OrderID] = []
        var mustLookAgain = false
        // Where they lie: taken out one by one, each would be copied.
        for index in 0..<inFlight {
            if outbound[index].isRecorded { recorded.append(outbound[index].command.id) }
            if acknowledged(index, &actions) { mustLookAgain = true }
        }
        outbound.removeFirst(inFlight)
        inFlight = 0
        if submission.count > Self.keptSubmission { submission = [] }
        if mustLookAgain { connection.mustLookAgain = true }
        lookAgainIfDue(&actions)
        if !recorded.isEmpty { actions.append(.forget(recorded)) }
        sendNext(&actions)
    }

    /// The same commands go again, after a pause.
    private mutating func putOff(_ failure: StoreFailure, _ actions: inout Actions) {
        inFlight = 0
        submissionAttempts += 1
        isPausing = true
        failRestores(failure, &actions)
        if !isSubmitting {
            record(from: 0, &actions)
            shedIfRetired()
        }
        pause(&actions)
    }

    private mutating func pause(_ actions: inout Actions) {
        // One that is retired has no timer: its next finish takes along what is left.
        isPausing = !outbound.isEmpty && !isRetired
        guard isPausing else { return }
        pauseNumber += 1
        actions.append(.wake(.submission(number: pauseNumber), after: Self.pause(afterAttempts: submissionAttempts)))
    }

    /// The store has one of `outbound`.
    ///
    /// Returns whether it may have been taken, and even finished, in an earlier launch, which only a snapshot tells.
    private mutating func acknowledged(_ index: Int, _ actions: inout Actions) -> Bool {
        let number = outbound[index].row
        switch outbound[index].command.action {
        case .purchase(let payment):
            var isNews = false
            rows.update(number) { row in
                isNews = !row.isInStore
                row.isInStore = true
            }
            if isNews { excuse(number) }
            show(number, payment, &actions)
            return isNews && outbound[index].command.id.journal != journal
        case .finish(let transaction):
            reportRemoval(index, &actions)
            forgetFinish(of: transaction)
        case .restore:
            restoreAcknowledged(outbound[index].command.id.number, &actions)
        }
        return false
    }

    /// What an earlier connection told of is to be shown in a snapshot, however late the acknowledgement comes.
    @inline(__always)
    mutating func excuse(_ number: Int) {
        if connection.isInSnapshot { connection.excused.insert(number) }
    }

    @inline(__always)
    mutating func forgetFinish(of transaction: String) {
        guard !finished.isEmpty, finished.contains(transaction) else { return }
        // A snapshot that is on its way may have been taken before.
        if connection.isInSnapshot { finishedInSnapshot.append(transaction) } else { finished.remove(transaction) }
    }

    /// An order that the store has not acknowledged turns out to be done with: a relaunch must not bring it again.
    mutating func endOrder(ofRow row: Int, _ actions: inout Actions) {
        // Rows grow along the way out.
        var low = 0
        var high = outbound.count
        while low < high {
            let middle = (low + high) / 2
            if outbound[middle].row < row { low = middle + 1 } else { high = middle }
        }
        guard low < outbound.count, outbound[low].row == row else { return }
        if outbound[low].isRecorded || outbound[low].isBeingRecorded {
            actions.append(.forget([outbound[low].command.id]))
        }
        outbound[low].isOver = true
    }

    /// A pause is over.
    mutating func timerFired(_ timer: Timer, _ actions: inout Actions) {
        switch timer {
        case .submission(let number):
            guard isPausing, number == pauseNumber else { return }
            isPausing = false
            sendNext(&actions)
        case .connection(let generation):
            guard connection.isWanted, generation == connection.generation, connection.isLost else { return }
            connect(&actions)
        }
    }

    /// Commands of this opening, which alone are recorded, lie in the order of their numbers, behind those of earlier ones.
    private func outboundIndex(of id: OrderID) -> Int? {
        var low = 0
        var high = outbound.count
        while low < high {
            let middle = (low + high) / 2
            let other = outbound[middle].command.id
            if other == id { return middle }
            if other.journal != journal || other.number < id.number { low = middle + 1 } else { high = middle }
        }
        return nil
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
