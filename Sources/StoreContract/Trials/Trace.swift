import StoreCore

/// Everything that was sent to a store and everything that it sent, in the order in which it came.
struct Trace: Sendable {
    /// What came on one connection, from one call of `connect` to the next.
    struct Connection: Sendable {
        let journal: JournalID
        /// Where the receiver said it was.
        let asked: UpdateCursor?
        /// Whether it listens from the beginning to the end, so that every change must come here.
        let isMain: Bool
        /// How many batches had come anywhere when it began.
        let begun: Int
        var batches: [(number: Int, batch: UpdateBatch)] = []
        var loss: StoreFailure?
        /// Nobody listens any more.
        var isOver = false

        /// What a queue makes of it.
        var walk: Walk { Walk(asked: asked, batches) }
    }

    var connections: [Connection] = []
    /// How many batches have come.
    private(set) var count = 0
    /// How many calls of receivers have been seen while another one was at work on the same connection.
    var overlaps = 0
    /// The commands that were submitted.
    var commands: [OrderID: StoreCommand] = [:]
    /// Those that were submitted more than once, and how many batches had come by the second time.
    private var repetitions: [OrderID: Int] = [:]
    /// The transactions whose finish was acknowledged, and how many batches had come by then.
    var finished: [String: Int] = [:]
    /// The calls that have returned and been answered, and the errands that are done.
    var done: Set<Int> = []

    mutating func add(_ batch: UpdateBatch, to connection: Int) {
        connections[connection].batches.append((count, batch))
        count += 1
    }

    mutating func add(_ commands: [StoreCommand]) {
        for command in commands {
            guard self.commands.updateValue(command, forKey: command.id) != nil else { continue }
            repetitions[command.id] = repetitions[command.id] ?? count
        }
    }

    /// Whether what came in a batch may have come of a command's repetition.
    func isRepeated(_ command: OrderID, before batch: Int) -> Bool {
        repetitions[command].map { $0 <= batch } ?? false
    }

    /// All that came on the main connections, in order, without what was repeated.
    var mainUpdates: [StoreUpdate] { connections.filter(\.isMain).flatMap { $0.walk.updates.map(\.update) } }

    /// The transactions that came on the main connections, each in its latest version, oldest first.
    var transactions: [StoreTransaction] {
        var order: [String] = []
        var latest: [String: StoreTransaction] = [:]
        for case .transaction(let transaction) in mainUpdates {
            if latest.updateValue(transaction, forKey: transaction.identifier) == nil {
                order.append(transaction.identifier)
            }
        }
        return order.compactMap { latest[$0] }
    }

    /// What should be in a snapshot that is begun now.
    var unfinished: [StoreTransaction] {
        let gone = mainUpdates.compactMap { if case .finished(let identifier, _) = $0 { identifier } else { nil } }
        return transactions.filter { finished[$0.identifier] == nil && !gone.contains($0.identifier) }
    }

    /// What became of an order, as far as is known.
    func transaction(of order: OrderID) -> StoreTransaction? { transactions.last { $0.order == order } }

    /// The first result of an order; what comes after it is another question.
    func result(of order: OrderID) -> StoreTransaction? {
        for case .transaction(let transaction) in mainUpdates
        where transaction.order == order && transaction.state.isDecided {
            return transaction
        }
        return nil
    }

    /// What restores have brought, oldest first.
    var restored: [StoreTransaction] { transactions.filter { $0.state == .restored } }

    func isDecided(_ order: OrderID) -> Bool { transaction(of: order)?.state.isDecided ?? false }

    func hasEnded(_ restore: OrderID) -> Bool {
        mainUpdates.contains { if case .restoreEnded(restore, _) = $0 { true } else { false } }
    }
}

extension StoreUpdate {
    /// The transaction that it is about, if it says all of it.
    var transaction: StoreTransaction? { if case .transaction(let transaction) = self { transaction } else { nil } }

    /// A few words for a report.
    var summary: String {
        switch self {
        case .transaction(let transaction): "\(transaction.summary), \(transaction.state)"
        case .finished(let identifier, _): "transaction \(identifier), finished"
        case .restoreEnded: "the end of a restore"
        case .storefront: "another storefront"
        case .revoked(let products): "\(products.joined(separator: ", ")), revoked"
        case .promoted(let payment, _): "\(payment.productIdentifier), promoted"
        }
    }
}

extension StoreTransaction {
    /// A few words for a report.
    var summary: String { "transaction \(identifier) for \(payment.productIdentifier)" }
}

extension StoreTransaction.State {
    var isDecided: Bool { self != .purchasing && self != .deferred }
}
