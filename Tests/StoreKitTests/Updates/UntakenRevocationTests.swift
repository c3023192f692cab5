import StoreCore
import StoreKit
import Testing

// Revocations that a subscriber was told of and has not taken.
@Suite struct UntakenRevocationTests {
    private func refund(_ products: [String], in shop: Shop) async throws -> [UInt64] {
        var identifiers: [UInt64] = []
        for product in products {
            let transaction = try await shop.finished(product)
            identifiers.append(transaction.id)
        }
        for identifier in identifiers { try shop.store.refund(String(identifier)) }
        return identifiers
    }

    @Test func `A refund that a subscriber leaves before taking is told to the next`() async throws {
        let shop = try Shop(.inline)
        var first: Transaction.Transactions.AsyncIterator? = shop.context.run {
            Transaction.updates.makeAsyncIterator()
        }
        let refunded = try await refund(["coins"], in: shop)
        withExtendedLifetime(first) {}
        first = nil
        var second = shop.context.run { Transaction.updates.makeAsyncIterator() }
        _ = try shop.store.account.buy("sword")
        #expect(try #require(await second.next()).unsafePayloadValue.id == refunded[0])
        #expect(try #require(await second.next()).unsafePayloadValue.productID == "sword")
    }

    @Test func `Of refunds read together, the next subscriber is told of those that were not taken`() async throws {
        let shop = try Shop(.inline)
        var first: Transaction.Transactions.AsyncIterator? = shop.context.run {
            Transaction.updates.makeAsyncIterator()
        }
        let refunded = try await refund(["coins", "season", "coins"], in: shop)
        #expect(await first?.next()?.unsafePayloadValue.id == refunded[0])
        first = nil
        var second = shop.context.run { Transaction.updates.makeAsyncIterator() }
        _ = try shop.store.account.buy("sword")
        let told = [await second.next(), await second.next(), await second.next()].map { $0?.unsafePayloadValue.id }
        #expect(told.prefix(2) == refunded.dropFirst().map { $0 }[...])
    }

    @Test func `What could not be read while its user was away is told once the user is back`() async throws {
        let shop = try Shop(.inline)
        let (store, account) = (shop.store, shop.store.account)
        let followed = shop.context.run { Transaction.updates.makeAsyncIterator() }
        let refunded = try account.buy("season")
        try store.refund(refunded)
        let other = try store.addAccount("other")
        try store.device.signIn(to: other)
        // It is to take the refund, which the store does not show to somebody else.
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        let coins = try other.buy("coins")
        #expect(try #require(await iterator.next()).unsafePayloadValue.id == UInt64(coins))
        try store.device.signIn(to: account)
        try account.buy("sword")
        #expect(try #require(await iterator.next()).unsafePayloadValue.id == UInt64(refunded))
        withExtendedLifetime(followed) {}
    }
}
