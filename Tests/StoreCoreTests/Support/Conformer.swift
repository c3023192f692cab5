import Foundation
import StoreCore
import TestSupport
import Testing

/// The stores that every test of the queue is run against.
enum Conformer: String, CaseIterable, CustomTestStringConvertible {
    /// The sandbox, which answers on the caller's thread.
    case inProcess
    /// The sandbox behind `async` functions, which answers from tasks.
    case onTasks

    var testDescription: String { rawValue }

    /// A store with the products of ``World/products``.
    func world(
        authorizer: Authorizer = .approving,
        ledger: any Ledger = MemoryLedger(),
        products: [SandboxProduct] = World.products
    ) throws -> World {
        let clock = ManualClock()
        let store = try SandboxStore(
            products: products,
            clock: clock,
            ledger: ledger,
            locale: "en_US",
            authorizer: authorizer,
            isNewsstandApp: true
        )
        let backend: any StoreBackend =
            switch self {
            case .inProcess: store
            case .onTasks: SandboxOnTasks(store, knowsProducts: false)
            }
        return World(store: store, backend: backend, clock: clock)
    }
}

/// A store, and how queues reach it.
struct World: Sendable {
    let store: SandboxStore
    let backend: any StoreBackend
    let clock: ManualClock

    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99", title: "Sword", description: "Sharp."),
        .consumable("shield", price: "1.99", title: "Shield", description: "Round."),
        .consumable("spear", price: "2.99", title: "Spear", description: "Long."),
        .nonConsumable("full.game", price: "4.99", title: "Full game", description: "Every level, for good."),
        .autoRenewable("pro.monthly", price: "9.99", period: .init(1, .month), group: "pro", title: "Pro"),
        .nonRenewing("lessons", price: "19.99", title: "Lessons"),
        .freeSubscription("magazine", title: "Magazine"),
    ]

    /// A queue on this store, which delivers inline unless told otherwise.
    func queue(
        journal: (any QueueJournal)? = nil,
        delivery: StoreDelivery = .inline,
        log: StoreLog = .silent
    ) -> SKPaymentQueue {
        SKPaymentQueue(backend: backend, journal: journal, delivery: delivery, log: log)
    }

    /// A queue with an observer, settled.
    func observedQueue(
        _ observer: any SKPaymentTransactionObserver,
        journal: (any QueueJournal)? = nil,
        delivery: StoreDelivery = .inline,
        log: StoreLog = .silent
    ) async -> SKPaymentQueue {
        let queue = queue(journal: journal, delivery: delivery, log: log)
        queue.add(observer)
        await queue.settle()
        return queue
    }

    /// A queue with an observer that only records, settled.
    func observedQueue() async -> (SKPaymentQueue, Recorder) {
        let recorder = Recorder()
        return (await observedQueue(recorder), recorder)
    }

    /// Buys something and finishes it, on a queue of its own.
    func buyAndFinish(_ products: String...) async {
        let observer = Recorder.finishing()
        let queue = await observedQueue(observer)
        for product in products { await queue.buy(product) }
        queue.remove(observer)
        await queue.settle()
    }

    /// Moves the clock.
    ///
    /// On a thread of its own: it waits for everything to settle on the way, and tasks need theirs for that.
    func advance(by seconds: TimeInterval) async { await onThread { [clock] in clock.advance(by: seconds) } }
}

extension SKPaymentQueue {
    /// Returns a queue of a backend that delivers inline and logs nothing, with an observer.
    static func observed(
        by observer: any SKPaymentTransactionObserver,
        on backend: any StoreBackend,
        journal: (any QueueJournal)? = nil
    ) -> SKPaymentQueue {
        let queue = SKPaymentQueue(backend: backend, journal: journal, delivery: .inline, log: .silent)
        queue.add(observer)
        return queue
    }

    /// Orders a product and settles.
    func buy(_ product: String) async {
        add(SKPayment(productIdentifier: product))
        await settle()
    }

    /// Restores purchases and settles.
    func restore() async {
        restoreCompletedTransactions()
        await settle()
    }
}
