import CallbackStoreApp
import Foundation
import StoreCore
import StoreKit
import Testing

private typealias Purchase = CallbackStore.Purchase

private struct Shelf {
    let backend: SandboxStore
    let context: StoreContext

    init() throws {
        backend = try SandboxStore(products: [
            .consumable("potion", price: "0.99", title: "Potion"),
            .nonConsumable("castle", price: "9.99", title: "Castle"),
            .autoRenewable("guild", price: "1.99", period: .monthly, group: "guild"),
        ])
        context = StoreContext(backend: backend, delivery: .inline)
    }
}

/// What the completion handler is called with.
private func value<Value: Sendable>(
    _ call: (@escaping CallbackStore.Completion<Value>) -> Void
) async -> Result<Value, CallbackStore.Failure> {
    await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, CallbackStore.Failure>, Never>) in
        call { result in continuation.resume(returning: result) }
    }
}

/// An old part of the app, to which Store Kit tells what has been finished.
private final class FinishWatcher: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    private let finished: AsyncStream<String>.Continuation

    init(_ finished: AsyncStream<String>.Continuation) { self.finished = finished }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions { finished.yield(transaction.payment.productIdentifier) }
    }
}

@Suite(.timeLimit(.minutes(1))) struct CallbackStoreTests {
    @Test func `A purchase is begun in the handler of another call, and finished after its own`() async throws {
        let shelf = try Shelf()
        try await shelf.context.run {
            let store = CallbackStore()
            let (finished, continuation) = AsyncStream.makeStream(of: String.self)
            var next = finished.makeAsyncIterator()
            let watcher = FinishWatcher(continuation)
            SKPaymentQueue.default().add(watcher)

            let bought: Result<Purchase, CallbackStore.Failure> = await value { completion in
                store.items(["potion", "castle", "dragon"]) { items in
                    guard case .success(let items) = items, items.map(\.name) == ["Castle", "Potion"] else {
                        return completion(.failure(.other("not the two items that are sold")))
                    }
                    store.buy(items[1].id, completion: completion)
                }
            }
            #expect(try bought.get().productID == "potion")
            let first = await next.next()
            #expect(first == "potion")
            let unfinished = try shelf.backend.device.unfinished
            #expect(unfinished.isEmpty)
            #expect(try shelf.backend.account.totalCharged == Decimal(string: "0.99"))
            SKPaymentQueue.default().remove(watcher)
        }
    }

    @Test func `Each way to fail has a name`() async throws {
        let shelf = try Shelf()
        try await shelf.context.run {
            let store = CallbackStore()
            let unknown = await value { store.buy("dragon", completion: $0) }
            #expect(unknown == .failure(.unknownProduct))

            shelf.backend.authorizer = .always(.cancel)
            let cancelled = await value { store.buy("potion", completion: $0) }
            #expect(cancelled == .failure(.cancelled))

            shelf.backend.authorizer = .always(.approve)
            try shelf.backend.setPaymentsAllowed(false)
            let notAllowed = await value { store.buy("potion", completion: $0) }
            #expect(notAllowed == .failure(.notAllowed))
            #expect(try shelf.backend.account.totalCharged == 0)

            // What cannot be trusted was paid for, so it stays to be finished.
            try shelf.backend.setPaymentsAllowed(true)
            shelf.backend.signatureDefect = .invalidSignature
            let unverified = await value { store.buy("castle", completion: $0) }
            #expect(unverified == .failure(.unverified))
            #expect(try shelf.backend.device.unfinished.count == 1)

            shelf.backend.isReachable = false
            let offline = await value { store.buy("potion", completion: $0) }
            #expect(offline == .failure(.offline))
            #expect(try shelf.backend.account.charges.map(\.productIdentifier) == ["castle"])
        }
    }

    @Test func `What is pending is told to the handler once it is allowed`() async throws {
        let shelf = try Shelf()
        try shelf.backend.account.setAsksToBuy(true)
        try await shelf.context.run {
            let store = CallbackStore()
            let (purchases, continuation) = AsyncStream.makeStream(of: Purchase.self)
            var next = purchases.makeAsyncIterator()
            store.start { _ = continuation.yield($0) }

            let declined = await value { store.buy("potion", completion: $0) }
            #expect(declined == .failure(.pending))
            try shelf.backend.decline(shelf.backend.undecidedRequests[0])
            let pending = await value { store.buy("castle", completion: $0) }
            #expect(pending == .failure(.pending))
            try shelf.backend.approve(shelf.backend.undecidedRequests[0])

            let purchase = try #require(await next.next())
            #expect(purchase.productID == "castle")
            let active = await value { store.isActive("castle", completion: $0) }
            #expect(active == .success(true))
            store.stop()
        }
    }

    @Test func `A refund is told to the handler, and ends access`() async throws {
        let shelf = try Shelf()
        try await shelf.context.run {
            let store = CallbackStore()
            let (purchases, continuation) = AsyncStream.makeStream(of: Purchase.self)
            var next = purchases.makeAsyncIterator()
            store.start { _ = continuation.yield($0) }
            let castle = try await value { store.buy("castle", completion: $0) }.get()

            try shelf.backend.refund(castle.transactionID)
            let refunded = try #require(await next.next())
            #expect(refunded.transactionID == castle.transactionID)
            #expect(refunded.isRevoked)
            let active = await value { store.isActive("castle", completion: $0) }
            #expect(active == .success(false))
            store.stop()
        }
    }

    @Test func `Renewals come by themselves until the user has ended them`() async throws {
        let shelf = try Shelf()
        try await shelf.context.run {
            let store = CallbackStore()
            let (purchases, continuation) = AsyncStream.makeStream(of: Purchase.self)
            var next = purchases.makeAsyncIterator()
            store.start { _ = continuation.yield($0) }
            let account = UUID()
            let guild = try await value { store.buy("guild", account: account, completion: $0) }.get()

            shelf.backend.advance(by: .monthly)
            let renewal = try #require(await next.next())
            #expect(renewal.isRenewal)
            let end = try #require(guild.expirationDate)
            let laterEnd = try #require(renewal.expirationDate)
            #expect(laterEnd > end)

            try shelf.backend.account.setAutoRenew(false, inGroup: "guild")
            let stillActive = await value { store.isActive("guild", completion: $0) }
            #expect(stillActive == .success(true))
            shelf.backend.advance(by: .monthly)
            let active = await value { store.isActive("guild", completion: $0) }
            #expect(active == .success(false))
            store.stop()
        }
    }

    @Test func `What was not finished comes at the next launch, and what lasts is restored elsewhere`() async throws {
        let shelf = try Shelf()
        try await shelf.context.run {
            // The app is killed while the sheet is still on the screen.
            let castle = try #require(try await Product.products(for: ["castle"]).first)
            _ = try await castle.purchase()
            _ = SKPaymentQueue.default().relaunch()

            let store = CallbackStore()
            let (purchases, continuation) = AsyncStream.makeStream(of: Purchase.self)
            var next = purchases.makeAsyncIterator()
            store.start { _ = continuation.yield($0) }
            let purchase = try #require(await next.next())
            #expect(purchase.productID == "castle")
            store.stop()
        }
        let tablet = try shelf.backend.addDevice("tablet", signedInTo: shelf.backend.account)
        try await StoreContext(backend: tablet, delivery: .inline).run {
            let store = CallbackStore()
            let restored = await value { store.restore(completion: $0) }
            #expect(restored == .success(["castle"]))
            try tablet.signOut()
            let signedOut = await value { store.restore(completion: $0) }
            #expect(signedOut == .failure(.cancelled))
        }
    }
}
