import Entitlements
import StoreCore
import StoreKit
import Testing

@Suite struct EntitlementTests {
    private actor Memory: EntitlementStorage {
        private var kept: Set<Entitlement> = []
        func load() -> Set<Entitlement> { kept }
        func save(_ entitlements: Set<Entitlement>) { kept = entitlements }
    }

    /// Waits for a refresh after which exactly these may be used.
    private func wait(for products: Set<String>, from refreshes: AsyncStream<Set<Entitlement>>) async {
        for await refresh in refreshes where Set(refresh.map(\.product)) == products { return }
    }

    @Test func `A renewal is kept, and the end of a subscription`() async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            let cache = EntitlementCache(Memory())
            await cache.follow()
            await wait(for: [], from: cache.refreshes)
            _ = try shop.store.account.buy("pass")
            await wait(for: ["pass"], from: cache.refreshes)
            let first = try #require(await Transaction.latest(for: "pass")?.unsafePayloadValue.expirationDate)
            shop.store.advance(by: 32 * 86_400)
            for await refresh in cache.refreshes {
                if let expires = refresh.first?.expires, expires > first { break }
            }
            try shop.store.account.setAutoRenew(false, inGroup: "passes")
            shop.store.advance(by: 40 * 86_400)
            await wait(for: [], from: cache.refreshes)
            #expect(await !cache.mayUse("pass"))
        }
    }

    @Test func `A refund ends an entitlement`() async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            let cache = EntitlementCache(Memory())
            await cache.follow()
            _ = try shop.store.account.buy("map")
            await wait(for: ["map"], from: cache.refreshes)
            #expect(await cache.mayUse("map"))
            try shop.refund("map")
            await wait(for: [], from: cache.refreshes)
            #expect(await !cache.mayUse("map"))
        }
    }

    @Test func `The next launch answers before the store does`() async throws {
        let shop = try Shop()
        let memory = Memory()
        _ = try shop.store.account.buy("map")
        await shop.run {
            let cache = EntitlementCache(memory)
            await cache.follow()
            await wait(for: ["map"], from: cache.refreshes)
        }
        shop.relaunch()
        shop.store.device.isReachable = false
        await shop.run {
            let cache = EntitlementCache(memory)
            #expect(await cache.mayUse("map"))
        }
    }
}
