import Foundation
import Testing

@testable import StoreCore

/// Purchases of Advanced Commerce, and servers' changes, as ledgers and snapshots keep them.
@Suite struct RequestLedgerTests {
    private typealias Request = RequestShop

    /// A durable ledger in memory, with a snapshot after every record, which may be all that it returns.
    private final class SnapshotLedger: DurableLedger {
        let records = MemoryLedger()
        private let kept = Locked<LedgerSnapshot?>(nil)

        var lane: BackendLane { .caller }
        var snapshotDistance: Int { 1 }
        var head: Int { records.head }

        func append(_ new: [LedgerRecord], ifHeadIs head: Int) -> Bool { records.append(new, ifHeadIs: head) }
        func commit() {}
        func read(after position: Int, limit: Int) -> [LedgerRecord] { records.read(after: position, limit: limit) }
        func snapshot() -> LedgerSnapshot? { kept.withLock { $0 } }
        func keep(_ snapshot: LedgerSnapshot) { kept.withLock { $0 = snapshot } }
    }

    /// Makes each kind of change to a subscription, which remains.
    private func act(on ledger: any Ledger) throws {
        let shop = try RequestShop(ledger: ledger)
        let offer = Request.offer(990, "P1M", 3)
        let number = try shop.buy(
            Request.create(Request.item("sports", 9990, offer: offer), Request.item("news", 4990))
        )
        try shop.buy(Request.modify(number, ["addItems": [Request.item("weather", 1990)]]))
        let texts = ["displayName": "New Pass", "effective": "IMMEDIATELY"]
        try shop.perform(.changeMetadata, of: number, ["descriptors": texts])
        try shop.perform(.changePrice, of: number, ["currency": "USD", "items": [["SKU": "news", "price": 5990]]])
        try shop.perform(.requestRefund, of: number, Request.refund("news"))
    }

    @Test func `Every record is written and read again, as text and as bytes`() throws {
        let ledger = MemoryLedger()
        try act(on: ledger)
        let records = ledger.read(after: 0, limit: 100)
        let changes = records.filter {
            if case .operator(.server(.advancedCommerce)) = $0.event { true } else { false }
        }
        #expect(changes.count == 3)
        for record in records {
            #expect(try JSONDecoder().decode(LedgerRecord.self, from: JSONEncoder().encode(record)) == record)
            #expect(try LedgerRecord(unpacking: record.packed()) == record)
        }
    }

    @Test func `A snapshot has what the records have`() throws {
        let ledger = SnapshotLedger()
        try act(on: ledger)
        let (restored, replayed) = (try RequestShop(ledger: ledger), try RequestShop(ledger: ledger.records))
        let info = try restored.renewalInfo
        #expect(try info == replayed.renewalInfo && info.descriptors.displayName == "New Pass")
        #expect(info.items.map(\.price) == [9990, 5990, 1990] && info.items[1].priceIncreaseInfo?.price == 5990)
        let state = restored.store.driver.look { driverState, _ in driverState.state.server }
        #expect(state.hasAdvancedCommerce)
        #expect(state == replayed.store.driver.look { driverState, _ in driverState.state.server })
        #expect(try restored.account.totalRefunded == amount("4.99"))
    }

    @Test func `A snapshot of a store without such purchases has no place for them`() throws {
        let json = try JSONEncoder().encode(ServerState())
        #expect(!String(decoding: json, as: UTF8.self).contains("requestedPurchases"))
    }
}
