import Foundation
import StoreCore

/// An error that ends a scenario, with its reason.
struct Stop: Error {
    let reason: String
}

/// A new store, and a queue's requests and received updates in a scenario.
///
/// The harness is used on one thread and calls the store on another, so it detects a call that never returns.
final class TestHarness {
    let subject: ContractSubject
    let results: ResultCollector
    let trace = MonitoredValue(Trace())
    /// The default journal of commands.
    let journal = JournalID.unique()
    private(set) var store: ContractSubject.Store
    private(set) var backend: any StoreBackend
    /// The store's clock, read once.
    private(set) var clock: any StoreClock
    /// The line that stays connected during the whole scenario.
    private(set) var main: Line?

    private var lane = DispatchQueue(label: "StoreContract.lane")
    var lines: [Line] = []
    private var numbers: [JournalID: Int] = [:]
    private var lastRequestNumber = 0

    /// A series of receivers of the same updates; a new receiver replaces one whose connection was lost.
    final class Line {
        let journal: JournalID
        let isMain: Bool
        var receiver: TraceReceiver
        var connections: [Int] = []
        /// The index of the latest connection that the scenario itself requested; later ones are reconnections after a
        /// loss.
        var first = 0

        /// Returns the updates since the scenario last connected this line.
        func news(in trace: Trace) -> [StoreUpdate] {
            connections.filter { $0 >= first }.flatMap { trace.connections[$0].walk.updates.map(\.update) }
        }

        /// Returns the latest complete snapshot since the scenario last connected this line.
        func snapshot(in trace: Trace) -> [StoreTransaction]? {
            connections.filter { $0 >= first }.map { trace.connections[$0].walk }.last(where: \.isSnapshotComplete)?
                .snapshot
        }

        /// Returns the first flaw in the chain of any of the line's connections.
        func flaw(in trace: Trace) -> (promise: ContractPromise, why: String)? {
            connections.lazy.compactMap { trace.connections[$0].walk.flaw }.first
        }

        /// Returns the cursor that the latest connection has reached.
        func cursor(in trace: Trace) -> UpdateCursor? { connections.last.flatMap { trace.connections[$0].walk.cursor } }

        init(_ receiver: TraceReceiver, isMain: Bool) {
            journal = receiver.journal
            self.receiver = receiver
            self.isMain = isMain
        }
    }

    /// Opens a new store and connects the main line to it.
    init(_ subject: ContractSubject, _ results: ResultCollector) throws {
        self.subject = subject
        self.results = results
        do {
            store = try subject.newStore()
        } catch {
            results.hold(.opens, false, "a new store does not open: \(error)")
            throw Stop(reason: "a new store does not open")
        }
        backend = store.backend
        clock = backend.clock
        results.hold(.opens, true, "")
        main = try connect(isMain: true)
    }

    /// Reopens the same data, as after a crash of the process, and connects to it.
    func reopen() throws {
        guard let reopen = store.reopen else { throw Stop(reason: "the subject has no way to open a store again") }
        try quiet()
        for line in lines { leave(line) }
        trace.change { trace in for index in trace.connections.indices { trace.connections[index].isAbandoned = true } }
        do {
            backend = try reopen()
        } catch {
            results.hold(.opens, false, "a store with data does not open again: \(error)")
            throw Stop(reason: "the store does not open again")
        }
        clock = backend.clock
        lane = DispatchQueue(label: "StoreContract.lane")
        main = try connect(isMain: true)
    }

    /// Disconnects all receivers without waiting.
    func close() {
        lane.async { [backend, receivers = lines.map(\.receiver)] in
            for receiver in receivers { backend.disconnect(receiver) }
        }
    }

    func look<R>(_ body: (Trace) -> R) -> R { trace.read(body) }
}

// MARK: - Calls

extension TestHarness {
    /// Calls the store, and waits for the reply.
    ///
    /// The promise counts as broken if there is no reply before the deadline. `what` names the call in the report.
    func ask<R: Sendable>(
        _ promise: ContractPromise,
        _ what: String,
        _ body: @escaping @Sendable (any StoreBackend, @escaping @Sendable (R) -> Void) -> Void
    ) throws -> R {
        let answer = begin(body)
        guard wait({ $0.done.contains(answer.request) }), let result = answer.result.read({ $0 }) else {
            results.hold(promise, false, "\(what) was not answered within \(subject.deadline) s")
            throw Stop(reason: "\(what) was not answered")
        }
        return result
    }

    /// Calls the store, and waits until the call has returned.
    func call<R: Sendable>(
        _ promise: ContractPromise,
        _ what: String,
        _ body: @escaping @Sendable (any StoreBackend) -> R
    ) throws -> R {
        try ask(promise, what) { backend, answer in answer(body(backend)) }
    }

    /// A call's reply, which may be pending.
    struct Answer<R: Sendable> {
        let request: Int
        let result = MonitoredValue<R?>(nil)
    }

    /// Calls the store, on its lane or on a given queue, without waiting.
    func begin<R: Sendable>(
        on queue: DispatchQueue? = nil,
        _ body: @escaping @Sendable (any StoreBackend, @escaping @Sendable (R) -> Void) -> Void
    ) -> Answer<R> {
        let answer = Answer<R>(request: nextRequestNumber())
        let work = clock.activity.begin()
        (queue ?? lane).async { [backend, trace, result = answer.result, request = answer.request] in
            body(backend) { value in
                // Further replies are ignored.
                result.change { $0 = $0 ?? value }
                trace.change { _ = $0.done.insert(request) }
            }
            work.end()
        }
        return answer
    }

    func nextRequestNumber() -> Int {
        lastRequestNumber += 1
        return lastRequestNumber
    }
}

// MARK: - Commands

extension TestHarness {
    /// Returns a command with a journal's next number.
    func command(_ action: StoreCommand.Action, in journal: JournalID? = nil, leavingOut gap: Int = 0) -> StoreCommand {
        let journal = journal ?? self.journal
        let number = numbers[journal, default: 0] + 1 + gap
        numbers[journal] = number
        return StoreCommand(id: OrderID(journal: journal, number: number), action: action)
    }

    func buy(_ product: String, in journal: JournalID? = nil) -> StoreCommand {
        command(.purchase(StorePayment(productIdentifier: product)), in: journal)
    }

    /// Submits commands until they are taken.
    ///
    /// The promise counts as broken if they are never taken.
    func submit(_ commands: [StoreCommand], _ promise: ContractPromise = .submissionsAnswered) throws {
        trace.change { $0.add(commands) }
        var failure: StoreFailure?
        for _ in 1...4 {
            let reply: SubmissionReply = try ask(.submissionsAnswered, "a submission of \(name(commands))") {
                $0.submit(commands, reply: $1)
            }
            switch reply {
            case .taken:
                results.hold(.submissionsAnswered, true, "")
                return results.hold(promise, true, "")
            case .refused(let commands):
                let why = commands.first.map { ": \($0.failure)" } ?? ""
                results.hold(promise, false, "a submission was refused for good\(why)")
                throw Stop(reason: "a submission was refused")
            case .tryLater(let trouble):
                failure = trouble
                try quiet()
            }
        }
        let why = failure.map { ": \($0)" } ?? ""
        results.hold(promise, false, "a submission of \(name(commands)) was to be tried later, four times\(why)")
        throw Stop(reason: "a submission was not taken")
    }

    /// Waits until orders are decided.
    func expectDecided(_ orders: [StoreCommand], when: String = "") throws {
        _ = wait { trace in orders.allSatisfy { trace.result(of: $0.id) != nil } }
        try expectChain()
        for order in orders {
            let isDecided = look { $0.result(of: order.id) != nil }
            let isSeen = look { $0.transaction(of: order.id) != nil }
            let what = "\(name([order]))\(when)"
            results.hold(.nothingForgotten, isSeen, "\(what) was taken, and no update says what became of it")
            guard isSeen else { throw Stop(reason: "an order was forgotten") }
            results.hold(.ordersEnd, isDecided, "\(what) was still undecided after \(subject.deadline) s")
            guard isDecided else { throw Stop(reason: "an order did not end") }
        }
    }

    /// Submits orders for products that sell, and waits until they are sold.
    func sell(_ orders: [StoreCommand]) throws -> [StoreTransaction] {
        try submit(orders)
        try expectDecided(orders)
        return try orders.map { order in
            let transaction = look { $0.result(of: order.id) }
            let why = transaction?.failure.map { ": \($0)" } ?? ""
            results.hold(.whatSellsIsSold, transaction?.state == .purchased, "\(name([order])) was refused\(why)")
            guard let transaction, transaction.state == .purchased else { throw Stop(reason: "what sells was refused") }
            return transaction
        }
    }

    /// Finishes transactions, and records that they must not be sent again.
    @discardableResult
    func finish(_ transactions: [StoreTransaction], in journal: JournalID? = nil) throws -> [StoreCommand] {
        guard !transactions.isEmpty else { return [] }
        let commands = transactions.map { command(.finish(transaction: $0.identifier), in: journal) }
        try submit(commands)
        try quiet()
        trace.change { trace in
            for transaction in transactions { trace.finished[transaction.identifier] = trace.count }
        }
        return commands
    }

    /// Waits until a restore has ended and nothing more arrives.
    func expectEnd(_ restore: StoreCommand, when: String = "") throws {
        let hasEnded = wait { $0.hasEnded(restore.id) }
        try expectChain()
        results.hold(.restoreEnds, hasEnded, "a restore\(when) had not ended after \(subject.deadline) s")
        guard hasEnded else { throw Stop(reason: "a restore did not end") }
        try quiet()
    }

    private func name(_ commands: [StoreCommand]) -> String {
        let first = commands[0].action
        let rest = commands.count > 1 ? " and \(commands.count - 1) more" : ""
        switch first {
        case .purchase(let payment): return "an order for \(payment.productIdentifier)\(rest)"
        case .finish: return "a finish\(rest)"
        case .restore: return "a restore\(rest)"
        }
    }
}
