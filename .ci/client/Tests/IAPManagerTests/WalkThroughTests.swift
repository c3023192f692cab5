import IAPManager
import StoreCore
import StoreKitTest
import Testing

/// A manager of the test's own, in a context of the test's own: these run beside each other.
@Suite struct WalkThroughTests {
    private let expansion = "com.example.expansion"

    @MainActor @Test(.timeLimit(.minutes(5)))
    func `From the shop to the expansion, on the main queue`() async throws {
        try await StoreContext().run {
            let session = try SKTestSession(configurationFileNamed: "Armoury")
            let player = try Player()
            let (manager, spy) = (player.manager, player.spy)
            #expect(manager.canBuy)
            await spy.wait(for: "loaded") { manager.loadProducts() }
            let pack = try #require(manager.products.first)
            #expect(manager.price(of: pack) == "$4.99")
            await spy.wait(for: "provided \(expansion)") { manager.buy(pack) }
            #expect(manager.isUnlocked(expansion))
            #expect(session.allTransactions().map(\.state) == [.purchased])
        }
    }

    @Test(arguments: [("com.example.sword", 1), ("com.example.shield", 2), ("com.example.spear", 10)])
    func `Items are counted, inline`(item: String, quantity: Int) throws {
        try inline { session, player in
            player.manager.buy(try player.product(item), quantity: quantity)
            #expect(player.manager.count(of: item) == quantity)
            player.manager.buy(try player.product(item))
            #expect(player.manager.count(of: item) == quantity + 1)
            #expect(player.manager.recordedTransactions == ["0", "1"])
            #expect(SKPaymentQueue.default().transactions.isEmpty)
        }
    }

    @Test func `What a parent declines is not unlocked, inline`() throws {
        try inline { session, player in
            session.askToBuyEnabled = true
            player.manager.buy(try player.product(expansion))
            let waiting = try #require(session.allTransactions().first)
            try session.declineAskToBuyTransaction(identifier: waiting.identifier)
            #expect(player.spy.events == ["loaded", "waiting for \(expansion)", "failed \(expansion): 0"])
            #expect(!player.manager.isUnlocked(expansion))
        }
    }

    @Test func `An interrupted purchase fails first and comes when its issue is resolved, inline`() throws {
        try inline { session, player in
            session.interruptedPurchasesEnabled = true
            player.manager.buy(try player.product(expansion))
            #expect(player.spy.events == ["loaded", "failed \(expansion): 0"])
            let interrupted = try #require(session.allTransactions().first)
            try session.resolveIssueForTransaction(identifier: interrupted.identifier)
            #expect(player.manager.isUnlocked(expansion))
        }
    }

    @Test func `Without a store there are no products`() throws {
        try StoreContext(delivery: .inline, log: .silent).run {
            let player = try Player()
            #expect(player.manager.canBuy)
            player.manager.loadProducts()
            #expect(player.spy.events == ["not loaded"])
        }
    }

    @Test(arguments: [(SKError.Code.paymentCancelled, 0), (.paymentNotAllowed, 1)])
    func `A cancelled purchase is finished without a word`(code: SKError.Code, messages: Int) throws {
        let queue = QueueSpy()
        let manager = IAPManager(queue: queue, defaults: try scratchDefaults())
        let spy = DelegateSpy()
        manager.delegate = spy
        let transaction = FailedTransaction(code)
        manager.paymentQueue(queue, updatedTransactions: [transaction])
        #expect(spy.events.count == messages)
        #expect(queue.finished == [transaction])
    }

    /// The singleton itself, which no test shares a process with.
    @Test(.timeLimit(.minutes(5)))
    func `The queue is kept and products are loaded before there is a session`() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let file = try #require(Bundle.module.url(forResource: "Armoury", withExtension: "storekit"))
            // In Xcode, the scheme.
            setenv("STOREKIT_CONFIGURATION", file.path, 1)
            let manager = IAPManager.shared
            let spy = DelegateSpy()
            manager.delegate = spy
            manager.start()
            await spy.wait(for: "loaded") { manager.loadProducts() }
            let pack = try #require(manager.products.first)
            let session = try SKTestSession(configurationFileNamed: "Armoury")
            await spy.wait(for: "provided com.example.expansion") { manager.buy(pack) }
            #expect(session.allTransactions().map(\.identifier) == [0])
            UserDefaults.standard.removeObject(forKey: "com.example.expansion")
            UserDefaults.standard.removeObject(forKey: "IAPManager.transactions")
        }
    }

    /// Callbacks come before the call returns: nothing has to be waited for.
    private func inline(_ body: (SKTestSession, Player) throws -> Void) throws {
        try StoreContext(delivery: .inline).run {
            let session = try SKTestSession(configurationFileNamed: "Armoury")
            let player = try Player()
            try body(session, player)
        }
    }
}

/// A game of its own: its manager and what the user was shown.
private struct Player {
    let manager: IAPManager
    let spy = DelegateSpy()

    init() throws {
        manager = IAPManager(defaults: try scratchDefaults())
        manager.delegate = spy
        manager.start()
    }

    func product(_ identifier: String) throws -> SKProduct {
        manager.loadProducts()
        return try #require(manager.products.first { $0.productIdentifier == identifier })
    }
}

private func scratchDefaults() throws -> UserDefaults {
    try #require(UserDefaults(suiteName: "IAPManagerTests.\(UUID().uuidString)"))
}

private final class QueueSpy: SKPaymentQueue, @unchecked Sendable {
    private(set) var finished: [SKPaymentTransaction] = []

    override func finishTransaction(_ transaction: SKPaymentTransaction) { finished.append(transaction) }
}

private final class FailedTransaction: SKPaymentTransaction, @unchecked Sendable {
    private let code: SKError.Code

    init(_ code: SKError.Code) {
        self.code = code
        super.init()
    }

    override var transactionState: SKPaymentTransactionState { .failed }
    override var error: Error? { SKError(code) }
}
