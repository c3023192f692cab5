import Foundation
import SQLiteFaults
import StoreCore
import StoreSQLite
import Testing

/// A file that the first version of the stored forms wrote, with a store's ledger and snapshot and a queue's journal.
@Suite(.sqlite) struct FirstFormTests {
    private let folder: Folder
    private static let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    init() throws {
        folder = try Folder()
        try FileManager.default.copyItem(at: Self.golden.appending(path: "forms-1.sqlite"), to: folder.file)
    }

    private static func lines(_ store: SandboxStore) throws -> [String] {
        try store.transactions.map { transaction in
            let parts: [String] = [
                "\(transaction)", "\(transaction.date.timeIntervalSinceReferenceDate)",
                transaction.chargedAmount.map { "\($0)" } ?? "-", transaction.failure.map { "\($0)" } ?? "-",
            ]
            return parts.joined(separator: " ")
        }
    }

    private func store(readsSnapshot: Bool) throws -> (SandboxStore, SQLiteDatabase) {
        let database = try folder.open()
        let ledger: any Ledger = readsSnapshot ? database.ledger : PlainLedger(database.ledger)
        return (try SandboxStore(ledger: ledger, authorizer: .approving), database)
    }

    @Test(arguments: [true, false])
    func `Its ledger is read, with a snapshot or without, and sold from`(readsSnapshot: Bool) throws {
        let expected = try String(contentsOf: Self.golden.appending(path: "forms-1.txt"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
        do {
            let (store, database) = try store(readsSnapshot: readsSnapshot)
            let lines = try Self.lines(store)
            #expect(Array(lines.prefix(expected.count)) == expected)
            #expect(lines.count == expected.count + 3)
            #expect(store.device.promotionOverrides.order == ["gold", "sword"])
            #expect(store.device.promotionOverrides.visibility == ["season": false])
            #expect(store.storefront?.countryCode == "DEU")
            #expect(store.account.subscription(inGroup: "club") != nil)
            let queue = SKPaymentQueue(backend: store, delivery: .inline, log: .silent)
            let shopper = Shopper(finishes: true)
            queue.add(shopper)
            queue.add(SKPayment(productIdentifier: "sword"))
            #expect(shopper.history.suffix(2) == ["sword purchased", "sword removed"])
            #expect(queue.transactions.map(\.payment.productIdentifier) == ["season"])
            database.close()
        }
        let (again, _) = try store(readsSnapshot: readsSnapshot)
        #expect(try again.transactions.count == expected.count + 4)
    }

    @Test func `Its journal is read, and its commands reach the store`() throws {
        let (store, database) = try store(readsSnapshot: true)
        let shopper = Shopper()
        let contents = try database.journal.open {}
        #expect(contents.commands.map(\.id.journal.description) == Array(repeating: "fedcba9876543211", count: 3))
        guard case .purchase(let full)? = contents.commands.first?.action else {
            Issue.record("\(contents)")
            return
        }
        #expect(full.purchaseDate == Date(timeIntervalSinceReferenceDate: 700_000_000.123))
        #expect(full.discount?.timestamp == 1_780_000_000_123)
        #expect(full.offer == StoreOffer(kind: .winBack, identifier: "back", proof: "a.b.c"))
        #expect(full.requestData == Data([4, 5]))
        #expect(full.billingPlan == .monthly)
        let count = try store.transactions.count
        let queue = SKPaymentQueue(backend: store, journal: database.journal, delivery: .inline, log: .silent)
        queue.add(shopper)
        #expect(try store.transactions.count == count + 2)
        #expect(try store.transactions.first?.isFinished == true)
        database.close()
        let next = try folder.open()
        #expect(try next.journal.open {}.commands.isEmpty)
    }
}
