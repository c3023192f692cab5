import Foundation
import StoreCore
import TestSupport
import Testing

/// A sandbox store and the queues that ask it directly, with what a user, a ledger and threads do in between.
@Suite(.timeLimit(.minutes(10))) struct DirectSandboxTests {
    /// How a queue on the store works: asked with the queue's lock held, or with its lane marked as busy.
    enum Setup: CaseIterable {
        case underLock, sharedLedger, otherThread, ownLane

        /// Those in which a call returns when the store has answered.
        static let synchronous: [Setup] = [.underLock, .sharedLedger, .otherThread]

        var ledger: (any Ledger)? {
            switch self {
            case .underLock, .otherThread: nil
            case .sharedLedger: MemoryLedger()
            case .ownLane: GatedLedger(lane: .background)
            }
        }
        var delivery: StoreDelivery {
            switch self {
            case .underLock, .sharedLedger: .inline
            case .otherThread, .ownLane: .queue(DispatchQueue(label: "DirectSandboxTests.observer"))
            }
        }

        /// A queue on a store, and an observer of it.
        func observedQueue(on store: SandboxStore, finishes: Bool = true) -> (SKPaymentQueue, Recorder) {
            let observer = finishes ? Recorder.finishing() : Recorder()
            let queue = SKPaymentQueue(backend: store, delivery: delivery)
            queue.add(observer)
            return (queue, observer)
        }

        func store(_ user: Authorizer = .approving, clock: any StoreClock = ManualClock()) throws -> SandboxStore {
            try SandboxStore(
                products: [
                    .consumable("sword", price: "0.99"), .consumable("shield", price: "1.99"),
                    .nonConsumable("game", price: "4.99"),
                    .autoRenewable(
                        "gold",
                        price: "4.99",
                        period: .init(1, .month),
                        group: "metals",
                        promotionalOffers: [.freeTrial(.init(1, .month), identifier: "gift")]
                    ),
                ],
                clock: clock,
                ledger: ledger,
                authorizer: user
            )
        }
    }

    private func whole(_ product: String) -> [Heard] {
        [.updated(product, .purchasing), .updated(product, .purchased), .removed(product)]
    }

    @Test(arguments: Setup.allCases)
    func `B19: An authorizer may use the queue that waits for it`(setup: Setup) async throws {
        let box = Locked<SKPaymentQueue?>(nil)
        let authorizer = Authorizer { request in
            guard request.productIdentifier == "sword" else { return .approve }
            let queue = box.withLock { $0 }
            // Whoever held a lock here would wait for ever.
            _ = queue?.transactions
            queue?.add(SKPayment(productIdentifier: "shield"))
            return .approve
        }
        let store = try setup.store(authorizer)
        let (queue, observer) = setup.observedQueue(on: store)
        box.withLock { $0 = queue }
        await queue.buy("sword")
        #expect(observer.history(of: "sword") == whole("sword"))
        #expect(observer.history(of: "shield") == whole("shield"))
        box.withLock { $0 = nil }
    }

    @Test(arguments: Setup.synchronous)
    func `B19: While an authorizer thinks, other queues sell, and this one takes payments`(setup: Setup) async throws {
        let gate = Gate()
        let authorizer = Authorizer.noting { request in if request.productIdentifier == "sword" { gate.pass() } }
        let store = try setup.store(authorizer)
        let (queue, observer) = setup.observedQueue(on: store)
        let tablet = try store.addDevice("tablet", signedInTo: store.account)
        let otherQueue = SKPaymentQueue(backend: tablet, delivery: .inline)
        let other = Recorder.finishing()
        otherQueue.add(other)
        async let purchase: Void = onThread { queue.add(SKPayment(productIdentifier: "sword")) }
        await onThread {
            gate.waitForArrival()
            otherQueue.add(SKPayment(productIdentifier: "shield"))
            queue.add(SKPayment(productIdentifier: "game"))
        }
        #expect(other.history == whole("shield"))
        gate.open()
        await purchase
        await queue.settle()
        #expect(observer.history(of: "sword") == whole("sword"))
        #expect(observer.history(of: "game") == whole("game") && !observer.hasOverlapped)
    }

    @Test(arguments: Setup.allCases)
    func `B19: News come in while an authorizer takes its time`(setup: Setup) async throws {
        let gate = Gate()
        let authorizer = Authorizer { request in
            if request.productIdentifier == "shield" { return .later }
            gate.pass()
            return .approve
        }
        let store = try setup.store(authorizer)
        let (queue, observer) = setup.observedQueue(on: store)
        let hasHeard = Signal()
        let listener = Listener { if $0 == "shield" { hasHeard.fire() } }
        queue.add(listener)
        await queue.buy("shield")
        async let purchase: Void = onThread { queue.add(SKPayment(productIdentifier: "sword")) }
        await onThread { gate.waitForArrival() }
        let shield = try #require(store.undecidedRequests.first { $0.productIdentifier == "shield" })
        try store.decide(shield.transaction, as: .approve)
        // Before the authorizer has answered.
        await hasHeard.wait()
        withExtendedLifetime(listener) {}
        gate.open()
        await purchase
        await queue.settle()
        #expect(observer.history(of: "shield") == whole("shield"))
        #expect(observer.history(of: "sword") == whole("sword"))
    }

    @Test(arguments: Setup.allCases)
    func `B19: An authorizer may buy once more whenever it is asked, again and again`(setup: Setup) async throws {
        let count = rounds(300, thoroughly: 3_000)
        let left = Locked(count)
        let box = Locked<SKPaymentQueue?>(nil)
        let authorizer = Authorizer { _ in
            let isLast = left.withLock { left in
                left -= 1
                return left == 0
            }
            if !isLast { box.withLock { $0 }?.add(SKPayment(productIdentifier: "sword")) }
            return .approve
        }
        let store = try setup.store(authorizer)
        let (queue, observer) = setup.observedQueue(on: store)
        box.withLock { $0 = queue }
        await queue.buy("sword")
        #expect(left.withLock { $0 } == 0)
        #expect(observer.history.count { $0 == .removed("sword") } == count)
        box.withLock { $0 = nil }
    }

    @Test(arguments: Setup.allCases)
    func `B19: What an authorizer never answers stays purchasing, and settling says so`(setup: Setup) async throws {
        let store = try setup.store(.always(.later))
        let (queue, observer) = setup.observedQueue(on: store)
        queue.add(SKPayment(productIdentifier: "sword"))
        let waiting = await queue.settle()
        #expect(observer.history == [.updated("sword", .purchasing)])
        #expect(waiting.contains { $0.contains("sword") })
        try store.decide(try #require(store.undecidedRequests.first).transaction, as: .approve)
        await queue.settle()
        #expect(observer.history == whole("sword"))
    }

    @Test(arguments: Setup.allCases)
    func `B34: A queue let go in an authorizer's hands is gone, and its purchase is not`(setup: Setup) async throws {
        let box = Locked<SKPaymentQueue?>(nil)
        let authorizer = Authorizer.noting { _ in
            let last = box.withLock { $0.take() }
            withExtendedLifetime(last) {}
        }
        let store = try setup.store(authorizer)
        let observer = Recorder()
        weak var weakQueue: SKPaymentQueue?
        do {
            let queue = SKPaymentQueue(backend: store, delivery: setup.delivery)
            queue.add(observer)
            weakQueue = queue
            box.withLock { $0 = queue }
        }
        box.withLock { $0 }?.add(SKPayment(productIdentifier: "sword"))
        await store.clock.activity.settle()
        #expect(weakQueue == nil)
        #expect(try store.transactions.map(\.state) == [.purchased])
        let heir = Recorder.finishing()
        let next = SKPaymentQueue(backend: store, delivery: .inline)
        next.add(heir)
        await next.settle()
        #expect(heir.history == [.updated("sword", .purchased), .removed("sword")])
    }

    @Test(arguments: Setup.allCases)
    func `B36: A callback may add, finish and restore again and again`(setup: Setup) async throws {
        let count = rounds(1_000, thoroughly: 10_000)
        let store = try setup.store()
        let left = Locked(count)
        let observer = Tireless(left)
        let queue = SKPaymentQueue(backend: store, delivery: setup.delivery)
        queue.add(observer)
        await queue.buy("game")
        #expect(left.withLock { $0 } == 0)
        #expect(observer.restored == count / 1000 && queue.transactions.isEmpty)
    }

    @Test(arguments: Setup.allCases)
    func `B33: With the store out of reach nothing is lost and nothing is sold twice`(setup: Setup) async throws {
        let clock = ManualClock()
        let store = try setup.store(clock: clock)
        let (queue, observer) = setup.observedQueue(on: store, finishes: false)
        await queue.buy("shield")
        store.isReachable = false
        queue.add(SKPayment(productIdentifier: "sword"))
        queue.finishTransaction(try #require(queue.transactions.first))
        await queue.settle()
        #expect(observer.history(of: "sword") == [.updated("sword", .purchasing)])
        store.isReachable = true
        await clock.advance(by: 600)
        await queue.settle()
        #expect(observer.history(of: "sword") == [.updated("sword", .purchasing), .updated("sword", .purchased)])
        #expect(try observer.history(of: "shield") == whole("shield") && store.transactions.count == 2)
    }

    @Test func `B36: A ledger or a clock of a client's is never called with a queue's lock held`() throws {
        let box = Locked<SKPaymentQueue?>(nil)
        let looks = Locked(0)
        let look: @Sendable () -> Void = {
            // Whoever held the lock here would wait for ever.
            guard let queue = box.withLock({ $0 }) else { return }
            _ = queue.transactions
            looks.withLock { $0 += 1 }
        }
        for (ledger, clock) in [
            (CuriousLedger(look), ManualClock() as any StoreClock), (nil, CuriousClock(look)),
        ] as [(CuriousLedger?, any StoreClock)] {
            let store = try SandboxStore(products: [.consumable("sword", price: "1")], clock: clock, ledger: ledger)
            let observer = Recorder.finishing()
            let queue = SKPaymentQueue(backend: store, delivery: .inline)
            queue.add(observer)
            looks.withLock { $0 = 0 }
            box.withLock { $0 = queue }
            queue.add(SKPayment(productIdentifier: "sword"))
            box.withLock { $0 = nil }
            #expect(observer.history == whole("sword"))
            #expect(looks.withLock { $0 } >= 2)
        }
    }

    @Test(arguments: Setup.allCases)
    func `B36: A signer of a client's is never called with a queue's lock held`(setup: Setup) async throws {
        let box = Locked<SKPaymentQueue?>(nil)
        let looks = Locked(0)
        let otherBox = Locked<SKPaymentQueue?>(nil)
        let signer = CuriousSigner {
            guard let queue = box.withLock({ $0 }) else { return }
            _ = queue.transactions
            // Nor with the store's.
            otherBox.withLock { $0 }?.add(SKPayment(productIdentifier: "shield"))
            looks.withLock { $0 += 1 }
        }
        let store = try setup.store()
        store.offerSigners = [signer]
        let (queue, observer) = setup.observedQueue(on: store)
        let other = SKPaymentQueue(backend: try store.addDevice("tablet", signedInTo: store.account), delivery: .inline)
        other.add(observer)
        otherBox.withLock { $0 = other }
        let payment = SKMutablePayment(productIdentifier: "gold")
        payment.paymentDiscount = SKPaymentDiscount(try store.signedOffer("gift", for: "gold"))
        box.withLock { $0 = queue }
        // Alone, and together with others when the store is in reach again.
        queue.add(payment)
        await queue.settle()
        let once = looks.withLock { $0 }
        #expect(once >= 1)
        store.isReachable = false
        queue.add(SKPayment(productIdentifier: "sword"))
        payment.paymentDiscount = SKPaymentDiscount(try store.signedOffer("gift", for: "gold"))
        queue.add(payment)
        await queue.settle()
        store.isReachable = true
        await (store.clock as? ManualClock)?.advance(by: 600)
        await queue.settle()
        #expect(looks.withLock { $0 } > once)
        #expect(observer.history(of: "sword") == whole("sword"))
        #expect(observer.history(of: "gold").count { $0 == .updated("gold", .purchasing) } == 2)
        #expect(try store.transactions.count { $0.productIdentifier == "shield" } == looks.withLock { $0 })
        box.withLock { $0 = nil }
        otherBox.withLock { $0 = nil }
    }
}

/// Hears what has been purchased.
private final class Listener: NSObject, SKPaymentTransactionObserver {
    private let hear: (String) -> Void

    init(_ hear: @escaping (String) -> Void) { self.hear = hear }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            hear(transaction.payment.productIdentifier)
        }
    }
}

/// Buys again whenever something was removed, and restores now and then.
private final class Tireless: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: callbacks never overlap, and the test reads when they are over.
    private let left: Locked<Int>
    private(set) var restored = 0

    init(_ left: Locked<Int>) { self.left = left }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.isDecided { queue.finishTransaction(transaction) }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            let rest = left.withLock { left in
                left -= 1
                return left
            }
            if rest % 1000 == 0 { queue.restoreCompletedTransactions() }
            if rest > 0 { queue.add(SKPayment(productIdentifier: "sword")) }
        }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { restored += 1 }
}
