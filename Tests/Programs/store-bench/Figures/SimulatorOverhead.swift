import Foundation
import StoreCore
import StoreSimulator

extension Figure {
    static let simulatorOverhead = Figure(
        name: "simulator.overhead",
        summary: "a life of forty steps and its end under the simulation, beside the same steps alone",
        unit: "ns/step",
        limit: 2
    ) {
        Cases(
            floor: {
                try await SimulatorOverhead.sample {
                    for _ in 0..<SimulatorOverhead.lives { try SimulatorOverhead.liveAlone() }
                }
            },
            value: {
                try await SimulatorOverhead.sample { try await SimulatorOverhead.simulate(SimulatorOverhead.lives) }
            }
        )
    }
}

enum SimulatorOverhead {
    fileprivate static let sword = "sword"
    private static let products: [SandboxProduct] = [.consumable(sword, price: "0.99")]
    fileprivate static let lives = 500
    /// An hour of buying here and elsewhere, a refund, a day and another launch, five times.
    fileprivate static let steps: [AppStep] = Array(
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

    @concurrent fileprivate static func sample(_ live: @Sendable () async throws -> Void) async throws -> Sample {
        let time = try await Stopwatch.nanoseconds { try await live() }
        return Sample(value: time / Double(lives * steps.count))
    }

    /// Lives some lives in one run, as a test does, with one user and on one thread, as without the simulation.
    ///
    /// - Returns: the number of their steps.
    @discardableResult
    static func simulate(_ lives: Int) async throws -> Int {
        var simulation = AppSimulation(products: products) { Armory($0.storage) }
            .action("buy sword") { $0.buy() }
            .holds(sword) { $0.swords }
            .callingInline()
            .beginning(with: steps)
        // Nothing is drawn.
        for kind in AppStep.Kind.allCases { simulation = simulation.without(kind) }
        let report = try await simulation.run(runs: lives, jobs: 1)
        try WrongCount.check(report.steps, of: lives * steps.count, "steps were taken")
        return report.steps
    }

    /// Takes the steps, and nothing else that a simulation does: no comparison after each, and no launches at the end.
    fileprivate static func liveAlone() throws {
        let clock = ManualClock()
        let store = try SandboxStore(products: products, clock: clock)
        let shelf = Shelf()
        var launch = Launch(store, shelf)
        var (bought, refunded) = (0, Set<String>())
        for step in steps {
            switch step {
            case .action:
                launch.context.run { launch.armory.buy() }
                bought += 1
            case .buyElsewhere(let product):
                try store.account.buy(product)
                bought += 1
            case .advance(let hours): clock.advance(by: TimeInterval(hours) * 3_600)
            case .refund:
                let sold = shelf.delivered.keys.first { !refunded.contains($0) }
                if let sold {
                    refunded.insert(sold)
                    try store.refund(sold)
                }
            case .relaunch: launch = Launch(store, shelf)
            default: break
            }
        }
        try WrongCount.check(launch.armory.swords, of: bought, "swords were delivered")
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
