import StoreCore
import StoreKit
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// The quirks of a served store, as a device elsewhere has them.
@Suite(.fewAtATime, .server) struct QuirkOnTheLineTests {
    @Test func `What is listed late is listed late elsewhere, too`() async throws {
        let clock = ManualClock()
        let shop = try RemoteShop(clock: clock)
        shop.store.quirks = [.announcesBeforeListing(by: 1)]
        try shop.store.account.buy("castle")
        let context = StoreContext(backend: shop.remote().asStoreBackend(), delivery: .inline, log: .silent)
        #expect(await listed(in: context).isEmpty)
        await clock.advance(by: 1)
        #expect(await listed(in: context) == ["castle"])
    }

    private func listed(in context: StoreContext) async -> [String] {
        await context.run {
            var listed: [String] = []
            for await transaction in Transaction.currentEntitlements {
                listed.append(transaction.unsafePayloadValue.productID)
            }
            return listed
        }
    }

    @Test func `A look-up from elsewhere is answered at once, and does not hold a thread of the server`() async throws {
        let shop = try RemoteShop()
        shop.store.quirks = [.productsHang(for: 60)]
        #expect(try await shop.remote().products(["sword"]).products.map(\.identifier) == ["sword"])
    }
}
