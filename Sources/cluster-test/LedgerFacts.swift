import Foundation
import PostgresCluster
import StoreCore
import StorePostgres

/// What the ledger says in the end: the records of the database, folded from the first one without any snapshot.
struct LedgerFacts {
    let text: String
    let transactions: [SandboxTransaction]
    let accounts: [String]
    /// Whether a record is dated before the one that it follows, as where the clocks of processes differ.
    private(set) var clocksDiffer = false
    /// What the ledger has twice.
    private(set) var repetitions: [String] = []
    /// The records of one process that are dated before an earlier one of its.
    private(set) var wrongDates: [String] = []
    /// The places in the one order of events: of sales and finishes by transaction, and of accounts by name.
    let places: (sales: [String: Int], finishes: [String: Int], accounts: [String: Int])

    init(_ database: PostgresDatabase, _ cluster: PostgresCluster) throws {
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
        var (sales, finishes, opened) = ([String: Int](), [String: Int](), [String: Int]())
        for (place, entry) in try store.timeline.entries.enumerated() {
            let former: Int?
            switch (entry.kind, entry.transaction, entry.account) {
            case (.sale, let transaction?, _): former = sales.updateValue(place, forKey: transaction)
            case (.finish, let transaction?, _): former = finishes.updateValue(place, forKey: transaction)
            case (.setting, nil, let account?) where entry.device == nil:
                former = opened.updateValue(place, forKey: account)
            default: continue
            }
            if former != nil { repetitions.append("the ledger has twice: \(entry.sentence)") }
        }
        places = (sales, finishes, opened)
        try readDates(copy.read(after: 0, limit: head).map(\.date), cluster)
    }

    /// Compares the dates of records, which ascend among those of one process: processes have clocks of their own.
    private mutating func readDates(_ dates: [Date], _ cluster: PostgresCluster) throws {
        let writers = try cluster.value(
            of: """
                SELECT string_agg(writer::text, ' ' ORDER BY position) FROM storecore.record JOIN storecore.store ON id = store
                WHERE name = '\(Shop.name)'
                """
        )
        let names = writers?.split(separator: " ").prefix(dates.count) ?? []
        guard names.count == dates.count else { throw Contradiction("there are records without a writer") }
        var latest: [Substring: Date] = [:]
        for (place, (name, date)) in zip(names, dates).enumerated() {
            if place > 0, date < dates[place - 1] { clocksDiffer = true }
            if let last = latest[name], date < last {
                let seconds = last.timeIntervalSince(date)
                wrongDates.append("record \(place + 1) is dated \(seconds) s before an earlier one of its process")
            }
            latest[name] = date
        }
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
        lines += OrderOfEvents(self).contradictions(told)
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
}
