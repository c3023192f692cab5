import Foundation
import StoreCore
import StorePostgres

/// What the ledger says in the end: the records of the database, folded from the first one without any snapshot.
struct LedgerFacts {
    let text: String
    let transactions: [SandboxTransaction]
    let accounts: [String]
    /// The places of sales and finishes in the one order of events, by transaction.
    private let sales: [String: Int]
    private let finishes: [String: Int]

    init(_ database: PostgresDatabase) throws {
        let faults = try database.check(Shop.name)
        guard faults.isEmpty else { throw Contradiction(faults.joined(separator: "; ")) }
        let ledger = try database.ledger(Shop.name)
        let head = try ledger.head
        let copy = MemoryLedger()
        while copy.head < head {
            guard copy.append(try ledger.read(after: copy.head, limit: 1000), ifHeadIs: copy.head) else {
                throw Contradiction("the copy of the ledger was changed")
            }
        }
        let store = try SandboxStore(clock: ShiftedClock(notBefore: .distantPast), ledger: copy)
        text = try Shop.text(of: store)
        transactions = try store.transactions
        accounts = store.accounts.map(\.name)
        var (sales, finishes) = ([String: Int](), [String: Int]())
        for (place, entry) in try store.timeline.entries.enumerated() {
            guard let transaction = entry.transaction else { continue }
            switch entry.kind {
            case .sale: sales[transaction] = place
            case .finish: finishes[transaction] = place
            default: break
            }
        }
        (self.sales, self.finishes) = (sales, finishes)
    }

    /// Returns the orders that were told to be paid and are not there.
    func missing(_ told: Told) -> [String] {
        let paid = Set(purchases(of: told.client).map(\.id))
        return told.transactions.filter { !paid.contains($0.value) }.keys.sorted()
    }

    private func purchases(of client: String) -> [SandboxTransaction] {
        transactions.filter { $0.device == client && $0.origin == .purchase && $0.state == .purchased }
    }

    /// Returns what the ledger contradicts of what an app was told, when it has settled.
    func contradictions(_ told: Told) -> [String] {
        var lines = missing(told).map { "\($0) was told to be paid, and the ledger lacks it" }
        let purchases = purchases(of: told.client)
        for purchase in purchases where !purchase.isFinished { lines.append("\(purchase) was not finished") }
        let names = Dictionary(grouping: told.transactions.keys) { told.transactions[$0] ?? "" }
        for (transaction, names) in names where names.count > 1 {
            lines.append("\(names.sorted()) were told to be paid by one transaction, #\(transaction)")
        }
        for purchase in purchases where names[purchase.id] == nil {
            lines.append("\(purchase) was charged, and nobody was told")
        }
        let orders = Dictionary(grouping: purchases.filter { $0.order != nil }) { $0.order }
        for (_, purchases) in orders where purchases.count > 1 {
            lines.append("one order was charged \(purchases.count) times: \(purchases)")
        }
        lines += wrongCharges(purchases)
        for launch in told.launches { lines += disorder(launch) }
        return lines.prefix(20).map { "\(told.client): \($0)" }
    }

    /// Checks amounts: each consumable costs its price, and what is owned for good was paid once.
    private func wrongCharges(_ purchases: [SandboxTransaction]) -> [String] {
        let swords = purchases.filter { $0.productIdentifier == "sword" }
        let games = purchases.filter { $0.productIdentifier == "full.game" }
        let total = purchases.reduce(Decimal(0)) { $0 + ($1.charge ?? 0) }
        var expected = Decimal(swords.count) * 99 / 100
        if !games.isEmpty { expected += Decimal(499) / 100 }
        return total == expected ? [] : ["\(total) was charged, and not \(expected)"]
    }

    /// Checks that a launch was told of sales, and of finishes, in the order in which the store decided them.
    ///
    /// Each for itself: a queue that receives both at once tells observers of removals with a call of its own.
    private func disorder(_ events: [Told.Event]) -> [String] {
        var (lastSale, lastFinish) = (-1, -1)
        for event in events {
            switch event {
            case .sale(let transaction):
                guard let place = sales[transaction] else { return ["#\(transaction) was told and never sold"] }
                if place < lastSale { return ["the sale of #\(transaction) was told after a later one"] }
                lastSale = place
            case .finish(let transaction):
                guard let place = finishes[transaction] else {
                    return ["#\(transaction) was told removed and never finished"]
                }
                if place < lastFinish { return ["the end of #\(transaction) was told after a later one"] }
                lastFinish = place
            }
        }
        return []
    }
}
