import AsyncStore
import StoreCore
import StoreKitTest
import Testing

/// Code that awaits does not care where callbacks are made: each test runs on the main queue's and on inline ones, in a
/// context of its own.
@Suite struct DeliveryTests {
    private static let deliveries: [StoreDelivery] = [.main, .inline]

    @Test(.timeLimit(.minutes(5)), arguments: deliveries)
    func `An item is bought once it has been delivered`(delivery: StoreDelivery) async throws {
        try await StoreContext(delivery: delivery).run {
            let queue = SKPaymentQueue.default()
            let session = try SKTestSession(configurationFileNamed: "Stage")
            let shelf = Shelf()
            let store = AsyncStore { await shelf.put($0, whileIn: queue) }
            _ = try await store.items(["piano", "song"])
            #expect(try await store.buy("piano") == .bought(#require(await shelf.purchases.first)))
            #expect(await shelf.purchases.map(\.item) == ["piano"])
            #expect(await shelf.unfinished == [1])
            #expect(queue.transactions.isEmpty)
            #expect(session.allTransactions().map(\.state) == [.purchased])
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: deliveries)
    func `Items are bought side by side`(delivery: StoreDelivery) async throws {
        try await StoreContext(delivery: delivery).run {
            let session = try SKTestSession(configurationFileNamed: "Stage")
            let store = AsyncStore()
            _ = try await store.items(["piano", "song", "club"])
            async let piano = store.buy("piano")
            async let song = store.buy("song", quantity: 2)
            async let club = store.buy("club")
            let outcomes = try await [piano, song, club]
            let purchases = outcomes.compactMap { if case .bought(let purchase) = $0 { purchase } else { nil } }
            #expect(purchases.map(\.item) == ["piano", "song", "club"])
            #expect(purchases.map(\.quantity) == [1, 2, 1])
            #expect(session.allTransactions().count == 3)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: deliveries)
    func `A parent's answer comes as an update`(delivery: StoreDelivery) async throws {
        try await StoreContext(delivery: delivery).run {
            let session = try SKTestSession(configurationFileNamed: "Stage")
            let store = AsyncStore()
            var updates = store.updates.makeAsyncIterator()
            _ = try await store.items(["piano"])
            session.askToBuyEnabled = true
            #expect(try await store.buy("piano") == .pending)
            let waiting = try #require(session.allTransactions().first { $0.pendingAskToBuyConfirmation })
            try session.approveAskToBuyTransaction(identifier: waiting.identifier)
            guard case .bought(let purchase) = await updates.next() else {
                Issue.record("no update")
                return
            }
            #expect(purchase.item == "piano")
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: deliveries)
    func `Renewals, refunds and moves come as updates`(delivery: StoreDelivery) async throws {
        try await StoreContext(delivery: delivery).run {
            let session = try SKTestSession(configurationFileNamed: "Stage")
            let store = AsyncStore()
            var updates = store.updates.makeAsyncIterator()
            _ = try await store.items(["club"])
            _ = try await store.buy("club")
            try session.forceRenewalOfSubscription(productIdentifier: "club")
            guard case .bought(let renewal) = await updates.next() else {
                Issue.record("no renewal")
                return
            }
            #expect(renewal.transaction == "1")
            try session.refundTransaction(identifier: 1)
            #expect(await updates.next() == .refunded(["club"]))
            session.storefront = "DEU"
            #expect(await updates.next() == .moved(country: "DEU"))
            await #expect(throws: SKError(.storeProductNotAvailable)) { try await store.buy("club") }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: deliveries)
    func `What was bought is restored, but no song`(delivery: StoreDelivery) async throws {
        try await StoreContext(delivery: delivery).run {
            _ = try SKTestSession(configurationFileNamed: "Stage")
            let store = AsyncStore()
            _ = try await store.items(["piano", "song"])
            _ = try await store.buy("piano")
            _ = try await store.buy("song")
            #expect(try await store.restore() == ["piano"])
        }
    }

    @Test(arguments: deliveries)
    func `Without a store there are no items`(delivery: StoreDelivery) async {
        _ = await StoreContext(delivery: delivery, log: .silent).run {
            await #expect(throws: SKError.self) { try await AsyncStore().items(["piano"]) }
        }
    }

    @Test(arguments: deliveries)
    func `A task that is cancelled asks for nothing`(delivery: StoreDelivery) async throws {
        try await StoreContext(delivery: delivery).run {
            _ = try SKTestSession(configurationFileNamed: "Stage")
            let store = AsyncStore()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await store.items(["piano"])
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: deliveries)
    func `A user who cancels is no error`(delivery: StoreDelivery) async throws {
        try await StoreContext(delivery: delivery).run {
            _ = try SKTestSession(configurationFileNamed: "Stage")
            let store = AsyncStore(queue: CancellingQueue())
            _ = try await store.items(["piano"])
            #expect(try await store.buy("piano") == .cancelled)
        }
    }
}

/// A queue whose user never buys anything.
private final class CancellingQueue: SKPaymentQueue, @unchecked Sendable {
    override func add(_ payment: SKPayment) {
        for observer in transactionObservers {
            observer.paymentQueue(self, updatedTransactions: [CancelledTransaction()])
        }
    }

    override func finishTransaction(_ transaction: SKPaymentTransaction) {}
}

private final class CancelledTransaction: SKPaymentTransaction, @unchecked Sendable {
    override var payment: SKPayment { SKPayment(productIdentifier: "piano") }
    override var transactionState: SKPaymentTransactionState { .failed }
    override var error: (any Error)? { SKError(.paymentCancelled) }
}

/// Where purchases are put, and how much was unfinished then.
private actor Shelf {
    private(set) var purchases: [Purchase] = []
    private(set) var unfinished: [Int] = []

    func put(_ purchase: Purchase, whileIn queue: SKPaymentQueue) {
        purchases.append(purchase)
        unfinished.append(queue.transactions.count)
    }
}
