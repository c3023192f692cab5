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
        /// The store brought it by itself.
        var isForeign = false
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
        /// The transaction that a finish removes, until its removal is reported.
        var removal: Int?
    }

    /// Under which name commands are numbered.
    let journal: JournalID
    var isObserved = false
    /// Only finishes still go, see `retire`.
    var isRetired = false
    /// The next launch finds in the journal what was finished and not acknowledged.
    var leavesFinishesToNextLaunch = false
    var rows = SlotTable<Row>()
    var outbound = Deque<Outbound>()
    /// How many of `outbound`, from its front, are on their way to the store.
    var inFlight = 0
    var isPausing = false
    var submissionNumber = 0
    /// What was handed to the store last.
    var submission: [StoreCommand] = []
    /// The call to the store has not returned.
    ///
    /// What is added meanwhile is recorded after it, so that the journal keeps commands in the order of their numbers.
    var isSubmitting = false
    /// The restores whose end has not been told.
    var restores: [Int] = []
    /// Of `restores`, those that were on their way when a snapshot ended: their ends may lie before it.
    var doubtfulRestores: Set<Int> = []
    var connection = Connection()

    private(set) var lastNumber = 0
    var submissionAttempts = 0
    /// Counts the pauses.
    var pauseNumber = 0
    /// The rows of orders that an earlier opening of the journal left, as long as they are there.
    var adopted: [OrderID: Int] = [:]
    /// The same the other way round.
    var adoptedOrders: [Int: OrderID] = [:]
    /// The rows of what the store brought by itself.
    var foreign = IdentifierIndex()
    /// Orders that failed for want of a journal after they had been sent, and those that the store took from this queue;
    /// should the store show one again, that is news.
    ///
    /// They stay: an answer that went astray may turn up in any later snapshot, and whoever signed out may sign in again.
    /// Of the former there are at most those of one submission for each pause with a journal that cannot be written.
    var givenUp: Set<Int> = []
    /// The highest row of a command that was handed to the store.
    var lastSentRow = 0
    /// Finished here and not acknowledged yet: what the store still sends of these is old.
    ///
    /// Orders of this launch are not among them, they are known by their numbers.
    var finished: Set<String> = []
    /// Of `finished`, those that the store has acknowledged while it was still sending a snapshot.
    var finishedInSnapshot: [String] = []

    init(journal: JournalID) { self.journal = journal }
}

extension QueueMachine {
    /// What to do, in order: for the store's lane, and for the observers'.
    ///
    /// Neither lane waits for the other.
    struct Actions: Equatable {
        var store: [StoreAction] = []
        var observers: [ObserverAction] = []

        @inline(__always)
        mutating func append(_ action: consuming StoreAction) { store.append(action) }
        @inline(__always)
        mutating func append(_ action: consuming ObserverAction) { observers.append(action) }
    }

    /// An action that concerns the store, the journal or the clock.
    ///
    /// Small, since actions are handed from buffer to buffer: what is rare and large is a reference.
    enum StoreAction: Equatable {
        indirect case connect(generation: Int, after: UpdateCursor?)
        case disconnect
        case submit([StoreCommand], number: Int)
        case record([StoreCommand])
        case forget([OrderID])
        indirect case wake(Timer, after: TimeInterval)
        /// Asks a store in the process for its news. Decided by the driver.
        case pull

        var isSubmission: Bool {
            if case .submit = self { true } else { false }
        }
    }

    /// An action that concerns the observers.
    enum ObserverAction: Equatable {
        case show(Int, StorePayment)
        case bring(Int, StoreTransaction)
        case change(Int, StoreTransaction)
        case again(Int)
        /// Takes a finished transaction out of the list. Its removal is reported later, by `remove`.
        case withdraw(Int)
        /// Reports a removal: the store or the journal has the finish, or the store itself removed the transaction.
        case remove(Int)
        indirect case restoreEnded(StoreFailure?)
        indirect case mayContinue(Int, identifier: String, StoreStorefront)
        case storefrontChanged
        case priceConsent
        case revoked([String])
        case promoted(StorePayment, StoreProduct)
        /// A download's news, which keeps its place among the rest. Decided by the download machine.
        indirect case download(Int, DownloadReport)
        /// Everything up to this place has been told once this is reached.
        indirect case told(UpdateCursor)
    }

    /// What a pause is for.
    ///
    /// One of each is in force; what an earlier one still says is not listened to.
    enum Timer: Equatable { case submission(number: Int), connection(generation: Int) }

    /// What became of a finish.
    enum FinishAnswer { case finished, purchasing, deferred }

    /// A submission of up to so many commands keeps its buffer for the next.
    static var keptSubmission: Int { 64 }

    /// Seconds to wait after a number of failures in a row: 1, 2, 4 … 256.
    static func pause(afterAttempts count: Int) -> TimeInterval { TimeInterval(1 << min(max(count - 1, 0), 8)) }
}

// MARK: - The app

extension QueueMachine {
    /// Takes over what an earlier opening of the journal left.
    ///
    /// To be called once, first.
    mutating func adopt(_ commands: [StoreCommand], _ actions: inout Actions) {
        for command in commands {
            let row = takeNumber()
            switch command.action {
            case .purchase(let payment):
                rows.insert(Row(isShown: true), at: row)
                adopted[command.id] = row
                adoptedOrders[row] = command.id
                actions.append(.show(row, payment))
            case .finish(let transaction):
                finished.insert(transaction)
            case .restore:
                // Never recorded.
                continue
            }
            outbound.append(Outbound(command: command, row: row, isRecorded: true))
        }
    }

    /// The first observer came, or the last one went.
    mutating func setObserved(_ value: Bool, _ actions: inout Actions) {
        guard isObserved != value, !isRetired else { return }
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
    mutating func add(_ payment: StorePayment, _ actions: inout Actions) {
        guard !isRetired else { return }
        let number = takeNumber()
        rows.insert(Row(), at: number)
        post(.purchase(payment), number: number, &actions)
    }

    /// Finishes a transaction: takes it off the list at once, and orders the finish.
    ///
    /// Observers hear of the removal when the store or the journal has the finish, so that what they heard removed never
    /// comes again. Finishing twice changes nothing.
    ///
    /// - Parameters:
    ///   - number: the transaction's.
    ///   - isHeld: whether to wait for more commands before sending; `sendNext` has to be called in the end.
    ///   - actions: what is to be done.
    /// - Returns: whether it was finished, or why it could not be.
    mutating func finish(_ number: Int, isHeld: Bool = false, _ actions: inout Actions) -> FinishAnswer {
        let (answer, transaction) = close(number, &actions)
        if let transaction {
            let finish = StoreCommand.Action.finish(transaction: transaction)
            post(finish, number: takeNumber(), removal: number, isHeld: isHeld, &actions)
        }
        return answer
    }

    /// Takes a transaction off the list.
    ///
    /// Returns the identifier under which the store is to be told of the finish; nil if it need not be.
    @inline(__always)
    mutating func close(_ number: Int, _ actions: inout Actions) -> (FinishAnswer, transaction: String?) {
        switch rows.look(number, { $0.state }) {
        case nil: return (.finished, nil)
        case .purchasing?: return (.purchasing, nil)
        case .deferred?: return (.deferred, nil)
        case .purchased?, .failed?, .restored?: break
        }
        guard let row = rows.remove(number) else { return (.finished, nil) }
        actions.append(.withdraw(number))
        guard row.isInStore else {
            // It failed for want of a journal: nobody but this queue knows of it.
            actions.append(.remove(number))
            return (.finished, nil)
        }
        if !outbound.isEmpty { endOrder(ofRow: number, &actions) }
        if row.isForeign { foreign.remove(row.identifier) }
        // An own order's number is never given again, so it needs no other mark.
        if row.isForeign || endAdoption(ofRow: number) { finished.insert(row.identifier) }
        return (.finished, row.identifier)
    }

    /// Returns whether the row was that of an order of an earlier launch.
    @discardableResult
    mutating func endAdoption(ofRow number: Int) -> Bool {
        guard !adopted.isEmpty, let order = adoptedOrders.removeValue(forKey: number) else { return false }
        adopted[order] = nil
        return true
    }

    mutating func takeNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func post(
        _ action: StoreCommand.Action,
        number: Int,
        removal: Int? = nil,
        isHeld: Bool = false,
        _ actions: inout Actions
    ) {
        let command = StoreCommand(id: OrderID(journal: journal, number: number), action: action)
        outbound.append(Outbound(command: command, row: number, removal: removal))
        // Held only behind other held finishes: whatever is sent next takes them along.
        if isHeld, inFlight == 0, !isPausing, case .finish = outbound[0].command.action { return }
        sendNext(&actions)
        if inFlight < outbound.count, !isSubmitting { record(from: outbound.count - 1, &actions) }
    }
}
