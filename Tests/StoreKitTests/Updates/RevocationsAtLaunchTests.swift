import StoreCore
import StoreKit
import Testing

// What either face hears of a refund while the app is not running.
@Suite struct RevocationsAtLaunchTests {
    /// Returns a shop whose app has bought a sword, which is refunded while the app is not running.
    private func refundedShop(_ delivery: StoreDelivery) async throws -> Shop {
        let shop = try Shop(delivery)
        let transaction = try await shop.finished("sword")
        await shop.context.settle()
        try await relaunch(shop)
        try shop.store.refund(String(transaction.id))
        return shop
    }

    private func relaunch(_ shop: Shop) async throws {
        await shop.context.settle()
        _ = shop.queue.relaunch()
    }

    /// Returns what a new subscriber to updates is told before the purchase of a season, as products and whether they are
    /// revoked.
    private func updates(of shop: Shop) async throws -> [String] {
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        await shop.context.settle()
        let season = try shop.store.account.buy("season")
        var told: [String] = []
        while let transaction = await iterator.next()?.unsafePayloadValue {
            if String(transaction.id) == season {
                await transaction.finish()
                break
            }
            told.append(transaction.revocationDate == nil ? transaction.productID : "no \(transaction.productID)")
        }
        await shop.context.settle()
        return told
    }

    @Test(arguments: Shop.deliveries)
    func `A refund while no app runs is an update of the next launch alone`(delivery: StoreDelivery) async throws {
        let shop = try await refundedShop(delivery)
        #expect(try await updates(of: shop) == ["no sword"])
        #expect(try await updates(of: shop) == [])
        for _ in 1...2 {
            try await relaunch(shop)
            #expect(try await updates(of: shop) == [])
        }
    }

    @Test(arguments: Shop.deliveries)
    func `A refund told by an update of one launch is none of the next`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery)
        let transaction = try await shop.finished("sword")
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        try shop.store.refund(String(transaction.id))
        #expect(await iterator.next()?.unsafePayloadValue.revocationDate != nil)
        try await relaunch(shop)
        #expect(try await updates(of: shop) == [])
    }

    @Test(arguments: Shop.deliveries)
    func `A refund that only Store Kit 2 heard is told to the first observer`(delivery: StoreDelivery) async throws {
        let shop = try await refundedShop(delivery)
        _ = await shop.run { await Storefront.current }
        await shop.context.settle()
        let (first, second) = (RevocationObserver(), RevocationObserver())
        shop.queue.add(first)
        await shop.context.settle()
        shop.queue.add(second)
        await shop.context.settle()
        #expect(first.heard == ["sword"])
        #expect(second.heard == [])
        shop.queue.remove(first)
        try await relaunch(shop)
        let third = RevocationObserver()
        shop.queue.add(third)
        await shop.context.settle()
        #expect(third.heard == [])
    }

    @Test(arguments: Shop.deliveries)
    func `A refund that an update has told is not told to a later observer`(delivery: StoreDelivery) async throws {
        let shop = try await refundedShop(delivery)
        #expect(try await updates(of: shop) == ["no sword"])
        let observer = RevocationObserver()
        shop.queue.add(observer)
        await shop.context.settle()
        #expect(observer.heard == [])
        #expect(try await updates(of: shop) == [])
    }

    @Test(arguments: Shop.deliveries)
    func `A refund an observer has heard is an update once Store Kit 2 is used`(delivery: StoreDelivery) async throws {
        let shop = try await refundedShop(delivery)
        let observer = RevocationObserver()
        shop.queue.add(observer)
        await shop.context.settle()
        #expect(observer.heard == ["sword"])
        #expect(try await updates(of: shop) == ["no sword"])
        #expect(observer.heard == ["sword"])
    }

    @Test(arguments: Shop.deliveries)
    func `A refund that no face of a launch has passed on is told in the next`(delivery: StoreDelivery) async throws {
        let shop = try await refundedShop(delivery)
        _ = await shop.run { await Storefront.current }
        try await relaunch(shop)
        #expect(try await updates(of: shop) == ["no sword"])
    }

    @Test func `A promoted purchase is one launch's intent, although nobody has heard of a refund`() async throws {
        let shop = try await refundedShop(.inline)
        try shop.store.device.promote("coins")
        #expect(await shop.run { await PurchaseIntent.intents.first(1) }.map(\.id) == ["coins"])
        try await relaunch(shop)
        try shop.store.device.promote("gold")
        #expect(await shop.run { await PurchaseIntent.intents.first(1) }.map(\.id) == ["gold"])
    }

    @Test func `What was refunded, bought again and refunded again is told once`() async throws {
        let shop = try await refundedShop(.inline)
        #expect(try await updates(of: shop) == ["no sword"])
        let again = try await shop.finished("sword")
        try await relaunch(shop)
        shop.store.advance(by: 60)
        try shop.store.refund(String(again.id))
        #expect(try await updates(of: shop) == ["no sword"])
    }

    @Test(arguments: [SandboxStore.reverseRefund, SandboxStore.deleteTransaction])
    func `A refund that the history no longer shows keeps no later one from being acknowledged`(
        hide: @Sendable (SandboxStore) -> (String) throws -> Void
    ) async throws {
        let shop = try Shop(.inline)
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        var refunded: [UInt64] = []
        for product in ["sword", "gold"] {
            let transaction = try await shop.finished(product)
            try shop.store.refund(String(transaction.id))
            refunded.append(transaction.id)
        }
        try hide(shop.store)(String(refunded[0]))
        while let told = await iterator.next()?.unsafePayloadValue.id, told != refunded[1] {}
        try await relaunch(shop)
        #expect(try await updates(of: shop) == [])
    }
}
