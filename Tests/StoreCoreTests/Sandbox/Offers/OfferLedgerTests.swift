import Foundation
import StoreCore
import Testing

@Suite struct OfferLedgerTests {
    @Test func `What the ledger says of offers survives being written`() throws {
        let ledger = MemoryLedger()
        let before = try OfferShop(ledger: ledger)
        try before.account.redeem(code: "STACK")
        before.market.advance(to: "2025-01-08T00:00:00Z")
        try before.buy("gold", under: "quarter")
        let after = try OfferShop(on: "2025-01-08T00:00:00Z", ledger: LedgerCopy.rewritten(ledger).0)
        #expect(after.metals == before.metals)
        #expect(after.metals?.offer?.identifier == "STACK")
        #expect(after.metals?.waitingOffer?.identifier == "quarter")
        for shop in [before, after] { shop.market.advance(to: "2025-06-07T00:00:00Z") }
        #expect(after.metals == before.metals)
        #expect(try after.charged == OfferShop.price("13.97"))
        #expect(try after.charged == before.charged)
    }

    @Test func `A purchase without an offer says nothing of one`() throws {
        let ledger = MemoryLedger()
        let shop = try Market(ledger: ledger)
        App(on: shop.store).buy("gold.monthly")
        App(on: shop.store).buy("silver.monthly")
        let (copy, text) = try LedgerCopy.rewritten(ledger)
        #expect(!text.contains("\"then\"") && !text.contains("\"offer\""))
        let after = try Market(ledger: copy)
        #expect(after.store.account.subscriptions == shop.store.account.subscriptions)
    }
}
