import StoreCore
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// The quirks of a served store, as a device elsewhere has them.
@Suite(.fewAtATime, .server) struct QuirkOnTheLineTests {
    @Test func `A look-up from elsewhere is answered at once, and does not hold a thread of the server`() async throws {
        let shop = try RemoteShop()
        shop.store.quirks = [.productsHang(for: 60)]
        #expect(try await shop.remote().products(["sword"]).products.map(\.identifier) == ["sword"])
    }
}
