import Foundation

@testable import StoreCore

/// A small world around one queue machine: a store, a journal and observers, and all that can go wrong between them.
///
/// Everything the machine does is held against what it may do; ``faults`` says what was wrong.
final class MachineWorld {
    private(set) var faults: [String] = []
    /// What happened, if that is wanted.
    private(set) var story: [String]?
    private var random: SplitMix64
    private var machine = QueueMachine(journal: JournalID(rawValue: 1))
    private var store: ModelStore
    private var journal: [StoreCommand] = []

    // What the machine asked for and has not been done.
    private var lane: [QueueMachine.StoreAction] = []
    private var replies: [(reply: SubmissionReply, number: Int)] = []
    private var timers: [QueueMachine.Timer] = []
    private var connection: ModelConnection?
    private var isAnswering = true

    // What the observers know.
    private var shown: [Int: StoreTransaction.State] = [:]
    /// Finished, and not heard removed yet.
    private var withdrawn: Set<Int> = []
    private var identifiers: [Int: String] = [:]
    private var orders: [Int: OrderID] = [:]
    private var openRestores = 0

    /// Orders that the store or the journal has had: they must be sold once.
    private var durable: Set<OrderID> = []
    /// Transactions whose finish the store or the journal has had: they must not come back.
    private var finished: Set<String> = []
    /// Decided transactions that observers have been told of.
    private var told: Set<String> = []
    /// A callback holds finishes back.
    private var isHolding = false
    /// The store's answer to a submission is lost, which only a relaunch helps.
    private var hasLostAnswer = false

    init(seed: UInt64, isTelling: Bool = false) {
        story = isTelling ? [] : nil
        random = SplitMix64(seed: seed)
        store = ModelStore()
    }

    private func chance(_ one: Int, in many: Int) -> Bool { Int.random(in: 0..<many, using: &random) < one }

    private func check(_ isRight: Bool, _ fault: @autoclosure () -> String) {
        if !isRight { faults.append(fault()) }
    }
}

// MARK: - What happens

extension MachineWorld {
    /// One thing, of whatever can happen now.
    func step() {
        if isHolding, chance(1, in: 2) { return sendHeld() }
        switch Int.random(in: 0..<23, using: &random) {
        case 0...3: tell("add") { $0.add(StorePayment(productIdentifier: "sword"), &$1) }
        case 4: finishSomething()
        case 5: holdSomething()
        case 6...10: performNext()
        case 11, 12: deliverNext()
        case 13: answerNext()
        case 14: if !timers.isEmpty { fire(timers.remove(at: Int.random(in: 0..<timers.count, using: &random))) }
        case 15: store.decide(&random)
        case 16: store.renew()
        case 22: store.finishElsewhere(&random)
        case 17: tell("observe") { $0.setObserved(true, &$1) }
        case 18: if chance(1, in: 3) { tell("stop observing") { $0.setObserved(false, &$1) } }
        case 19: loseConnection()
        case 20:
            if chance(1, in: 2), machine.isObserved {
                openRestores += 1
                tell("restore") { $0.restore(applicationUsername: nil, &$1) }
            }
        default: if chance(1, in: 3) { relaunch() }
        }
    }

    /// From now on nothing goes wrong, the user decides everything and the app finishes everything.
    func calmDown() {
        isAnswering = true
        if isHolding { sendHeld() }
        if hasLostAnswer || chance(1, in: 2) { relaunch() }
        tell("observe") { $0.setObserved(true, &$1) }
        for _ in 0..<400 {
            let before = (lane.count, replies.count, timers.count, shown.count, store.changes.count)
            while !lane.isEmpty { performNext(isCalm: true) }
            while !replies.isEmpty { answerNext() }
            while !timers.isEmpty { fire(timers.removeFirst()) }
            while connection?.hasNext(store) == true { deliverNext(isCalm: true) }
            store.decideAll()
            for number in shown.keys.sorted() where shown[number].map(\.isDecided) == true { finish(number) }
            if before == (0, 0, 0, 0, store.changes.count), lane.isEmpty, connection?.hasNext(store) == false { break }
        }
        checkTheEnd()
    }

    private func checkTheEnd() {
        check(machine.outbound.isEmpty, "commands were never sent: \(machine.outbound.count)")
        check(machine.rows.isEmpty, "rows were left over: \(machine.rows.count)")
        check(machine.adopted.values.allSatisfy { machine.rows[$0] == nil }, "adopted rows were left over")
        check(shown.isEmpty, "transactions stayed on the list: \(shown)")
        check(withdrawn.isEmpty, "nobody heard that these were removed: \(withdrawn)")
        check(journal.isEmpty, "the journal kept \(journal.map(\.id))")
        check(store.open.isEmpty, "the store kept \(store.open.map(\.identifier))")
        check(openRestores == 0, "\(openRestores) restores never ended")
        for order in durable {
            let isRefused = store.refused.contains(order)
            check(store.sales[order] == (isRefused ? nil : 1), "\(order) was sold \(store.sales[order] ?? 0) times")
        }
        for identifier in store.everDecided.subtracting(store.finishedElsewhere) {
            check(told.contains(identifier), "nobody heard of \(identifier)")
        }
    }

    private func finishSomething() {
        let decided = shown.keys.filter { shown[$0].map(\.isDecided) == true }.sorted()
        if let number = decided.randomElement(using: &random) { finish(number) }
    }

    private func finish(_ number: Int) { tell("finish \(number)") { _ = $0.finish(number, &$1) } }

    /// Finishes something as a callback does that was told of several transactions.
    private func holdSomething() {
        let decided = shown.keys.filter { shown[$0].map(\.isDecided) == true }.sorted()
        guard let number = decided.randomElement(using: &random) else { return }
        isHolding = true
        tell("hold \(number)") { _ = $0.finish(number, isHeld: true, &$1) }
    }

    private func sendHeld() {
        isHolding = false
        tell("send what is held") { $0.sendNext(&$1) }
    }

    private func fire(_ timer: QueueMachine.Timer) { tell("\(timer)") { $0.timerFired(timer, &$1) } }

    private func answerNext() {
        guard !replies.isEmpty else { return }
        let (reply, number) = replies.removeFirst()
        tell("\(reply) to \(number)") { $0.replied(reply, to: number, now: .distantPast, &$1) }
    }

    private func loseConnection() {
        guard let generation = connection?.generation else { return }
        connection = nil
        tell("lost \(generation)") {
            $0.connectionLost(.network(.notConnectedToInternet, "away"), generation: generation, &$1)
        }
    }

    private func deliverNext(isCalm: Bool = false) {
        guard var open = connection, open.hasNext(store) else { return }
        let batch = open.next(store, &random)
        connection = open
        if !isCalm, chance(1, in: 8) { return }
        tell("\(batch)") { $0.received(batch, generation: open.generation, &$1) }
        if !isCalm, chance(1, in: 6) { tell("\(batch)") { $0.received(batch, generation: open.generation, &$1) } }
    }

    /// A new launch: whatever was neither in the journal nor in the store is gone.
    private func relaunch() {
        let id = JournalID(rawValue: machine.journal.rawValue + 1)
        machine = QueueMachine(journal: id)
        isHolding = false
        hasLostAnswer = false
        lane = []
        replies = []
        timers = []
        connection = nil
        openRestores = 0
        shown = [:]
        withdrawn = []
        identifiers = [:]
        orders = [:]
        let left = journal
        let purchases = left.filter { if case .purchase = $0.action { true } else { false } }
        var actions = QueueMachine.Actions()
        machine.adopt(left, &actions)
        story?.append("launch with \(left) -> \(actions)")
        let numbers = actions.observers.map { if case .show(let number, _) = $0 { number } else { -1 } }
        check(numbers.count == purchases.count && !numbers.contains(-1), "adopting did \(actions)")
        for (number, command) in zip(numbers, purchases) {
            orders[number] = command.id
            shown[number] = .purchasing
        }
    }
}

// MARK: - What the machine does

extension MachineWorld {
    private func tell(
        _ name: @autoclosure () -> String,
        _ event: (inout QueueMachine, inout QueueMachine.Actions) -> Void
    ) {
        var actions = QueueMachine.Actions()
        event(&machine, &actions)
        story?.append("\(name()) -> \(actions)")
        for action in actions.observers { take(action) }
        for action in actions.store { take(action) }
    }

    private func take(_ action: QueueMachine.StoreAction) {
        guard case .wake(let timer, let pause) = action else { return lane.append(action) }
        check((1...256).contains(pause), "a pause of \(pause) seconds")
        timers.append(timer)
    }

    private func take(_ action: QueueMachine.ObserverAction) {
        switch action {
        case .show(let number, _):
            let order = OrderID(journal: machine.journal, number: number)
            check(shown[number] == nil, "\(number) was shown twice")
            let isKept = journal.contains { $0.id == order } || store.has(order) || store.refused.contains(order)
            check(isKept, "\(order) is shown and nowhere kept")
            orders[number] = order
            shown[number] = .purchasing
        case .bring(let number, let transaction):
            check(shown[number] == nil, "\(number) was brought twice")
            check(!identifiers.values.contains(transaction.identifier), "\(transaction.identifier) is there twice")
            check(!finished.contains(transaction.identifier), "\(transaction.identifier) came back")
            identifiers[number] = transaction.identifier
            see(number, transaction)
        case .change(let number, let transaction):
            guard let state = shown[number] else { return check(false, "\(number) changed and was not shown") }
            check(state.isLegal(before: transaction.state), "\(number) went from \(state) to \(transaction.state)")
            check(orders[number] == nil || orders[number] == transaction.order, "\(number) is another order's")
            check(!finished.contains(transaction.identifier), "\(transaction.identifier) came back")
            identifiers[number] = transaction.identifier
            see(number, transaction)
        case .again(let number): check(shown[number] != nil, "\(number) is told of again and was not shown")
        case .withdraw(let number):
            check(shown.removeValue(forKey: number) != nil, "\(number) was withdrawn and was not there")
            withdrawn.insert(number)
        case .remove(let number):
            let isFinished = withdrawn.remove(number) != nil
            check(isFinished != (shown.removeValue(forKey: number) != nil), "\(number) was removed and was not there")
            // One that the store has refused has no identifier.
            if isFinished, let identifier = identifiers[number], !identifier.isEmpty {
                check(finished.contains(identifier), "\(identifier) was removed, and its finish is nowhere kept")
                let isForgotten = orders[number].map { order in !journal.contains { $0.id == order } } ?? true
                check(isForgotten, "\(identifier) was removed, and its order is still in the journal")
            }
            identifiers[number] = nil
        case .restoreEnded:
            openRestores -= 1
            check(openRestores >= 0, "a restore ended twice")
        case .mayContinue(let number, _, _):
            check(shown[number].map { $0 == .purchasing || $0 == .deferred } ?? false, "\(number) is not under way")
        case .storefrontChanged, .priceConsent, .revoked, .promoted, .delivered: break
        case .download: check(false, "the machine tells of a download")
        }
    }

    private func see(_ number: Int, _ transaction: StoreTransaction) {
        shown[number] = transaction.state
        if transaction.state.isDecided { told.insert(transaction.identifier) }
    }

    private func performNext(isCalm: Bool = false) {
        guard !lane.isEmpty else { return }
        switch lane.removeFirst() {
        case .connect(let generation, let cursor):
            let isNews = isCalm || !chance(1, in: 10)
            connection = ModelConnection(store, generation, after: isNews ? cursor : nil, for: machine.journal)
        case .disconnect: connection = nil
        case .record(let commands):
            check(Set(commands.map(\.id)).isDisjoint(with: journal.map(\.id)), "recorded twice: \(commands.map(\.id))")
            journal += commands
            check(journal.isInOrder, "the journal is out of order: \(journal.map(\.id))")
            keep(commands)
            tell("recorded \(commands.map(\.id))") { machine, actions in
                let acknowledged = machine.recorded(commands, .recorded, now: .distantPast, &actions)
                journal.removeAll { acknowledged.contains($0.id) }
            }
        case .forget(let orders): journal.removeAll { orders.contains($0.id) }
        case .submit(let commands, let number): submit(commands, number, isCalm: isCalm)
        case .wake, .pull: check(false, "the machine put this on the lane")
        }
    }

    private func submit(_ commands: [StoreCommand], _ number: Int, isCalm: Bool) {
        check(commands.isInOrder, "sent out of order: \(commands.map(\.id))")
        let isTaken = isCalm || !chance(1, in: 4)
        var refused: [RefusedCommand] = []
        if isTaken {
            for command in commands {
                if store.refuses(command, &random) {
                    refused.append(RefusedCommand(id: command.id, failure: .storeKit(.paymentInvalid, "too long")))
                } else {
                    store.take(command, &random)
                    keep([command])
                }
            }
        }
        let isDenied = !isTaken || (!isCalm && chance(1, in: 8))
        let reply: SubmissionReply = isDenied ? .trouble : refused.isEmpty ? .taken : .refused(refused)
        if isDenied || refused.isEmpty, chance(1, in: 2) { return exchange(reply, number) }
        switch isCalm ? 0 : Int.random(in: 0..<8, using: &random) {
        case 0...3: tell("\(reply) to \(number)") { $0.replied(reply, to: number, now: .distantPast, &$1) }
        case 4...6: replies.append((reply, number))
        default: hasLostAnswer = true
        }
        tell("returned \(number)") { $0.submissionReturned(number, &$1) }
    }

    /// A store in the process answers with the acknowledgement and the news together.
    private func exchange(_ reply: SubmissionReply, _ number: Int) {
        var exchange = Exchange()
        if case .tryLater(let failure) = reply { exchange.refuse(failure) }
        let generation = connection?.generation
        if var open = connection, open.hasNext(store) {
            exchange.updates = .batch
            exchange.batch = open.next(store, &random)
            connection = open
        }
        tell("\(exchange)") { $0.exchanged(exchange, submission: number, generation: generation, &$1) }
    }

    private func keep(_ commands: [StoreCommand]) {
        for command in commands {
            switch command.action {
            case .purchase: durable.insert(command.id)
            case .finish(let transaction): finished.insert(transaction)
            case .restore: break
            }
        }
    }
}

extension [StoreCommand] {
    /// Whether the numbers of each opening grow.
    fileprivate var isInOrder: Bool {
        var last: [JournalID: Int] = [:]
        return allSatisfy { command in
            defer { last[command.id.journal] = command.id.number }
            return last[command.id.journal, default: 0] < command.id.number
        }
    }
}

extension StoreTransaction.State {
    var isDecided: Bool { self != .purchasing && self != .deferred }

    fileprivate func isLegal(before next: Self) -> Bool {
        switch (self, next) {
        case (.purchasing, .deferred), (.purchasing, .purchased), (.purchasing, .failed): true
        case (.deferred, .purchased), (.deferred, .failed): true
        default: false
        }
    }
}
