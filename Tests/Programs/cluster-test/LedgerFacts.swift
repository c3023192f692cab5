import Foundation
import ModelSimulator
import PostgresCluster
import StoreCore
import StorePostgres

/// What the ledger says in the end: the records of the database, folded from the first one without any snapshot.
struct LedgerFacts {
    let text: String
    private let ledger = MemoryLedger()
    private let store: SandboxStore
    private let transactions: [SandboxTransaction]
    /// Whether a record is dated before the one that it follows, as where the clocks of processes differ.
    private(set) var clocksDiffer = false
    /// The records of one process that are dated before an earlier one of its.
    private(set) var wrongDates: [String] = []
    /// The places in the one order of events: of sales, renewals and finishes by transaction, and of accounts by name.
    let places: (sales: [String: Int], finishes: [String: Int], accounts: [String: Int])
    /// The number of renewals.
    let renewals: Int
    /// How often a process renewed after another one had.
    private(set) var turns = 0

    init(_ database: PostgresDatabase, _ cluster: PostgresCluster) throws {
        let faults = try database.check(Shop.name)
        guard faults.isEmpty else { throw Contradiction(faults.joined(separator: "; ")) }
        let ledger = try database.ledger(Shop.name)
        let head = try ledger.head
        let copy = self.ledger
        while copy.head < head {
            guard copy.append(try ledger.read(after: copy.head, limit: 1000), ifHeadIs: copy.head) else {
                throw Contradiction("the copy of the ledger was changed")
            }
        }
        // At a standstill, so that this store renews nothing.
        let last = copy.read(after: max(0, head - 1), limit: 1).first
        store = try SandboxStore(
            clock: ManualClock(startingAt: last?.date ?? .distantPast),
            ledger: copy,
            renewalRate: .everyPeriod(Shop.period)
        )
        text = try Shop.text(of: store)
        transactions = try store.transactions
        var (sales, finishes, opened) = ([String: Int](), [String: Int](), [String: Int]())
        // Notifications of servers follow from records.
        let entries = try store.timeline.entries.filter { $0.kind != .notification }
        for (place, entry) in entries.enumerated() {
            switch (entry.kind, entry.transaction, entry.account) {
            case (.sale, let transaction?, _), (.renewal, let transaction?, _): sales[transaction] = place
            case (.finish, let transaction?, _): finishes[transaction] = place
            case (.setting, nil, let account?) where entry.device == nil: opened[account] = place
            default: continue
            }
        }
        places = (sales, finishes, opened)
        renewals = entries.count { $0.kind == .renewal }
        try readDates(entries, cluster)
    }

    /// Compares the dates of records, which ascend among those of one process: processes have clocks of their own.
    ///
    /// A renewal has the date on which it is due, whoever makes it and when.
    private mutating func readDates(_ records: [SandboxTimeline.Entry], _ cluster: PostgresCluster) throws {
        let writers = try cluster.value(
            of: """
                SELECT string_agg(writer::text, ' ' ORDER BY position) FROM storecore.record JOIN storecore.store ON id = store
                WHERE name = '\(Shop.name)'
                """
        )
        let names = writers?.split(separator: " ").prefix(records.count) ?? []
        guard names.count == records.count else { throw Contradiction("there are records without a writer") }
        var latest: [Substring: Date] = [:]
        var former = Date.distantPast
        var renewer: Substring?
        for (place, (name, record)) in zip(names, records).enumerated() {
            if record.kind == .renewal {
                if let renewer, name != renewer { turns += 1 }
                renewer = name
            }
            if record.kind == .renewal || record.kind == .subscription { continue }
            let date = record.date
            if date < former { clocksDiffer = true }
            former = date
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

    /// Returns what the simulator's model contradicts of the ledger, and of what apps were told until they had settled.
    func contradictions(_ told: [Told]) throws -> [String] {
        var replay = try LedgerReplay(of: ledger, periodLength: Shop.period.rawValue)
        try replay.compare(with: store)
        for told in told {
            for notice in told.notices {
                switch notice {
                case .purchased(let name, let transaction):
                    replay.hear(transaction, as: .purchased, for: name, on: told.client)
                case .renewed(let transaction): replay.hear(transaction, as: .purchased, for: nil, on: told.client)
                case .restored(let transaction): replay.hear(transaction, as: .restored, for: nil, on: told.client)
                case .removed(_, let transaction): replay.hearRemoval(of: transaction, on: told.client)
                default: break
                }
            }
        }
        replay.checkFinishes()
        return replay.violations + replay.unfinished.map { "#\($0) was not finished" }
            + told.flatMap { told in
                OrderOfEvents(self).contradictions(told).prefix(20).map { "\(told.client): \($0)" }
            }
    }
}
