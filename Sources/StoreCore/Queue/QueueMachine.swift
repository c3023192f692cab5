import Foundation

/// Decides what a payment queue does.
///
/// No lock, no clock, no randomness, no I/O: events in, actions out, and the order of the actions is the promise.
///
/// Everything tracked has a row under a running number. Purchases are sent under that same number, so an answer finds
/// its row without a search; what the store brings by itself is found by its identifier.
struct QueueMachine {
    struct Row {
        var identifier = ""
        var state = StoreTransaction.State.purchasing
        /// Whether the store is known to have it.
        var isInStore = false
        var isShown = false
    }

    struct Outbound {
        var command: StoreCommand
        /// The row of a purchase.
        var row: Int
        var isRecorded = false
        /// On its way into the journal.
        var isBeingRecorded = false
        /// The store has sold it and the app has finished it: to be acknowledged, and no more to be recorded.
        var isOver = false
    }

    /// Under which name commands are numbered.
    let journal: JournalID
    var isObserved = false
    var rows = SlotTable<Row>()
    var outbound = Fifo<Outbound>()
    /// How many of `outbound`, from its front, are on their way to the store.
    private(set) var inFlight = 0
    private(set) var isPausing = false
    private var submissionNumber = 0
    /// The call to the store has not returned.
    ///
    /// What is added meanwhile is recorded after it, so that the journal keeps commands in the order of their numbers.
    private var isSubmitting = false
    var restores: [Int] = []
    var connection = Connection()

    private(set) var lastNumber = 0
    private var submissionAttempts = 0
    /// The rows of commands that an earlier opening of the journal left.
    var adopted: [OrderID: Int] = [:]
    /// The rows of what the store brought by itself.
    var foreign = IdentifierIndex()
    /// Orders that failed for want of a journal; should the store have sold one after all, that is news.
    var givenUp: Set<Int> = []
    /// Finished here, and perhaps not yet in what the store sends.
    var finished: Set<String> = []
    /// Of `finished`, those that the store has acknowledged while it was still sending a snapshot.
    var finishedInSnapshot: [String] = []

    init(journal: JournalID) { self.journal = journal }
}

extension QueueMachine {
    /// What to do, in order.
    ///
    /// The first group goes to the store's lane, the second to the observers'.
    enum Action: Equatable {
        case connect(generation: Int, after: UpdateCursor?)
        case disconnect
        case submit([StoreCommand], number: Int)
        case record([StoreCommand])
        case forget([OrderID])
        case wake(Timer, after: TimeInterval)

        case show(Int, StorePayment)
        case bring(Int, StoreTransaction)
        case change(Int, StoreTransaction)
        case again(Int)
        case remove(Int)
        case restoreEnded(StoreFailure?)
        case storefrontChanged
        case revoked([String])
        case promoted(StorePayment, StoreProduct)
        /// All that was to be told up to here has been told once this is reached.
        case told(UpdateCursor)
    }

    /// What a pause is for.
    enum Timer: Equatable { case submission, connection(generation: Int) }

    /// What became of a finish.
    enum FinishAnswer { case finished, alreadyFinished, purchasing, deferred }

    /// Seconds to wait after a number of failures in a row: 1, 2, 4 … 256.
    static func pause(afterAttempts count: Int) -> TimeInterval { TimeInterval(1 << min(max(count - 1, 0), 8)) }
}

// MARK: - The app

extension QueueMachine {
    /// Takes over what an earlier opening of the journal left.
    ///
    /// To be called once, first.
    mutating func adopt(_ commands: [StoreCommand], _ actions: inout [Action]) {
        for command in commands {
            let row = takeNumber()
            switch command.action {
            case .purchase(let payment):
                rows.insert(Row(isShown: true), at: row)
                adopted[command.id] = row
                actions.append(.show(row, payment))
            case .finish(let transaction):
                finished.insert(transaction)
            case .restore:
                continue
            }
            outbound.append(Outbound(command: command, row: row, isRecorded: true))
        }
    }

    /// The first observer came, or the last one went.
    mutating func setObserved(_ value: Bool, _ actions: inout [Action]) {
        guard isObserved != value else { return }
        isObserved = value
        if value {
            rows.forEach { number, row in if row.isShown { actions.append(.again(number)) } }
            connect(&actions)
            sendNext(&actions)
        } else {
            connection.isWanted = false
            actions.append(.disconnect)
        }
    }

    /// Orders a product.
    ///
    /// The row's number is the order's.
    mutating func add(_ payment: StorePayment, _ actions: inout [Action]) {
        let number = takeNumber()
        rows.insert(Row(), at: number)
        post(.purchase(payment), number: number, &actions)
    }

    /// The app is done with a transaction.
    mutating func finish(_ number: Int, _ actions: inout [Action]) -> FinishAnswer {
        guard let row = rows[number] else { return .alreadyFinished }
        switch row.state {
        case .purchasing: return .purchasing
        case .deferred: return .deferred
        case .purchased, .failed, .restored: break
        }
        rows.remove(number)
        actions.append(.remove(number))
        // What failed for want of a journal never was in the store.
        guard row.isInStore else { return .finished }
        if !foreign.isEmpty { foreign.remove(row.identifier) }
        if !outbound.isEmpty { endOrder(ofRow: number, &actions) }
        if connection.isInSnapshot { finished.insert(row.identifier) }
        post(.finish(transaction: row.identifier), number: takeNumber(), &actions)
        return .finished
    }

    /// Asks for what was bought earlier.
    mutating func restore(applicationUsername: String?, _ actions: inout [Action]) {
        let number = takeNumber()
        restores.append(number)
        // Somebody waits for this one: it does not sit out a pause.
        isPausing = false
        post(.restore(applicationUsername: applicationUsername), number: number, &actions)
    }

    mutating func takeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private mutating func post(_ action: StoreCommand.Action, number: Int, _ actions: inout [Action]) {
        let command = StoreCommand(id: OrderID(journal: journal, number: number), action: action)
        outbound.append(Outbound(command: command, row: number))
        sendNext(&actions)
        if inFlight < outbound.count, !isSubmitting { record(from: outbound.count - 1, &actions) }
    }
}

// MARK: - The way out

extension QueueMachine {
    mutating func sendNext(_ actions: inout [Action]) {
        guard inFlight == 0, !isPausing else { return }
        inFlight = sendableCount
        guard inFlight > 0 else { return }
        submissionNumber += 1
        isSubmitting = true
        actions.append(.submit((0..<inFlight).map { outbound[$0].command }, number: submissionNumber))
    }

    /// How many commands from the front may go.
    ///
    /// Without an observer nothing is bought or restored. A restore waits for the end of a snapshot, so that its own
    /// end cannot lie hidden behind it.
    private var sendableCount: Int {
        if isObserved, restores.isEmpty || !connection.awaitsSnapshot { return outbound.count }
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
    mutating func submissionReturned(_ number: Int, _ actions: inout [Action]) {
        guard number == submissionNumber else { return }
        isSubmitting = false
        record(from: 0, &actions)
    }

    private mutating func record(from start: Int, _ actions: inout [Action]) {
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
    /// What it could not keep and the store has not been asked for fails; what is on its way may yet be acknowledged.
    mutating func recorded(_ commands: [StoreCommand], failure: StoreFailure?, now: Date, _ actions: inout [Action]) {
        var alreadyAcknowledged: [OrderID] = []
        for command in commands {
            guard let index = outboundIndex(of: command.id) else {
                if failure == nil { alreadyAcknowledged.append(command.id) }
                continue
            }
            outbound[index].isBeingRecorded = false
            if let failure {
                if index >= inFlight, rows[outbound[index].row]?.isInStore != true {
                    drop(index, failure, now: now, &actions)
                }
                continue
            }
            outbound[index].isRecorded = true
            switch command.action {
            case .purchase: show(outbound[index].row, outbound[index].command, &actions)
            case .finish(let transaction): finished.insert(transaction)
            case .restore: break
            }
        }
        if !alreadyAcknowledged.isEmpty { actions.append(.forget(alreadyAcknowledged)) }
    }

    /// The store has answered the submission that is under way.
    mutating func replied(_ reply: SubmissionReply, to number: Int, _ actions: inout [Action]) {
        // A second answer to one submission does nothing.
        guard inFlight > 0, number == submissionNumber else { return }
        switch reply {
        case .taken:
            submissionAttempts = 0
            var recorded: [OrderID] = []
            var mustLookAgain = false
            for _ in 0..<inFlight {
                let sent = outbound.removeFirst()
                if sent.isRecorded { recorded.append(sent.command.id) }
                if acknowledged(sent, &actions) { mustLookAgain = true }
            }
            inFlight = 0
            if mustLookAgain { lookAgain(&actions) }
            if !recorded.isEmpty { actions.append(.forget(recorded)) }
            sendNext(&actions)
        case .tryLater(let failure):
            inFlight = 0
            submissionAttempts += 1
            isPausing = true
            failRestores(failure, &actions)
            if !isSubmitting { record(from: 0, &actions) }
            if !outbound.isEmpty {
                actions.append(.wake(.submission, after: Self.pause(afterAttempts: submissionAttempts)))
            } else {
                isPausing = false
            }
        }
    }

    /// Returns whether it may have been taken, and even finished, in an earlier launch, which only a snapshot tells.
    private mutating func acknowledged(_ sent: Outbound, _ actions: inout [Action]) -> Bool {
        switch sent.command.action {
        case .purchase:
            let isOfEarlierLaunch = sent.command.id.journal != journal && rows[sent.row]?.isInStore == false
            rows.update(sent.row) { $0.isInStore = true }
            if connection.isInSnapshot { connection.excused.insert(sent.row) }
            show(sent.row, sent.command, &actions)
            return isOfEarlierLaunch
        case .finish(let transaction):
            guard !finished.isEmpty else { return false }
            if connection.isInSnapshot { finishedInSnapshot.append(transaction) } else { finished.remove(transaction) }
        case .restore:
            break
        }
        return false
    }

    /// The user waits for a restore: it is told of trouble at once rather than tried again.
    private mutating func failRestores(_ failure: StoreFailure, _ actions: inout [Action]) {
        guard !restores.isEmpty else { return }
        outbound.filter { outbound in
            guard case .restore = outbound.command.action else { return true }
            restores.removeAll { $0 == outbound.command.id.number }
            actions.append(.restoreEnded(failure))
            return false
        }
    }

    /// An order that the store has not acknowledged turns out to be done with: a relaunch must not bring it again.
    mutating func endOrder(ofRow row: Int, _ actions: inout [Action]) {
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
    mutating func timerFired(_ timer: Timer, _ actions: inout [Action]) {
        switch timer {
        case .submission:
            isPausing = false
            sendNext(&actions)
        case .connection(let generation):
            guard connection.isWanted, generation == connection.generation, connection.isLost else { return }
            connect(&actions)
        }
    }

    /// Commands of this opening lie in the order of their numbers, behind those of earlier ones.
    private func outboundIndex(of id: OrderID) -> Int? {
        var low = 0
        var high = outbound.count
        guard id.journal == journal else { return (low..<high).first { outbound[$0].command.id == id } }
        while low < high {
            let middle = (low + high) / 2
            let other = outbound[middle].command.id
            if other == id { return middle }
            if other.journal != journal || other.number < id.number { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    private mutating func drop(_ index: Int, _ failure: StoreFailure, now: Date, _ actions: inout [Action]) {
        let dropped = outbound[index]
        outbound.filter { $0.command.id != dropped.command.id }
        guard case .purchase(let payment) = dropped.command.action else { return }
        if dropped.command.id.journal == journal { givenUp.insert(dropped.row) }
        show(dropped.row, dropped.command, &actions)
        rows.update(dropped.row) { $0.state = .failed }
        let transaction = StoreTransaction(
            identifier: "",
            order: dropped.command.id,
            payment: payment,
            state: .failed,
            date: now,
            failure: failure
        )
        actions.append(.change(dropped.row, transaction))
    }

    mutating func show(_ number: Int, _ command: StoreCommand, _ actions: inout [Action]) {
        guard case .purchase(let payment) = command.action else { return }
        var isNew = false
        rows.update(number) { row in
            isNew = !row.isShown
            row.isShown = true
        }
        if isNew { actions.append(.show(number, payment)) }
    }
}
