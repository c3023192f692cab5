import StoreCore
import Testing

struct LedgerProductsTests {
    private let castle = SandboxProduct.nonConsumable("castle", price: "9.99")
    private let sword = SandboxProduct.consumable("sword", price: "0.99")
    private let ledger = MemoryLedger()

    @Test func `A ledger opened with its products in another order still knows who owns what`() throws {
        App(on: try SandboxStore(products: [castle, sword], ledger: ledger)).buy("castle")
        let app = App(on: try SandboxStore(products: [sword, castle], ledger: ledger))
        app.restore()
        #expect(app.received == [.updated("castle", .restored)])
    }

    @Test func `A ledger opened without products sells those that it holds`() throws {
        _ = try SandboxStore(products: [castle], ledger: ledger)
        let app = App(on: try SandboxStore(ledger: ledger), finishes: false, buying: "castle")
        #expect(app.recorder.history == [.updated("castle", .purchasing), .updated("castle", .purchased)])
    }

    @Test func `Opening a ledger again with the same products adds nothing to it`() throws {
        _ = try SandboxStore(products: [castle, sword], ledger: ledger)
        let head = ledger.head
        _ = try SandboxStore(products: [sword, castle], ledger: ledger)
        #expect(ledger.head == head)
    }
}
