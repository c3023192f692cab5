import Foundation
import StoreCore

/// The least that a store can be: what is open, what was taken, and a list of all changes.
struct ModelStore {
    private(set) var open: [StoreTransaction] = []
    private(set) var changes: [StoreUpdate] = []
    /// Who asked for a change that is a finish.
    private(set) var finishers: [Int: JournalID] = [:]
    /// How often each order was sold.
    private(set) var sales: [OrderID: Int] = [:]
    private(set) var everDecided: Set<String> = []
    /// The transactions that another queue on the device has finished.
    private(set) var finishedElsewhere: Set<String> = []
    /// The orders that the store will never take.
    private(set) var refused: Set<OrderID> = []
    private var taken: [JournalID: Int] = [:]
    private var lastIdentifier = 0

    func has(_ order: OrderID) -> Bool { order.number <= taken[order.journal, default: 0] && !refused.contains(order) }

    /// Returns whether the store will never take a command, as it finds a few orders too long.
    mutating func refuses(_ command: StoreCommand, _ random: inout SplitMix64) -> Bool {
        if refused.contains(command.id) { return true }
        guard case .purchase = command.action, command.id.number > taken[command.id.journal, default: 0],
            Int.random(in: 0..<12, using: &random) == 0
        else { return false }
        refused.insert(command.id)
        return true
    }

    /// Another queue on the device finishes something.
    mutating func finishElsewhere(_ random: inout SplitMix64) {
        guard let index = open.indices.filter({ open[$0].state.isDecided }).randomElement(using: &random) else {
            return
        }
        let transaction = open.remove(at: index)
        finishedElsewhere.insert(transaction.identifier)
        changes.append(.finished(transaction: transaction.identifier, order: transaction.order))
    }

    mutating func take(_ command: StoreCommand, _ random: inout SplitMix64) {
        guard !has(command.id) else { return }
        taken[command.id.journal] = command.id.number
        switch command.action {
        case .purchase(let payment):
            sales[command.id, default: 0] += 1
            let state = [StoreTransaction.State.purchased, .purchased, .failed, .purchasing].randomElement(
                using: &random
            )
            insert(payment, state ?? .purchased, command.id)
        case .finish(let identifier):
            guard let index = open.firstIndex(where: { $0.identifier == identifier && $0.state.isDecided }) else {
                return
            }
            let transaction = open.remove(at: index)
            finishers[changes.count] = command.id.journal
            changes.append(.finished(transaction: identifier, order: transaction.order))
        case .restore:
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                insert(StorePayment(productIdentifier: "full.game"), .restored, nil)
            }
            changes.append(.restoreEnded(command.id, failure: nil))
        }
    }

    /// Something that nobody asked for.
    mutating func renew() { insert(StorePayment(productIdentifier: "pro.monthly"), .purchased, nil) }

    /// Somebody decides about one order that waits.
    mutating func decide(_ random: inout SplitMix64) {
        guard let index = open.indices.filter({ !open[$0].state.isDecided }).randomElement(using: &random) else {
            return
        }
        let states: [StoreTransaction.State] =
            open[index].state == .purchasing ? [.deferred, .purchased, .failed] : [.purchased, .failed]
        change(index, to: states.randomElement(using: &random) ?? .purchased)
    }

    mutating func decideAll() {
        for index in open.indices where !open[index].state.isDecided { change(index, to: .purchased) }
    }

    private mutating func insert(_ payment: StorePayment, _ state: StoreTransaction.State, _ order: OrderID?) {
        lastIdentifier += 1
        open.append(
            StoreTransaction(
                identifier: String(lastIdentifier),
                order: order,
                payment: payment,
                state: .purchasing,
                date: .distantPast
            )
        )
        change(open.count - 1, to: state)
    }

    private mutating func change(_ index: Int, to state: StoreTransaction.State) {
        let old = open[index]
        open[index] = StoreTransaction(
            identifier: old.identifier,
            order: old.order,
            payment: old.payment,
            state: state,
            date: old.date
        )
        if state.isDecided { everDecided.insert(old.identifier) }
        changes.append(.transaction(open[index]))
    }
}

/// What the model store sends to one connection, batch by batch.
struct ModelConnection {
    let generation: Int
    private let journal: JournalID
    private var snapshot: ArraySlice<StoreTransaction>
    private var isSnapshotOpen: Bool
    private var cursor: UpdateCursor?
    private let position: Int

    /// A connection that begins with a snapshot, unless the cursor lies behind one.
    init(_ store: ModelStore, _ generation: Int, after cursor: UpdateCursor?, for journal: JournalID) {
        self.generation = generation
        self.journal = journal
        position = store.changes.count
        if let cursor, cursor.part == nil {
            self.cursor = cursor
            snapshot = []
            isSnapshotOpen = false
        } else {
            snapshot = store.open[...]
            isSnapshotOpen = true
        }
    }

    func hasNext(_ store: ModelStore) -> Bool { isSnapshotOpen || (cursor?.position ?? 0) < store.changes.count }

    mutating func next(_ store: ModelStore, _ random: inout SplitMix64) -> UpdateBatch {
        let after = cursor
        let through: UpdateCursor
        var updates: [StoreUpdate] = []
        if isSnapshotOpen {
            updates = snapshot.prefix(2).map { .transaction($0) }
            snapshot = snapshot.dropFirst(2)
            isSnapshotOpen = !snapshot.isEmpty
            through = isSnapshotOpen ? .at(position, part: (after?.part ?? 0) + 1) : .at(position)
        } else {
            let start = after?.position ?? 0
            let end = min(store.changes.count, start + Int.random(in: 1...3, using: &random))
            // A queue need not be told of what it finished itself.
            for index in start..<end where store.finishers[index] != journal {
                // Of what is gone, the end is told.
                if case .transaction(let transaction) = store.changes[index],
                    store.finishedElsewhere.contains(transaction.identifier)
                {
                    continue
                }
                updates.append(store.changes[index])
            }
            through = .at(end)
        }
        cursor = through
        return UpdateBatch(after: after, through: through, updates: updates)
    }
}
