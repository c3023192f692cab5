import Foundation
import StoreCore
import StoreSQLite
import TestSupport
import Testing

@Suite(.sqlite) struct PersistenceTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test func `B34, B69: What was bought and not finished comes again from the file, what was finished does not`()
        throws
    {
        do {
            let database = try folder.open()
            let shop = try Shop(database)
            for product in ["sword", "full.game", "season"] { shop.buy(product) }
            shop.queue.finishTransaction(try #require(shop.queue.transactions.first))
            database.close()
        }
        let next = try Shop(try folder.open())
        #expect(next.shopper.history == ["full.game purchased", "season purchased"])
        next.queue.finishTransaction(try #require(next.queue.transactions.first))
        #expect(next.queue.transactions.map(\.payment.productIdentifier) == ["season"])
    }

    @Test func `B33: A payment that the store never had is in the file, and is made at the next launch`() throws {
        do {
            let database = try folder.open()
            let shop = try Shop(database)
            shop.store.isReachable = false
            shop.buy("sword")
            #expect(shop.shopper.history == ["sword purchasing"])
            database.close()
        }
        let next = try Shop(try folder.open())
        #expect(next.shopper.history == ["sword purchasing", "sword purchased"])
        next.queue.finishTransaction(try #require(next.queue.transactions.first))
        #expect(try next.store.transactions.map(\.isFinished) == [true])
    }

    @Test func `B33: A finish that the store has not heard of is in the file, and is not undone`() throws {
        do {
            let database = try folder.open()
            let shop = try Shop(database)
            shop.buy("sword")
            shop.store.isReachable = false
            shop.queue.finishTransaction(try #require(shop.queue.transactions.first))
            database.close()
        }
        let next = try Shop(try folder.open())
        #expect(next.queue.transactions.isEmpty)
        #expect(try next.store.transactions.map(\.isFinished) == [true])
    }

    @Test func `B102: What was bought for good is restored from the file`() throws {
        do {
            let database = try folder.open()
            let shop = try Shop(database, shopper: Shopper(finishes: true))
            for product in ["sword", "full.game", "gold"] { shop.buy(product) }
            database.close()
        }
        let next = try Shop(try folder.open())
        next.queue.restoreCompletedTransactions()
        #expect(next.shopper.history == ["full.game restored", "gold restored"])
    }

    @Test func `The history is read from the file, also behind a place of an earlier launch`() throws {
        var query = HistoryQuery(.all)
        query.limit = 1
        var unfinished = HistoryQuery(.unfinished)
        do {
            let database = try folder.open()
            let shop = try Shop(database)
            for product in ["sword", "full.game", "season"] { shop.buy(product) }
            shop.queue.finishTransaction(try #require(shop.queue.transactions.dropFirst().first))
            let page = try #require(shop.store.page(query))
            #expect(page.products == ["season"])
            query.cursor = page.next
            unfinished.limit = 1
            unfinished.cursor = try #require(shop.store.page(unfinished)?.next)
            database.close()
        }
        let next = try Shop(try folder.open())
        query.limit = 256
        #expect(next.store.page(query)?.products == ["full.game", "sword"])
        #expect(next.store.page(unfinished)?.products == ["season"])
    }

    @Test func `What a ledger in a file gives back is what one in memory does`() throws {
        let memory = MemoryLedger()
        try SampleHistory.record(on: memory)
        let records = memory.read(after: 0, limit: 100_000)
        #expect(records.count > 100)
        do {
            let database = try folder.open()
            #expect(try database.ledger.append(records, ifHeadIs: 0))
            try database.ledger.commit()
            database.close()
        }
        let ledger = try folder.open().ledger
        #expect(try ledger.head == records.count)
        #expect(try ledger.read(after: 0, limit: 100_000) == records)
        #expect(try ledger.read(after: 3, limit: 2) == Array(records[3..<5]))
        #expect(try ledger.read(after: records.count, limit: 5).isEmpty)
    }

    @Test func `What was written together is read back in any pieces, from the ledger that wrote it and from the file`()
        throws
    {
        let memory = MemoryLedger()
        let store = try SandboxStore(products: Shop.products, ledger: memory)
        for _ in 1...300 { try store.account.buy("sword") }
        let records = memory.read(after: 0, limit: 1000)
        let database = try folder.open()
        for (start, count) in [(0, 10), (10, 100), (110, 150), (260, 44)] {
            let piece = Array(records[start..<start + count])
            #expect(try database.ledger.append(piece, ifHeadIs: start))
            try database.ledger.commit()
            let end = start + count
            for after in [0, max(0, start - 1), start, start + 1, end - 1, end] {
                for limit in [1, 5, 1000] {
                    let read = try database.ledger.read(after: after, limit: limit)
                    #expect(read == Array(records[after..<min(end, after + limit)]))
                }
            }
        }
        database.close()
        #expect(try folder.open().ledger.read(after: 0, limit: 1000) == records)
    }

    @Test func `A ledger in a file appends only behind its end, and keeps only what is committed`() throws {
        let source = MemoryLedger()
        try SampleHistory.record(on: source)
        let records = source.read(after: 0, limit: 4)
        let database = try folder.open()
        #expect(try !database.ledger.append(records, ifHeadIs: 1))
        #expect(try database.ledger.append(records, ifHeadIs: 0))
        #expect(try database.ledger.head == 0)
        try database.ledger.commit()
        #expect(try database.ledger.head == 4)
        #expect(try !database.ledger.append(records, ifHeadIs: 3))
        #expect(try database.ledger.append(records, ifHeadIs: 4))
        database.close()
        #expect(throws: SQLiteDatabaseError.self) { try database.ledger.commit() }
        #expect(try folder.open().ledger.head == 4)
    }

    @Test func `A journal forgets what is acknowledged, and gives each opening another name`() throws {
        let database = try folder.open()
        let first = try database.journal.open {}
        #expect(first.commands.isEmpty)
        let commands = (1...3).map { number in
            StoreCommand(
                id: OrderID(journal: first.id, number: number),
                action: .purchase(StorePayment(productIdentifier: "sword", quantity: number))
            )
        }
        try database.journal.record(commands)
        // Offered once more after an answer that went astray.
        try database.journal.record([commands[1]])
        try database.journal.forget([commands[0].id, OrderID(journal: first.id, number: 99)])
        let isSuperseded = Locked(false)
        let second = try database.journal.open { isSuperseded.withLock { $0 = true } }
        #expect(second.id != first.id)
        #expect(second.commands == Array(commands.dropFirst()))
        _ = try database.journal.open {}
        #expect(isSuperseded.withLock { $0 })
    }

    @Test func `Two stores and many queues on one file sell at once, and give no identifier twice`() throws {
        let database = try folder.open()
        let stores = try (0..<2).map { _ in try SandboxStore(products: Shop.products, ledger: database.ledger) }
        let queues = (0..<4).map { SKPaymentQueue(backend: stores[$0 % 2], delivery: .inline, log: .silent) }
        let group = DispatchGroup()
        for queue in queues {
            let thread = Thread {
                queue.add(Shopper.shared)
                for _ in 1...20 { queue.add(SKPayment(productIdentifier: "sword")) }
                group.leave()
            }
            group.enter()
            thread.start()
        }
        group.wait()
        // What one thread adds another may be handing over: its queue has to be there.
        withExtendedLifetime(queues) {}
        database.close()
        let transactions = try SandboxStore(ledger: folder.open().ledger).transactions
        #expect(transactions.count == 80)
        #expect(Set(transactions.map(\.id)).count == 80)
    }

    @Test func `Commands that many threads record at once are all there`() throws {
        let database = try folder.open()
        let id = try database.journal.open {}.id
        let failures = Locked(0)
        let group = DispatchGroup()
        for part in 0..<8 {
            let thread = Thread { [journal = database.journal] in
                for number in 0..<20 {
                    let order = OrderID(journal: id, number: part * 20 + number + 1)
                    let command = StoreCommand(id: order, action: .finish(transaction: "\(part)"))
                    do { try journal.record([command]) } catch { failures.withLock { $0 += 1 } }
                }
                group.leave()
            }
            group.enter()
            thread.start()
        }
        group.wait()
        database.close()
        let commands = try folder.open().journal.open {}.commands
        #expect(failures.withLock { $0 } == 0)
        #expect(Set(commands.map(\.id.number)) == Set(1...160))
    }
}

extension Shopper {
    /// One that nobody lets go.
    fileprivate static let shared = Shopper()
}

extension SandboxStore {
    /// The page that answers a question; nil where there is none.
    fileprivate func page(_ query: HistoryQuery) -> HistoryPage? {
        let page = Locked<HistoryPage?>(nil)
        transactions(query) { result in page.withLock { $0 = try? result.get() } }
        return page.withLock { $0 }
    }
}

extension HistoryPage {
    fileprivate var products: [String] { transactions.map(\.payload.productId) }
}
