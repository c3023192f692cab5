import Foundation
import StoreCore
import StoreSimulator

extension Figure {
    static let simulatorOverhead = Figure(
        name: "simulator.overhead",
        summary: "a life of forty steps and its end under the simulation, beside the same acts in a test without it",
        unit: "ns/step",
        limit: 2
    ) {
        Cases(
            floor: { try await SimulatorOverhead.sample { try SimulatorOverhead.liveAlone() } },
            value: { try await SimulatorOverhead.sample { try await SimulatorOverhead.simulate() } }
        )
    }
}

private enum SimulatorOverhead {
    static let sword = "sword"
    static let products: [SandboxProduct] = [.consumable(sword, price: "0.99")]
    static let lives = 500
    /// An hour of buying here and elsewhere, a refund, a day and another launch, five times.
    static let steps: [AppStep] = Array(
        repeatElement(
            [
                .action("buy sword"), .action("buy sword"), .buyElsewhere(sword), .action("buy sword"),
                .advance(hours: 1),
                .refund(0), .advance(hours: 23), .relaunch,
            ],
            count: 5
        )
        .joined()
    )

    @concurrent static func sample(_ live: @Sendable () async throws -> Void) async throws -> Sample {
        let time = try await Stopwatch.nanoseconds { for _ in 0..<lives { try await live() } }
        return Sample(value: time / Double(lives * steps.count))
    }

    static func simulate() async throws {
        try await AppSimulation(products: products) { Armory($0.storage) }
            .action("buy sword") { $0.buy() }
            .holds(sword) { $0.swords }
            .callingInline()
            .run(seed: 1, steps: steps)
    }

    /// Takes the steps, compares what was delivered with what was paid for after each, and launches the app at the end for
    /// one user and for the other, as a simulation does.
    static func liveAlone() throws {
        let clock = ManualClock()
        let store = try SandboxStore(products: products, clock: clock)
        let shelf = Shelf()
        var launch = Launch(store, shelf)
        for step in steps {
            switch step {
            case .action: launch.context.run { launch.armory.buy() }
            case .buyElsewhere(let product): try store.account.buy(product)
            case .advance(let hours): clock.advance(by: TimeInterval(hours) * 3_600)
            case .refund:
                let sold = try store.transactions.first { $0.state == .purchased && $0.cancellationDate == nil }
                if let sold { try store.refund(sold.id) }
            case .relaunch: launch = Launch(store, shelf)
            default: break
            }
            try check(launch, store)
        }
        for account in [try store.addAccount("other"), store.account] {
            try store.device.signIn(to: account)
            for _ in 0..<3 { launch = Launch(store, shelf) }
            try check(launch, store)
        }
    }

    private static func check(_ launch: Launch, _ store: SandboxStore) throws {
        let paid = try store.transactions.reduce(0) { $0 + $1.quantity }
        try WrongCount.check(launch.armory.swords, of: paid, "swords were delivered")
    }

    private struct Launch {
        let context: StoreContext
        let armory: Armory

        init(_ store: SandboxStore, _ shelf: Shelf) {
            let context = StoreContext(backend: store, delivery: .inline)
            self.context = context
            armory = context.run { Armory(shelf) }
        }
    }
}

/// What an app keeps.
private protocol Storage: AnyObject {
    var delivered: [String: Int] { get set }
}

private final class Shelf: Storage {
    var delivered: [String: Int] = [:]
}

extension AppStorage: Storage {
    fileprivate var delivered: [String: Int] {
        get { self["delivered", default: [:]] }
        set { self["delivered"] = newValue }
    }
}

/// A right shop.
private final class Armory: NSObject, SKPaymentTransactionObserver {
    private let storage: any Storage

    init(_ storage: any Storage) {
        self.storage = storage
        super.init()
        SKPaymentQueue.default().add(self)
    }

    var swords: Int { storage.delivered.values.reduce(0, +) }

    func buy() { SKPaymentQueue.default().add(SKPayment(productIdentifier: SimulatorOverhead.sword)) }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased:
                storage.delivered[transaction.transactionIdentifier ?? ""] = transaction.payment.quantity
                queue.finishTransaction(transaction)
            case .failed, .restored: queue.finishTransaction(transaction)
            case .purchasing, .deferred: break
            @unknown default: break
            }
        }
    }
}
