import Foundation
import SQLiteFaults
import StoreCore
import StoreSQLite
import TestSupport
import Testing

@Suite(.sqlite) struct SnapshotTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    /// Buys and finishes so many consumables.
    private func fill(_ count: Int, then body: (Shop) throws -> Void = { _ in }) throws {
        let database = try folder.open(durability: .normal)
        let shop = try Shop(database, shopper: Shopper(finishes: true))
        for _ in 0..<count { shop.buy("sword") }
        try body(shop)
        database.close()
    }

    @Test func `Opening reads what has come since the last snapshot, however much there was before`() throws {
        var read: [Int] = []
        for _ in 1...3 {
            try fill(1000)
            let ledger = try #require(try folder.open(durability: .normal).ledger as? any DurableLedger)
            let count = Locked(0)
            let watched = WatchedLedger(ledger, read: { records in count.withLock { $0 += records } })
            _ = try SandboxStore(products: Shop.products, ledger: watched)
            read.append(count.withLock { $0 })
        }
        #expect(read.allSatisfy { $0 <= 1100 })
    }

    @Test func `A store opened on a snapshot is the store that reads everything`() throws {
        let database = try folder.open(durability: .normal)
        try SampleHistory.record(on: database.ledger)
        let store = try SandboxStore(ledger: database.ledger, authorizer: .always(.later))
        let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
        queue.add(Shopper.shared)
        // Enough that there is a snapshot, with something of everything in it.
        for _ in 0..<600 { try store.account.buy("sword") }
        for product in ["full.game", "gold", "season"] { queue.add(SKPayment(productIdentifier: product)) }
        for _ in 0..<600 { try store.account.buy("sword") }
        let ledger = try #require(database.ledger as? any DurableLedger)
        #expect(try ledger.snapshot() != nil)
        let folderOfCopy = try folder.copy()
        let copy = try folderOfCopy.open(durability: .normal)
        let short = try SandboxStore(ledger: ledger)
        let long = try SandboxStore(ledger: PlainLedger(copy.ledger))
        for store in [short, long] {
            let time = try #require(store.clock as? ManualClock)
            time.advance(by: 90 * 86_400)
        }
        #expect(try short.device.unfinished == long.device.unfinished)
        #expect(short.undecidedRequests == long.undecidedRequests)
        #expect(short.account.subscription(inGroup: "club") == long.account.subscription(inGroup: "club"))
        #expect(short.accounts.map(\.name) == long.accounts.map(\.name))
        #expect(short.devices.map(\.name) == long.devices.map(\.name))
        #expect(short.sells("axe") == long.sells("axe"))
        #expect(Self.seen(of: short) == Self.seen(of: long))
    }

    /// What a new queue on a store sees, after a restore.
    private static func seen(of store: SandboxStore) -> [String] {
        let shopper = Shopper()
        let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
        queue.add(shopper)
        queue.restoreCompletedTransactions()
        return shopper.history
    }

    @Test func `What was bought is remembered over snapshots: a non-consumable is not charged twice`() throws {
        try fill(700) { $0.buy("full.game") }
        try fill(700)
        try fill(0) { shop in
            shop.buy("full.game")
            let games = try shop.store.transactions.filter { $0.productIdentifier == "full.game" }
            #expect(games.map(\.chargedAmount) == [Decimal(string: "4.99"), 0])
        }
    }

    #if canImport(CSQLite)
        @Test(arguments: ["checksum = 0", "position = position + 1000000"])
        func `A snapshot that cannot be read is reported, and everything is read`(change: String) throws {
            try fill(1000) { $0.buy("full.game") }
            #expect(try RawDatabase(folder.file).texts("SELECT count(*) FROM snapshot") == ["1"])
            try RawDatabase(folder.file).run("UPDATE snapshot SET \(change)")
            let log = LogRecorder()
            let database = try folder.open(durability: .normal, log: log.log)
            let store = try SandboxStore(ledger: database.ledger)
            #expect(try store.transactions.count == 1001)
            #expect(log.lines == ["the snapshot of the ledger cannot be read: its checksum does not match"])
        }

        @Test func `A snapshot on a corrupt page costs only time, and the store goes on selling`() throws {
            try fill(1000) { $0.buy("full.game") }
            let pages = try PageFile(folder)
            try pages.spoil(pages.root(of: "snapshot"))
            let log = LogRecorder()
            let database = try folder.open(durability: .normal, log: log.log)
            let shop = try Shop(database, shopper: Shopper(finishes: true))
            #expect(log.lines.contains { $0.hasPrefix("the snapshot of the ledger cannot be read: ") })
            // Enough that the next snapshot is due.
            for _ in 0..<1000 { shop.buy("sword") }
            #expect(try shop.store.transactions.count == 2001)
            database.close()
            #expect(try SandboxStore(ledger: folder.open().ledger).transactions.count == 2001)
        }

        @Test func `A ledger that ends before its snapshot is refused`() throws {
            try fill(1000)
            try RawDatabase(folder.file).run("DELETE FROM record WHERE position > 100")
            let before = try folder.contents
            let error = try #require(throws: SQLiteDatabaseError.self) { try folder.open() }
            #expect(error.code == .damaged)
            #expect(error.description.contains("record 101 of its ledger is missing"))
            #expect(try folder.contents == before)
        }

        @Test func `A snapshot of another version is no harm`() throws {
            try fill(1000) { $0.buy("full.game") }
            let database = try folder.open(durability: .normal)
            let ledger = try #require(database.ledger as? any DurableLedger)
            let snapshot = try #require(try ledger.snapshot())
            // The first byte is the version of the form; this one is an older version's.
            let older = try #require(snapshot.state.first) - 2
            try ledger.keep(LedgerSnapshot(position: snapshot.position, state: [older] + snapshot.state.dropFirst()))
            let count = Locked(0)
            let watched = WatchedLedger(ledger, read: { records in count.withLock { $0 += records } })
            let shopper = Shopper()
            let store = try SandboxStore(ledger: watched)
            #expect(count.withLock { $0 } > snapshot.position)
            let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
            queue.add(shopper)
            queue.restoreCompletedTransactions()
            #expect(shopper.history == ["full.game restored"])
        }

        @Test func `A purchase stays one although its snapshot cannot be written`() throws {
            let system = FaultFileSystem()
            let database = try folder.open(durability: .normal, fileSystem: system.name)
            let shop = try Shop(database, shopper: Shopper(finishes: true))
            for _ in 0..<505 { shop.buy("sword") }
            // The snapshot is due within these; each fails whose turn it is.
            for _ in 0..<20 {
                system.plan(.tear, at: 3, of: [.write])
                shop.buy("sword")
            }
            system.repair()
            database.close()
            let next = try folder.open(durability: .normal)
            let count = shop.shopper.history.filter { $0 == "sword purchased" }.count
            #expect(try SandboxStore(ledger: next.ledger).transactions.filter { $0.state == .purchased }.count == count)
        }
    #endif
}

extension Shopper {
    /// One that nobody lets go.
    fileprivate static let shared = Shopper(finishes: true)
}

/// A ledger without its snapshots.
final class PlainLedger: Ledger {
    private let ledger: any Ledger

    init(_ ledger: any Ledger) { self.ledger = ledger }

    var head: Int { get throws { try ledger.head } }
    func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        try ledger.append(records, ifHeadIs: head)
    }
    func commit() throws { try ledger.commit() }
    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        try ledger.read(after: position, limit: limit)
    }
}
