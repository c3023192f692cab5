// The examples of the articles on Store Kit 2, compiled and run.
import StoreCore
import StoreKit
import Testing

struct Arcade {
    let store: SandboxStore
    let context: StoreContext

    init() throws {
        store = try SandboxStore(products: [
            .consumable("coins", price: "0.99"),
            .nonConsumable("sword", price: "4.99"),
            .autoRenewable("club", price: "1.99", period: .monthly, group: "club"),
        ])
        context = StoreContext(backend: store, delivery: .inline)
    }
}

@Test func `A sword is bought, delivered and finished`() async throws {
    let arcade = try Arcade()
    try await arcade.context.run {
        let sword = try #require(try await Product.products(for: ["sword"]).first)
        #expect(sword.displayPrice == "$4.99")

        guard case .success(let result) = try await sword.purchase() else {
            Issue.record("it was not bought")
            return
        }
        let transaction = try result.payloadValue
        await transaction.finish()

        #expect(await productsInUse() == ["sword"])
        for await unfinished in Transaction.unfinished { Issue.record("\(unfinished)") }
    }
}

func productsInUse() async -> [String] {
    var products: [String] = []
    for await result in Transaction.currentEntitlements {
        if case .verified(let transaction) = result { products.append(transaction.productID) }
    }
    return products
}

func hasPaidForTheApp() async throws -> Bool {
    let app = try await AppTransaction.shared.payloadValue
    return app.originalAppVersion.compare("3", options: .numeric) == .orderedAscending
}

@Test func `An early customer has paid for the app`() async throws {
    let store = try SandboxStore(bundleVersion: "3.2")
    try store.setAppPurchase(AppPurchase(version: "3.0"))
    let early = try store.addAccount("early")
    let yearOfVersion2 = Date(timeIntervalSince1970: 1_546_300_800)
    try early.setAppPurchase(AppPurchase(version: "2.1", date: yearOfVersion2, platform: .macOS))
    let mac = try store.addDevice("mac", signedInTo: early)

    #expect(try await StoreContext(backend: store, delivery: .inline).run { try await hasPaidForTheApp() } == false)
    #expect(try await StoreContext(backend: mac, delivery: .inline).run { try await hasPaidForTheApp() } == true)
}

@Test func `A user who cancels gets nothing`() async throws {
    let arcade = try Arcade()
    arcade.store.authorizer = .always(.cancel)
    try await arcade.context.run {
        let sword = try #require(try await Product.products(for: ["sword"]).first)
        guard case .userCancelled = try await sword.purchase() else {
            Issue.record("it was not canceled")
            return
        }
        #expect(await Transaction.latest(for: "sword") == nil)
    }
}

@Test func `A purchase that fails says why`() async throws {
    let arcade = try Arcade()
    try await arcade.context.run {
        let sword = try #require(try await Product.products(for: ["sword"]).first)
        arcade.store.purchaseFailure = .storeKit(.paymentNotAllowed, "the test wants it so")
        await #expect(throws: Product.PurchaseError.purchaseNotAllowed) { _ = try await sword.purchase() }

        arcade.store.purchaseFailure = nil
        arcade.store.isReachable = false
        await #expect(throws: StoreKitError.self) { _ = try await sword.purchase() }
        #expect(try arcade.store.account.totalCharged == 0)
    }
}

@Test func `A purchase that a parent allows is an update`() async throws {
    let arcade = try Arcade()
    try arcade.store.account.setAsksToBuy(true)
    try await arcade.context.run {
        var updates = Transaction.updates.makeAsyncIterator()
        let coins = try #require(try await Product.products(for: ["coins"]).first)
        guard case .pending = try await coins.purchase() else {
            Issue.record("it does not wait")
            return
        }
        try arcade.store.approve(arcade.store.undecidedRequests[0])
        let update = try #require(await updates.next()).payloadValue
        #expect(update.productID == "coins")
        await update.finish()
    }
}

/// An app's model, which listens by itself and tells of each delivery.
@MainActor final class Inventory {
    private(set) var coins = 0
    let deliveries: AsyncStream<String>
    private var listener: Task<Void, Never>?

    init() {
        let (deliveries, delivered) = AsyncStream.makeStream(of: String.self)
        self.deliveries = deliveries
        listener = Task {
            for await case .verified(let transaction) in Transaction.updates {
                coins += transaction.purchasedQuantity
                await transaction.finish()
                delivered.yield(transaction.productID)
            }
        }
    }

    func close() { listener?.cancel() }
}

@MainActor @Test func `The app delivers what a parent allows`() async throws {
    let arcade = try Arcade()
    try arcade.store.account.setAsksToBuy(true)
    try await arcade.context.run {
        let inventory = Inventory()
        defer { inventory.close() }
        let coins = try #require(try await Product.products(for: ["coins"]).first)
        _ = try await coins.purchase()
        try arcade.store.approve(arcade.store.undecidedRequests[0])

        var deliveries = inventory.deliveries.makeAsyncIterator()
        #expect(await deliveries.next() == "coins")
        #expect(inventory.coins == 1)
        #expect(try arcade.store.device.unfinished.isEmpty)
    }
}

@Test func `A subscription is renewed, then refunded`() async throws {
    let arcade = try Arcade()
    try await arcade.context.run {
        let club = try #require(try await Product.products(for: ["club"]).first)
        guard case .success(let first) = try await club.purchase() else {
            Issue.record("it was not bought")
            return
        }
        await first.unsafePayloadValue.finish()

        var updates = Transaction.updates.makeAsyncIterator()
        arcade.store.advance(by: .monthly)
        let renewal = try #require(await updates.next()).payloadValue
        #expect(renewal.reason == .renewal)
        await renewal.finish()
        #expect(try await club.subscription?.status.first?.state == .subscribed)

        try arcade.store.refund(renewal.id)
        let refunded = try #require(await updates.next()).payloadValue
        #expect(refunded.revocationDate != nil)
        #expect(await productsInUse() == [])
    }
}

@Test func `What one launch has not finished is an update of the next`() async throws {
    let arcade = try Arcade()
    try await arcade.context.run {
        let sword = try #require(try await Product.products(for: ["sword"]).first)
        _ = try await sword.purchase()  // and the app ends before it has delivered

        _ = SKPaymentQueue.default().relaunch()
        var updates = Transaction.updates.makeAsyncIterator()
        let update = try #require(await updates.next()).payloadValue
        #expect(update.productID == "sword")
        await update.finish()
        for await unfinished in Transaction.unfinished { Issue.record("\(unfinished)") }
    }
}

@Test func `A transaction with a wrong signature is unverified`() async throws {
    let arcade = try Arcade()
    arcade.store.signatureDefect = .invalidSignature
    try await arcade.context.run {
        let sword = try #require(try await Product.products(for: ["sword"]).first)
        guard case .success(.unverified(let transaction, let error)) = try await sword.purchase() else {
            Issue.record("it was verified")
            return
        }
        #expect(transaction.productID == "sword")
        #expect(error == .invalidSignature)
    }
}

@Test func `What Store Kit 1 has bought, Store Kit 2 finishes`() async throws {
    let arcade = try Arcade()
    let keeper = Keeper()
    await arcade.context.run {
        let queue = SKPaymentQueue.default()
        queue.add(keeper)
        queue.add(SKPayment(productIdentifier: "coins"))
        #expect(queue.transactions.count == 1)

        for await result in Transaction.unfinished {
            await result.unsafePayloadValue.finish()
        }
        #expect(queue.transactions.isEmpty)
        #expect(keeper.removed == ["coins"])
    }
}

final class Keeper: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    private(set) var removed: [String] = []

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        removed += transactions.map(\.payment.productIdentifier)
    }
}

@Test func `A sword is bought with Store Kit 2`() async throws {
    let store = try SandboxStore(products: [.consumable("sword", price: "0.99")])
    try await StoreContext(backend: store, delivery: .inline).run {
        let swords = try await Product.products(for: ["sword"])
        guard case .success(let result)? = try await swords.first?.purchase() else {
            Issue.record("it was not bought")
            return
        }
        await result.unsafePayloadValue.finish()
    }
}
