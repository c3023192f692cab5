import StoreContract
import StoreCore
import Testing

/// Injectors without rules and waiting messages.
@Suite struct IdleTests {
    @Test func `An injector is idle again once its rule has acted for the last time`() throws {
        let store = try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: ManualClock())
        let injector = FaultInjector(store)
        #expect(injector.isIdle)
        injector.add(.drop, at: .productsRequest, times: 0)
        #expect(injector.isIdle)
        injector.add(.fail(.storeKit(.unknown, "planned")), at: .productsRequest, times: 2)
        for remaining in [1, 0] {
            injector.products(["sword"]) { _ in }
            #expect(injector.isIdle == (remaining == 0))
        }
    }
}
