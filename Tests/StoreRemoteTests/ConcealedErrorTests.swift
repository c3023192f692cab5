import Foundation
import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// What the store's ledger says is for the server's log, and not for devices elsewhere.
@Suite(.fewAtATime, .server, .timeLimit(.minutes(20))) struct ConcealedErrorTests {
    /// A ledger in memory whose database, when it is away, is named in the error.
    private final class DistantLedger: Ledger {
        struct Failure: Error, CustomStringConvertible {
            let description = "no answer from db.example.com as role cashier"
        }

        private let ledger = MemoryLedger()
        let isAway = Locked(false)

        private var database: MemoryLedger {
            get throws { if isAway.withLock({ $0 }) { throw Failure() } else { ledger } }
        }

        var head: Int { get throws { try database.head } }

        func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
            try database.append(records, ifHeadIs: head)
        }

        func commit() throws { try database.commit() }

        func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
            try database.read(after: position, limit: limit)
        }
    }

    private let shop: RemoteShop
    private let lines: Locked<[String]>

    /// Opens a shop, whose ledger is away from then on.
    init() throws {
        let (ledger, lines) = (DistantLedger(), Locked<[String]>([]))
        shop = try RemoteShop(ledger: ledger) { configuration in
            configuration.log = StoreLog { line in lines.withLock { $0.append(line) } }
        }
        self.lines = lines
        ledger.isAway.withLock { $0 = true }
    }

    private func expectPlain(_ failure: StoreFailure?) {
        let reason = "the store cannot answer now, for a reason that is in its server's log"
        #expect(failure == .storeKit(.unknown, reason))
        let line = "a device hears only that the store cannot answer: no answer from db.example.com as role cashier"
        #expect(lines.withLock { $0.last } == line)
    }

    @Test func `A request`() async throws {
        expectPlain(await #expect(throws: StoreFailure.self) { _ = try await shop.remote().products(["sword"]) })
        let query = HistoryQuery(.all)
        expectPlain(await #expect(throws: StoreFailure.self) { _ = try await shop.remote().transactions(query) })
        let properties = ReceiptProperties()
        expectPlain(await #expect(throws: StoreFailure.self) { try await shop.remote().refreshReceipt(properties) })
    }

    @Test func `A purchase, which its queue sends again`() async throws {
        let command = StoreCommand.purchase(of: "sword")
        expectPlain(await #expect(throws: StoreFailure.self) { try await shop.remote().submit([command]) })
    }

    @Test func `A stream of updates`() async { expectPlain(await shop.remote().loss()) }

    @Test func `An app in the store's process hears what the ledger says`() throws {
        let answer = Locked<Result<ProductsAnswer, StoreFailure>?>(nil)
        shop.device.products(["sword"]) { reply in answer.withLock { $0 = reply } }
        let failure = #expect(throws: StoreFailure.self) { try answer.withLock { $0 }?.get() }
        #expect(failure?.domain == .storeKit && failure?.code == SKError.Code.unknown.rawValue)
        #expect(failure?.reason == "no answer from db.example.com as role cashier" && failure?.underlying != nil)
        #expect(lines.withLock { $0.isEmpty })
    }
}
