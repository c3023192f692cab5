import Foundation

/// A state machine that decides a payment queue's actions.
///
/// It has no lock, clock, randomness or I/O: it turns events into actions, which the driver performs in order.
///
/// Each transaction has a row under a sequential number. Purchases are sent under the same number, so that a response
/// finds its row without a search. A transaction that the store sends unrequested is found by its identifier.
struct QueueMachine {
    struct Row {
        var identifier = ""
        var state = StoreTransaction.State.purchasing
        /// Whether the store is known to have the transaction.
        var isInStore = false
        var isShown = false
        /// Whether the store sent the transaction unrequested.
        var isForeign = false
        /// Whether the store has acknowledged the order, but reported nothing about its transaction.
        var isUnseen: Bool { isInStore && identifier.isEmpty }
    }

    struct Outbound {
        var command: StoreCommand
        /// The command's number in this launch; for a purchase, also the number of its row.
        ///
        /// For a command from an earlier launch, it need not be the number in the command's identifier.
        var row: Int
        var recording = Recording.none
        /// Whether the order's transaction is already finished or removed.
        ///
        /// The command must still be acknowledged, but not recorded.
        var isOver = false
        /// The number of the transaction that a finish removes; nil once the removal is reported.
        var removal: Int?

        /// The progress of recording a command in the journal.
        enum Recording {
            case none, underWay
            /// The journal may have the command or not: its reply was lost.
            case inDoubt
            /// As ``inDoubt``, and the journal is recording the command again.
            case underWayInDoubt
            case recorded

            var isUnderWay: Bool { self == .underWay || self == .underWayInDoubt }
            /// Whether the journal has, or may have, recorded the command in an attempt that is over.
            var mayBeDone: Bool { self == .recorded || self == .inDoubt || self == .underWayInDoubt }
        }
    }

    /// The submission of commands to the store, one at a time.
    struct Submission {
        enum Stage {
            /// The next submission may begin.
            case idle
            /// This number of commands, from the front of `outbound`, is submitted and awaits the store's reply.
            case inFlight(Int)
            /// The store could not be reached; the next submission begins after a pause, or with a restore.
            case pausing
        }

        var stage = Stage.idle
        /// The number of the most recent submission.
        var number = 0
        /// The commands of the most recent submission.
        var commands: [StoreCommand] = []
        /// Whether the call that passes the submission to the store has not returned yet.
        ///
        /// Commands that are added meanwhile are written to the journal only after the call has returned, so that the
        /// journal stores commands in the order of their numbers.
        var isBeingPassed = false
        /// The number of failed attempts since the store last accepted a submission.
        var attempts = 0
        /// The number of pauses so far.
        var pauses = 0

        var isIdle: Bool { if case .idle = stage { true } else { false } }
        var isPausing: Bool { if case .pausing = stage { true } else { false } }
        /// The number of commands that await the store's reply.
        var inFlight: Int { if case .inFlight(let count) = stage { count } else { 0 } }

        mutating func endPause() {
            if isPausing { stage = .idle }
        }
    }

    /// The journal opening under which commands are numbered.
    let journal: JournalID
    var isObserved = false
    /// Whether only finishes are still sent, see `retire`.
    var isRetired = false
    /// Whether unacknowledged finishes are left in the journal for the next launch.
    var leavesFinishesToNextLaunch = false
    var rows = SlotTable<Row>()
    var outbound = Deque<Outbound>()
    var submission = Submission()
    /// The restores whose end has not been reported.
    var restores: [Int] = []
    /// The elements of `restores` that awaited a reply when a snapshot ended, which may have hidden their ends.
    var doubtfulRestores: Set<Int> = []
    var connection = Connection()

    private(set) var lastNumber = 0
    /// The rows of unfinished orders that were left by earlier openings of the journal.
    var adopted: [OrderID: Int] = [:]
    /// The inverse of `adopted`.
    var adoptedOrders: [Int: OrderID] = [:]
    /// The rows of transactions that the store sent unrequested.
    var foreign = IdentifierIndex()
    /// The orders that failed after they were submitted, and those whose transactions the store removed.
    ///
    /// If the store sends the transaction of one of these orders again, it is shown as new. The set never shrinks: an
    /// order whose reply was lost may appear in any later snapshot, and a user who signed out may sign in again. While
    /// the journal cannot be written, at most the orders of one submission fail in each pause.
    var givenUp: Set<Int> = []
    /// The highest row among the commands that were passed to the store.
    var lastSentRow = 0
    /// The highest row that was sent before the last snapshot ended.
    ///
    /// Orders up to it may have been sold and finished before the snapshot was taken.
    var lastDoubtfulRow = 0
    /// The transactions that this queue has finished and whose finishes are not acknowledged yet.
    ///
    /// The store's updates of these transactions are outdated. Orders of this launch are not included; they are known
    /// by their numbers.
    var finished: Set<String> = []
    /// The elements of `finished` that the store acknowledged while it was still sending a snapshot.
    var finishedInSnapshot: [String] = []

    init(journal: JournalID) { self.journal = journal }
}

extension QueueMachine {
    /// The actions to perform on the store lane and on the observer lane, each in order.
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
    /// Compact, since actions move from buffer to buffer: rare and large payloads are references.
    enum StoreAction: Equatable {
        indirect case connect(generation: Int, after: UpdateCursor?)
        case disconnect
        case submit([StoreCommand], number: Int)
        case record([StoreCommand])
        case forget([OrderID])
        indirect case wake(Timer, after: TimeInterval)
        /// Requests updates from an in-process store. Created by the driver, not by the machine.
        case pull

        var isSubmission: Bool { if case .submit = self { true } else { false } }
    }

    /// An action that concerns the observers.
    enum ObserverAction: Equatable {
        case show(Int, StorePayment)
        case bring(Int, StoreTransaction)
        case change(Int, StoreTransaction)
        case again(Int)
        /// Removes a finished transaction from the list. Its removal is reported later, by `remove`.
        case withdraw(Int)
        /// Reports a removal: the store or the journal has the finish, or the store itself removed the transaction.
        case remove(Int)
        indirect case restoreEnded(StoreFailure?)
        indirect case mayContinue(Int, identifier: String, StoreStorefront)
        case storefrontChanged
        case priceConsent
        case revoked([String])
        case promoted(StorePayment, StoreProduct)
        /// Reports a download, in order among the other callbacks. Created by the download engine, not by the machine.
        indirect case download(Int, DownloadReport)
        /// Marks that everything before it has been delivered.
        indirect case delivered(UpdateCursor)
    }

    /// The timer of a pause.
    ///
    /// Only the latest of each kind is in force; earlier ones are ignored.
    enum Timer: Equatable { case submission(number: Int), connection(generation: Int) }

    /// The result of a finish.
    enum FinishAnswer { case finished, purchasing, deferred }

    /// The maximum number of commands in a submission whose buffer is reused.
    static var reusedSubmissionLimit: Int { 64 }

    /// Returns the seconds of backoff after a number of consecutive failures: 1, 2, 4 … 256.
    static func pause(afterAttempts count: Int) -> TimeInterval { TimeInterval(1 << min(max(count - 1, 0), 8)) }

    static var longestPause: TimeInterval { pause(afterAttempts: .max) }
}

// MARK: - The app

extension QueueMachine {
    /// Adopts the commands left by an earlier opening of the journal.
    ///
    /// Must be called once, before any other method.
    mutating func adopt(_ commands: [StoreCommand], _ actions: inout Actions) {
        for command in Self.inOrder(commands) {
            let row = takeNumber()
            switch command.action {
            case .purchase(let payment):
                rows.insert(Row(isShown: true), at: row)
                adopted[command.id] = row
                adoptedOrders[row] = command.id
                actions.append(.show(row, payment))
            case .finish(let transaction): finished.insert(transaction)
            case .restore:
                // Restores are never recorded.
                continue
            }
            outbound.append(Outbound(command: command, row: row, recording: .recorded))
        }
    }

    /// Returns the commands of each opening in the order of their numbers.
    ///
    /// The journal may have recorded a command after later ones, but a store accepts numbers only in ascending order.
    private static func inOrder(_ commands: [StoreCommand]) -> [StoreCommand] {
        var openings: [JournalID: Int] = [:]
        for command in commands where openings[command.id.journal] == nil {
            openings[command.id.journal] = openings.count
        }
        return commands.sorted {
            (openings[$0.id.journal] ?? 0, $0.id.number) < (openings[$1.id.journal] ?? 0, $1.id.number)
        }
    }

    /// Handles the addition of the first observer, or the removal of the last one.
    mutating func setObserved(_ value: Bool, _ actions: inout Actions) {
        guard isObserved != value, !isRetired else { return }
        isObserved = value
        if value {
            repeatTransactions(&actions)
            connect(&actions)
            sendNext(&actions)
        } else {
            connection.isWanted = false
            actions.append(.disconnect)
        }
    }

    /// Tells the observers again of each unfinished transaction.
    func repeatTransactions(_ actions: inout Actions) {
        guard isObserved, !isRetired else { return }
        rows.forEach { number, row in if row.isShown { actions.append(.again(number)) } }
    }

    /// Orders a product.
    ///
    /// The order and the row of its transaction have the same number.
    mutating func add(_ payment: StorePayment, _ actions: inout Actions) {
        guard !isRetired else { return }
        let number = takeNumber()
        rows.insert(Row(), at: number)
        post(.purchase(payment), number: number, &actions)
    }

    /// Finishes a transaction: removes it from the list at once, and orders the finish.
    ///
    /// Observers are notified of the removal once the store or the journal has the finish, so that a removed
    /// transaction never returns. Finishing twice has no effect.
    ///
    /// - Parameters:
    ///   - number: the transaction's number.
    ///   - isHeld: whether to wait for more commands before sending; the caller must call `sendNext` in the end.
    ///   - actions: receives the actions to perform.
    /// - Returns: `finished`, or the state that prevents the finish.
    mutating func finish(_ number: Int, isHeld: Bool = false, _ actions: inout Actions) -> FinishAnswer {
        let (answer, transaction) = close(number, &actions)
        if let transaction {
            let finish = StoreCommand.Action.finish(transaction: transaction)
            post(finish, number: takeNumber(), removal: number, isHeld: isHeld, &actions)
        }
        return answer
    }

    /// Finishes a transaction that the queue does not have, because its user signed out or it has not arrived.
    ///
    /// - Returns: a new number, unknown to observers, under which the removal is reported.
    mutating func finishUnseen(_ identifier: String, _ actions: inout Actions) -> Int {
        // Ensures that the transaction is not shown as new if the user signs in before the store has the finish.
        finished.insert(identifier)
        let number = takeNumber()
        post(.finish(transaction: identifier), number: number, removal: number, &actions)
        return number
    }

    /// Removes a transaction from the list.
    ///
    /// Returns the identifier of the transaction that the store must finish; nil if there is none.
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
            // The purchase failed because the journal could not record it: only this queue knows it.
            actions.append(.remove(number))
            return (.finished, nil)
        }
        if !outbound.isEmpty { endOrder(ofRow: number, &actions) }
        if row.isForeign { foreign.remove(row.identifier) }
        // Updates of an order of this launch are recognized by its number, all others by the transaction's identifier.
        if row.isForeign || endAdoption(ofRow: number) { finished.insert(row.identifier) }
        return (.finished, row.identifier)
    }

    /// Ends the adoption of a row; returns whether it belonged to an order of an earlier launch.
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
        // Held only if the first pending command is a finish too: the next submission then includes all of them.
        if isHeld, submission.isIdle, case .finish = outbound[0].command.action { return }
        sendNext(&actions)
        guard submission.inFlight < outbound.count, !submission.isBeingPassed else { return }
        record(from: outbound.count - 1, &actions)
    }
}

extension QueueMachine {
    /// The external events that the queue waits for, described in a line each.
    var waiting: [String] {
        var lines: [String] = []
        if submission.inFlight > 0 { lines.append("the store's answer to \(submission.inFlight) commands") }
        if submission.isPausing { lines.append("the pause before commands are sent again") }
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
        return (submission.inFlight..<outbound.count).count { index in
            if case .purchase = outbound[index].command.action { true } else { false }
        }
    }
}

// A retired queue still sends finishes to its store, and nothing else.
extension QueueMachine {
    /// Retires the machine: from now on it only sends finishes.
    ///
    /// It buys, restores and reports nothing, and sets no timer. Unsent payments are left in the journal for the next
    /// launch; so are recorded finishes if `leavesFinishes` is true.
    mutating func retire(leavesFinishes: Bool, _ actions: inout Actions) {
        guard !isRetired else { return }
        isRetired = true
        leavesFinishesToNextLaunch = leavesFinishes
        isObserved = false
        connection.isWanted = false
        submission.endPause()
        restores = []
        doubtfulRestores = []
        if !submission.isBeingPassed {
            record(from: 0, &actions)
            shedIfRetired()
        }
        sendNext(&actions)
    }

    /// Whether the store and the journal have responded to every command passed to them.
    ///
    /// A retired machine at rest is done, since it retries nothing by itself.
    var isAtRest: Bool {
        submission.inFlight == 0 && !submission.isBeingPassed
            && !(0..<outbound.count).contains { outbound[$0].recording.isUnderWay }
    }

    /// Drops commands that will not be sent.
    ///
    /// Call it after the commands have been passed to the journal.
    mutating func shedIfRetired() {
        guard isRetired else { return }
        var remainingInFlight = submission.inFlight
        outbound.filter { outbound in
            remainingInFlight -= 1
            guard remainingInFlight < 0 else { return true }
            // A finish is left to the next launch only if the journal has recorded it.
            guard case .finish = outbound.command.action else { return false }
            return !leavesFinishesToNextLaunch || outbound.recording != .recorded
        }
    }

    /// Returns the command by which a retired machine sends a finish.
    ///
    /// The command is numbered under an opening of its own, which is derived from the machine's so that runs are
    /// reproducible. Under the machine's opening, the command would block the payments left in the journal: a store
    /// accepts no number below one that it has accepted.
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

/// An index of rows by the store's identifiers.
///
/// Most stores number their transactions in ascending order. Those are in a sorted array, so that a million of them can
/// be added without a single look-up; identifiers that are out of order or not numeric are in a dictionary. A
/// dictionary alone takes 3.4 times as long.
struct IdentifierIndex {
    private struct Entry {
        let number: Int64
        /// 0 if the row was removed.
        var row: Int
    }

    private var ascending: ContiguousArray<Entry> = []
    private var gone = 0
    private var others: [String: Int] = [:]

    var isEmpty: Bool { ascending.isEmpty && others.isEmpty }

    func row(of identifier: String) -> Int? {
        if let index = index(of: identifier), ascending[index].row != 0 { return ascending[index].row }
        return others.isEmpty ? nil : others[identifier]
    }

    /// Inserts a row unless the identifier has one.
    ///
    /// Returns the existing row, if any.
    mutating func insert(_ row: Int, for identifier: String) -> Int? {
        if let number = Int64(spelledBy: identifier), number > ascending.last?.number ?? -1 {
            if !others.isEmpty, let known = others[identifier] { return known }
            ascending.append(Entry(number: number, row: row))
            return nil
        }
        if let known = self.row(of: identifier) { return known }
        others[identifier] = row
        return nil
    }

    mutating func remove(_ identifier: String) {
        guard let index = index(of: identifier), ascending[index].row != 0 else {
            others[identifier] = nil
            return
        }
        ascending[index].row = 0
        gone += 1
        guard gone == ascending.count || (gone > 1024 && gone > ascending.count / 2) else { return }
        ascending.removeAll { $0.row == 0 }
        gone = 0
    }

    private func index(of identifier: String) -> Int? {
        guard !ascending.isEmpty, let number = Int64(spelledBy: identifier) else { return nil }
        let index = ascending.indices.partitionPoint { ascending[$0].number < number }
        return index < ascending.count && ascending[index].number == number ? index : nil
    }
}
