import StoreActor
import StoreCore
import StoreKit
import Testing

@Suite struct StoreActorTests {
    @Test func `What is bought is owned, and finished`() async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            let store = Store()
            await store.start()
            let products = try await store.products(["map", "coins", "ship"])
            #expect(products.map(\.id) == ["coins", "map"])
            #expect(try await store.buy(try #require(products.last)) == .bought)
            #expect(await store.owned == ["map"])
            #expect(try shop.store.device.unfinished.isEmpty)
            shop.store.authorizer = .always(.cancel)
            #expect(try await store.buy(products[0]) == .cancelled)
            #expect(await store.owned == ["map"])
        }
    }

    @Test func `What a parent approves is owned then, and no more after its refund`() async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            let store = Store()
            await store.start()
            var changes = store.changes.makeAsyncIterator()
            try shop.store.account.setAsksToBuy(true)
            let map = try #require(try await store.products(["map"]).first)
            #expect(try await store.buy(map) == .pending)
            try shop.approve()
            #expect(await changes.next() == ["map"])
            try shop.refund("map")
            #expect(await changes.next() == [])
        }
    }

    @Test func `What is not verified is owned after a launch at which it is`() async throws {
        let shop = try Shop()
        try await shop.run { () async throws in
            var store = Store()
            await store.start()
            let map = try #require(try await store.products(["map"]).first)
            shop.store.signatureDefect = .invalidSignature
            let launched = store
            await #expect(throws: VerificationResult<Transaction>.VerificationError.invalidSignature) {
                try await launched.buy(map)
            }
            #expect(await store.owned.isEmpty)
            shop.store.signatureDefect = nil
            shop.relaunch()
            store = Store()
            var changes = store.changes.makeAsyncIterator()
            await store.start()
            #expect(await changes.next() == ["map"])
            #expect(try shop.store.device.unfinished.isEmpty)
        }
    }
}
