import StoreCore
import StoreKit
import Testing

// What subscribers hear of a store that cannot say, when they begin, what there was before.
@Suite struct LateHistoryTests {
    enum Trouble: CaseIterable, Sendable { case fails, isLate }

    /// A store with a history in trouble, and an app that is launched on it.
    private struct Launch {
        let store: SandboxStore
        let flaky: FlakyStore
        let context: StoreContext

        init(_ store: SandboxStore, _ trouble: Trouble) {
            self.store = store
            flaky = FlakyStore(store)
            context = StoreContext(backend: flaky, delivery: .inline, log: .silent)
            switch trouble {
            case .fails: flaky.fails = true
            case .isLate: flaky.isLate = true
            }
        }

        func endTrouble() {
            (flaky.fails, flaky.isLate) = (false, false)
            // More than the longest pause between two readings.
            store.advance(by: 300)
        }
    }

    @Test(arguments: Trouble.allCases)
    func `A refund before the store's first answer is an update, an earlier one none`(trouble: Trouble) async throws {
        let shop = try Shop(.inline)
        var transactions: [Transaction] = []
        for _ in 1...2 {
            let transaction = try await shop.finished("coins")
            transactions.append(transaction)
        }
        try shop.store.refund(String(transactions[0].id))
        shop.store.advance(by: 1)
        let launch = Launch(shop.store, trouble)
        var iterator = launch.context.run { Transaction.updates.makeAsyncIterator() }
        try shop.store.refund(String(transactions[1].id))
        launch.endTrouble()
        _ = try shop.store.account.buy("sword")
        #expect(try #require(await iterator.next()).unsafePayloadValue.id == transactions[1].id)
        #expect(try #require(await iterator.next()).unsafePayloadValue.productID == "sword")
    }

    @Test func `A reading that is to be repeated leaves nothing in the clock when the app ends`() throws {
        let store = try Shop(.inline).store
        let clock = try #require(store.clock as? ManualClock)
        func listen() -> Bool {
            let launch = Launch(store, .fails)
            let iterator = launch.context.run { Transaction.updates.makeAsyncIterator() }
            return withExtendedLifetime(iterator) { clock.nextDeadline != nil }
        }
        #expect(listen())
        #expect(clock.nextDeadline == nil)
    }

    @Test(arguments: Trouble.allCases)
    func `A subscription's change before the store's first answer is a status update`(trouble: Trouble) async throws {
        let shop = try Shop(.inline)
        try await shop.bought("gold")
        let launch = Launch(shop.store, trouble)
        var iterator = launch.context.run { Product.SubscriptionInfo.Status.updates.makeAsyncIterator() }
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        launch.endTrouble()
        shop.store.advance(by: 40 * 86_400)
        #expect(await iterator.next()?.state == .subscribed)
        #expect(await iterator.next()?.state == .expired)
    }

    @Test(arguments: Trouble.allCases)
    func `A failure to renew before the store's first answer is a message`(trouble: Trouble) async throws {
        let shop = try Shop(.inline)
        try await shop.bought("gold")
        let launch = Launch(shop.store, trouble)
        var iterator = launch.context.run { Message.messages.makeAsyncIterator() }
        try shop.store.account.setBillingFails(true)
        shop.store.advance(by: 32 * 86_400)
        launch.endTrouble()
        // The sequence ends behind what it has.
        _ = launch.context.run { SKPaymentQueue.default() }.relaunch()
        #expect(await iterator.next()?.reason == .billingIssue)
    }

    @Test func `A subscriber to statuses hears of none that did not change`() async throws {
        let shop = try Shop(.inline)
        try await shop.bought("gold")
        var iterator = shop.context.run { Product.SubscriptionInfo.Status.updates.makeAsyncIterator() }
        _ = try shop.store.account.buy("sword")
        shop.store.advance(by: 1)
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        #expect(try #require(await iterator.next()).renewalInfo.unsafePayloadValue.willAutoRenew == false)
    }

    @Test func `A history in trouble is asked again by one timer, however often it changes`() async throws {
        let shop = try Shop(.inline)
        let launch = Launch(shop.store, .fails)
        let iterator = launch.context.run { Transaction.updates.makeAsyncIterator() }
        for _ in 1...20 {
            let identifier = try shop.store.account.buy("coins")
            try shop.store.refund(identifier)
        }
        let readings = launch.flaky.readings
        shop.store.advance(by: 1_000)
        // After 1, 2, 4 … 256 seconds.
        #expect((1...12).contains(launch.flaky.readings - readings))
        withExtendedLifetime(iterator) {}
    }
}
