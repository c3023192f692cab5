import StoreContract
import StoreCore
import StoreKit
import StoreRemote
import StoreServer
import TestSupport
import Testing

/// Apps that share a device's token: each hears what the others finish.
@Suite(.fewAtATime, .server, .timeLimit(.minutes(20))) struct SharedTokenTests {
    @Test func `Apps that buy at launch and finish whatever they hear of leave no purchase under way`() async throws {
        let count = 12
        let products = (1...count).map { SandboxProduct.consumable("p\($0)", price: "0.99") }
        let shop = try RemoteShop(products: products)
        let apps = (1...count).map { number in
            let shopper = Shopper()
            let queue = SKPaymentQueue(
                backend: shop.remote().asStoreBackend(),
                journal: MemoryJournal(),
                delivery: .queue(DispatchQueue(label: "callbacks")),
                log: .silent
            )
            queue.add(shopper)
            queue.add(SKPayment(productIdentifier: "p\(number)"))
            return (queue: queue, shopper: shopper, product: "p\(number)")
        }
        for app in apps {
            await app.shopper.wait(for: "\(app.product) purchasing")
            await app.shopper.wait(for: "\(app.product) removed")
        }
        // What is told as removed is in the journal, and perhaps still on its way to the store.
        for app in apps { await app.queue.settle() }
        #expect(try shop.store.transactions.count == count)
        #expect(try shop.store.transactions.allSatisfy(\.isFinished))
        withExtendedLifetime(apps.map(\.queue)) {}
    }

    @Test func `An order that was finished elsewhere before a late snapshot comes out`() async throws {
        let shop = try RemoteShop()
        // Another app of the device finishes what it hears of.
        let other = SKPaymentQueue(backend: shop.store, delivery: .inline, log: .silent)
        let finisher = Shopper()
        other.add(finisher)
        let backend = LateSnapshot(shop.remote().asStoreBackend())
        let shopper = Shopper()
        let queue = SKPaymentQueue(backend: backend, delivery: .queue(DispatchQueue(label: "callbacks")), log: .silent)
        queue.add(shopper)
        queue.add(SKPayment(productIdentifier: "sword"))
        await shopper.wait(for: "sword purchasing")
        await finisher.wait(for: "sword removed")
        backend.begin()
        await shopper.wait(for: "sword removed")
        #expect(queue.transactions.isEmpty)
    }

    @Test func `A purchase of Store Kit 2 ends, though another app has finished what it bought`() async throws {
        let shop = try RemoteShop()
        let other = SKPaymentQueue(backend: shop.store, delivery: .inline, log: .silent)
        let finisher = Shopper()
        other.add(finisher)
        let backend = LateSnapshot(shop.remote().asStoreBackend())
        let context = StoreContext(backend: backend, delivery: .queue(DispatchQueue(label: "callbacks")), log: .silent)
        try await context.run {
            let sword = try #require(try await Product.products(for: ["sword"]).first)
            let purchase = Task { _ = try await sword.purchase() }
            await finisher.wait(for: "sword removed")
            backend.begin()
            await #expect(throws: StoreKitError.self) { try await purchase.value }
        }
    }
}

private final class LateSnapshot: ForwardingBackend {
    private typealias Connection = @Sendable () -> Void
    let backend: any StoreBackend
    private let waiting = Locked<(hasBegun: Bool, connections: [Connection])>((false, []))

    init(_ backend: any StoreBackend) { self.backend = backend }

    func begin() {
        let connections = waiting.withLock { waiting in
            defer { waiting = (true, []) }
            return waiting.connections
        }
        for connection in connections { connection() }
    }

    var lane: BackendLane { .background }

    func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let isNow = waiting.withLock { waiting in
            if !waiting.hasBegun { waiting.connections.append { [self] in backend.connect(receiver, after: cursor) } }
            return waiting.hasBegun
        }
        if isNow { backend.connect(receiver, after: cursor) }
    }
}
