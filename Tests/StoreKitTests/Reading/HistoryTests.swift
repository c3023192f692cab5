import StoreCore
import StoreKit
import Testing

@Suite(.timeLimit(.minutes(20))) struct HistoryTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline) }

    private func products(_ transactions: Transaction.Transactions) async -> [String] {
        await transactions.all().map(\.unsafePayloadValue.productID)
    }

    @Test func `What one face finishes is finished for the other`() async throws {
        let coins = try await shop.bought("coins")
        let sword = try await shop.bought("sword")
        #expect(await shop.run { await products(Transaction.unfinished) } == ["coins", "sword"])
        await shop.run { await coins.finish() }
        #expect(shop.queue.transactions.map(\.payment.productIdentifier) == ["sword"])
        shop.queue.finishTransaction(try #require(shop.queue.transactions.first))
        #expect(await shop.run { await products(Transaction.unfinished) } == [])
        // Once more changes nothing.
        await shop.run { await sword.finish() }
        #expect(shop.queue.transactions.isEmpty)
    }

    @Test func `The history is newest first, without finished consumables`() async throws {
        let coins = try await shop.bought("coins")
        try await shop.bought("sword").finish()
        try await shop.bought("season").finish()
        #expect(await shop.run { await products(Transaction.all) } == ["season", "sword", "coins"])
        await coins.finish()
        #expect(await shop.run { await products(Transaction.all) } == ["season", "sword"])
        #expect(await shop.run { await Transaction.latest(for: "coins") } == nil)
        shop.context.includesFinishedConsumables = true
        #expect(await shop.run { await products(Transaction.all) } == ["season", "sword", "coins"])
        #expect(await shop.run { await Transaction.latest(for: "coins") } != nil)
    }

    @Test func `Entitlements are what the account may use now`() async throws {
        for product in ["coins", "sword", "season", "gold"] { try await shop.bought(product).finish() }
        #expect(await shop.run { await products(Transaction.currentEntitlements) } == ["gold", "season", "sword"])
        try shop.store.account.setAutoRenew(false, inGroup: "club")
        shop.store.advance(by: 40 * 86_400)
        #expect(await shop.run { await products(Transaction.currentEntitlements) } == ["season", "sword"])
        let sword = try #require(await shop.run { await Transaction.latest(for: "sword") }).payloadValue
        try shop.store.refund(String(sword.id))
        #expect(await shop.run { await products(Transaction.currentEntitlements) } == ["season"])
        #expect(await shop.run { await products(Transaction.all) }.contains("sword"))
    }

    @Test func `Of purchases of one product, the newest that was not refunded entitles`() async throws {
        let numbers = try (0..<3).map { _ in try shop.store.account.buy("season") }
        for number in numbers.reversed() {
            let entitlements = await shop.run { await Transaction.currentEntitlements.all() }
            #expect(entitlements.map { String($0.unsafePayloadValue.id) } == [number])
            try shop.store.refund(number)
        }
        #expect(await shop.run { await Transaction.currentEntitlements.all() }.isEmpty)
    }

    @Test func `A long history is read a page at a time, each transaction once`() async throws {
        for _ in 0..<700 { _ = try shop.store.account.buy("coins") }
        let all = await shop.run { await Transaction.all.all() }.map(\.unsafePayloadValue.id)
        #expect(Set(all).count == 700)
        #expect(all == all.sorted(by: >))
        #expect(await shop.run { await Transaction.unfinished.all() }.map(\.unsafePayloadValue.id) == all.reversed())
    }

    @Test func `Somebody else who signs in has another history`() async throws {
        try await shop.bought("sword")
        try shop.store.device.signIn(to: try shop.store.addAccount("other"))
        #expect(await shop.run { await products(Transaction.all) } == [])
        try shop.store.device.signOut()
        #expect(await shop.run { await products(Transaction.currentEntitlements) } == [])
        #expect(await shop.run { await Transaction.latest(for: "sword") } == nil)
    }

    @Test func `A subscription has the state that its payments give it`() async throws {
        func state() async throws -> Product.SubscriptionInfo.RenewalState? {
            try await shop.run { try await Product.SubscriptionInfo.status(for: "club").first?.state }
        }
        #expect(try await state() == nil)
        let gold = try await shop.bought("gold")
        #expect(try await state() == .subscribed)
        try shop.store.setGrantsGracePeriod(true)
        try shop.store.account.setBillingFails(true)
        shop.store.advance(by: 32 * 86_400)
        #expect(try await state() == .inGracePeriod)
        #expect(await shop.run { await products(Transaction.currentEntitlements) } == ["gold"])
        shop.store.advance(by: 30 * 86_400)
        #expect(try await state() == .inBillingRetryPeriod)
        shop.store.advance(by: 60 * 86_400)
        #expect(try await state() == .expired)
        try shop.store.account.setBillingFails(false)
        let again = try await shop.bought("gold")
        #expect(try await state() == .subscribed)
        try shop.store.refund(String(again.id))
        #expect(try await state() == .revoked)
        withExtendedLifetime(gold) {}
    }

    @Test func `A context has its own store, in the tasks of a test too`() async throws {
        let shops = try (0..<8).map { _ in try Shop() }
        await withTaskGroup(of: Void.self) { group in
            for (number, shop) in shops.enumerated() {
                group.addTask {
                    for _ in 0..<number { _ = try? shop.store.account.buy("coins") }
                    await shop.run {
                        async let child = Transaction.all.all().count
                        #expect(await child == number)
                    }
                }
            }
        }
    }

    @Test func `Nothing stays behind when a test lets go`() async throws {
        weak var context: StoreContext?
        let (released, end) = AsyncStream<Void>.makeStream()
        do {
            let shop = try Shop(log: .ending(end))
            context = shop.context
            try await shop.bought("coins").finish()
            var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
            _ = try shop.store.account.buy("sword")
            #expect(await iterator.next() != nil)
            await shop.context.settle()
        }
        // Another thread may hold the store a moment longer.
        for await _ in released {}
        #expect(context == nil)
    }

    @Test(arguments: [true, false])
    func `A status that was told keeps no earlier store, taken or not`(isTaken: Bool) async throws {
        let (released, end) = AsyncStream<Void>.makeStream()
        var listener: Product.SubscriptionInfo.Status.Statuses.AsyncIterator?
        do {
            let shop = try Shop(.inline, log: .ending(end))
            var statuses = shop.context.run { Product.SubscriptionInfo.Status.updates.makeAsyncIterator() }
            try await shop.bought("silver").finish()
            if isTaken { #expect(await statuses.next() != nil) }
            await shop.context.settle()
            shop.context.use(try SandboxStore(products: []))
            listener = statuses
        }
        // The queue has ended before its listener goes.
        if !isTaken { listener = nil }
        for await _ in released {}
        withExtendedLifetime(listener) {}
    }

    @Test func `A listening task that is canceled leaves nothing behind`() async throws {
        weak var context: StoreContext?
        let (released, end) = AsyncStream<Void>.makeStream()
        do {
            let shop = try Shop(log: .ending(end))
            context = shop.context
            let (heard, hear) = AsyncStream<Void>.makeStream()
            let listener = shop.context.run { Task { for await _ in Transaction.updates { hear.yield() } } }
            _ = try shop.store.account.buy("sword")
            _ = await heard.first(1)
            listener.cancel()
            await listener.value
            await shop.context.settle()
        }
        // Another thread may hold the store a moment longer.
        for await _ in released {}
        #expect(context == nil)
    }

    @Test func `A child task has the context of its parent, and a detached one that of its maker`() async throws {
        await shop.run {
            let child = await Task { (StoreContext.current === shop.context, await Storefront.current?.countryCode) }
                .value
            #expect(child == (true, "USA"))
            let detached = await Task.detached {
                (StoreContext.current === shop.context, await Storefront.current?.countryCode)
            }
            .value
            #expect(detached == (true, "USA"))
        }
    }

    @Test func `B161: Both versions say alike whether the user may pay`() async throws {
        for isAllowed in [true, false] {
            try shop.store.setPaymentsAllowed(isAllowed)
            #expect(shop.context.run { AppStore.canMakePayments } == isAllowed)
            #expect(shop.context.run { SKPaymentQueue.canMakePayments() } == isAllowed)
        }
    }

    @Test func `B167: A restore changes neither the history of Store Kit 2 nor its entitlements`() async throws {
        for product in ["sword", "season"] { try await shop.bought(product).finish() }
        let history = await shop.identifiers
        let observer = FinishingObserver()
        shop.queue.add(observer)
        shop.queue.restoreCompletedTransactions()
        await shop.context.settle()
        #expect(observer.told.contains("sword \(SKPaymentTransactionState.restored.rawValue)"))
        #expect(await shop.identifiers == history)
    }

    @Test func `A transaction that an app keeps does not keep its store`() async throws {
        let clock = ManualClock()
        let transaction: Transaction
        do {
            let store = try SandboxStore(products: Shop.products, clock: clock)
            let context = StoreContext(backend: store, delivery: .inline, log: .silent)
            _ = try store.account.buy("coins")
            store.authorizer = .always(.later)
            context.run { SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword")) }
            transaction = try #require(await context.run { await Transaction.all.first(1) }.first).unsafePayloadValue
            #expect(await clock.activity.settle() == ["a decision about transaction 2 for sword"])
        }
        #expect(await clock.activity.settle() == [])
        #expect(transaction.productID == "coins")
        #expect(transaction.deviceVerificationNonce == transaction.deviceVerificationNonce)
    }

    @Test func `A refund cannot be requested of a store that cannot be reached`() async throws {
        let sword = try await shop.bought("sword")
        shop.store.isReachable = false
        let error = await #expect(throws: StoreKitError.self) {
            try await shop.run { try await Transaction.beginRefundRequest(for: sword.id) }
        }
        guard case .networkError(let failure)? = error
        else { return _ = Issue.record("it is \(String(describing: error))") }
        #expect(failure.code == .notConnectedToInternet)
        shop.store.isReachable = true
        #expect(try shop.store.signedTransaction(String(sword.id)).payload.revocationDate == nil)
    }

    @Test func `A refund that is requested is the operator's decision`() async throws {
        let sword = try await shop.bought("sword")
        shop.store.refundDecision = .ask
        #expect(try await shop.run { try await Transaction.beginRefundRequest(for: sword.id) } == .success)
        #expect(shop.store.refundRequests == [String(sword.id)])
        await #expect(throws: Transaction.RefundRequestError.duplicateRequest) {
            try await shop.run { try await Transaction.beginRefundRequest(for: sword.id) }
        }
        try shop.store.declineRefund(of: String(sword.id))
        #expect(shop.store.refundRequests.isEmpty)
        shop.store.refundDecision = .approve
        let coins = try await shop.bought("coins")
        #expect(try await shop.run { try await Transaction.beginRefundRequest(for: coins.id) } == .success)
        #expect(try shop.store.signedTransaction(String(coins.id)).payload.revocationDate != nil)
    }
}

extension Shop {
    /// The transactions of the history, then those that entitle to something.
    fileprivate var identifiers: [[UInt64]] {
        get async {
            await run {
                [await Transaction.all.all(), await Transaction.currentEntitlements.all()].map { results in
                    results.map(\.unsafePayloadValue.id)
                }
            }
        }
    }
}

/// A store whose pages of transactions end where they begin, so that whoever goes on would go on forever.
@Suite struct RepeatedPlaceTests {
    private let lines = Locked<[String]>([])
    private var log: StoreLog { StoreLog { [lines] line in lines.withLock { $0.append(line) } } }

    @Test func `A sequence of transactions ends, and says why`() async throws {
        let store = HistoryStore([try TransactionPayload.sample().signed()], repeatsPlaces: true)
        #expect(await store.run(log: log) { await Transaction.all.all() }.count == 2)
        #expect(lines.withLock { $0 }.contains { $0.contains("ends where it begins") })
    }

    @Test func `A finish ends, and says why`() async throws {
        let store = HistoryStore([try TransactionPayload.sample().signed()], repeatsPlaces: true)
        await store.run(log: log) { await Transaction.all.first(1).first?.unsafePayloadValue.finish() }
        #expect(lines.withLock { $0 }.contains { $0.contains("ends where it begins") })
    }
}
