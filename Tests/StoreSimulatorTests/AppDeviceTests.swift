import StoreCore
import StoreKit
import StoreSimulator
import Testing

/// The user's second device.
@Suite struct AppDeviceTests {
    private static let sword: SandboxProduct = .consumable("sword", price: "0.99")

    @Test func `An app keeps something of its own on each device`() async throws {
        let seen = Locked<[String]>([])
        let simulation = AppSimulation<AppLaunch>(products: [Self.sword]) { launch in
            seen.withLock { $0.append("\(launch.number) \(launch.storage["text", default: "none"])") }
            return launch
        }
        .action("write") { $0.storage["text"] = "written in launch \($0.number)" }
        .invariant("none") { _ in true }
        .without(.signIn)
        let steps: [AppStep] = [
            .action("write"), .useSecondDevice(true), .useSecondDevice(true), .action("write"), .relaunch,
            .useSecondDevice(false), .useSecondDevice(true),
        ]
        try await simulation.run(seed: 1, steps: steps)
        let expected = ["0 none", "1 none", "2 written in launch 1", "3 written in launch 0", "4 written in launch 1"]
        #expect(Array(seen.withLock { $0 }.prefix(5)) == expected)
    }

    /// An app that gives access to what it was told of on this device.
    private final class Keeper: Sendable {
        let storage: AppStorage

        init(_ launch: AppLaunch) {
            let storage = launch.storage
            self.storage = storage
            Task {
                for await result in Transaction.updates {
                    storage["owned"] = result.unsafePayloadValue.productID
                    await result.unsafePayloadValue.finish()
                }
            }
        }
    }

    @Test func `Access has to be given on both devices`() async throws {
        let simulation = AppSimulation(products: [.nonConsumable("game", price: "4.99")]) { Keeper($0) }
            .allows("game") { $0.storage["owned", default: ""] == "game" }
            .without(.signIn)
        try await simulation.run(seed: 1, steps: [.buyElsewhere("game"), .useSecondDevice(false)])
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await simulation.run(seed: 1, steps: [.buyElsewhere("game"), .useSecondDevice(true)])
        }
        #expect(failure?.sentence == "game: the user is entitled to it, and has no access")
        #expect(failure?.steps == [.buyElsewhere("game"), .useSecondDevice(true)])
        let asking = AppSimulation(products: Armory.products) { await Armory($0) }
            .allows("game") { await $0.has("game") }
        try await asking.run(seed: 1, steps: [.buyElsewhere("game"), .useSecondDevice(true)])
    }

    /// An app that delivers what its launch takes from updates, and from the history.
    private final class Deliverer: Sendable {
        let storage: AppStorage

        init(_ launch: AppLaunch, readsHistory: Bool, delivers: @escaping @Sendable (Int) -> Bool) {
            let (storage, number) = (launch.storage, launch.number)
            self.storage = storage
            Task {
                for await result in Transaction.updates {
                    let transaction = result.unsafePayloadValue
                    if delivers(number) { storage["delivered", default: [UInt64: Int]()][transaction.id] = 1 }
                    await transaction.finish()
                }
            }
            guard readsHistory else { return }
            StoreContext.current.includesFinishedConsumables = true
            Task {
                for await result in Transaction.all {
                    storage["delivered", default: [UInt64: Int]()][result.unsafePayloadValue.id] = 1
                }
            }
        }

        var delivered: [UInt64: Int] { storage["delivered", default: [:]] }

        static func sentences(
            _ steps: [AppStep],
            readsHistory: Bool = false,
            delivers: @escaping @Sendable (Int) -> Bool = { _ in true }
        ) async throws -> [String] {
            let simulation = AppSimulation(products: [AppDeviceTests.sword]) {
                Deliverer($0, readsHistory: readsHistory, delivers: delivers)
            }
            .without(.signIn)
            var sentences: [String] = []
            for claimed in [
                simulation.holds("sword") { $0.delivered.count }, simulation.delivers("sword") { $0.delivered },
            ] {
                do {
                    try await claimed.run(seed: 1, steps: steps)
                    sentences.append("")
                } catch let failure as AppSimulationFailure { sentences.append(failure.sentence) }
            }
            return sentences
        }
    }

    @Test func `A consumable is delivered on the device that is told of it, and on no other`() async throws {
        let steps: [AppStep] = [.buyElsewhere("sword"), .useSecondDevice(true), .buyElsewhere("sword")]
        #expect(try await Deliverer.sentences(steps) == ["", ""])
        #expect(try await Deliverer.sentences(steps + [.useSecondDevice(false), .refund(0)]) == ["", ""])
        #expect(
            try await Deliverer.sentences(steps, readsHistory: true) == [
                "sword: 1 delivered, and only 0 paid for on this device",
                "sword: 1 delivered for transaction 1, which was finished on another device",
            ]
        )
    }

    @Test func `What waits on one device may be delivered on the other`() async throws {
        let steps: [AppStep] = [.reachable(false), .buyElsewhere("sword"), .useSecondDevice(true)]
        #expect(try await Deliverer.sentences(steps) == ["", ""])
        // The launch on the second device takes it, and the last one on the first hears of nothing.
        #expect(
            try await Deliverer.sentences(steps, delivers: { $0 != 1 }) == [
                "sword: 1 paid for, and only 0 delivered on both devices",
                "sword: 1 paid for in transaction 1, and not delivered on either device",
            ]
        )
    }

    @Test func `Restoring brings what was bought on the other device`() async throws {
        let restored = Locked<[String]>([])
        let simulation = AppSimulation(products: [.nonConsumable("game", price: "4.99")]) { _ in
            Restorer { name in restored.withLock { $0.append(name) } }
        }
        .action("buy") { _ in SKPaymentQueue.default().add(SKPayment(productIdentifier: "game")) }
        .action("restore") { _ in SKPaymentQueue.default().restoreCompletedTransactions() }
        .invariant("none") { _ in true }
        .without(.signIn)
        try await simulation.run(seed: 1, steps: [.action("buy"), .useSecondDevice(true), .action("restore")])
        #expect(restored.withLock { $0 } == ["purchased game", "restored game"])
    }

    private final class Restorer: NSObject, SKPaymentTransactionObserver {
        private let note: @Sendable (String) -> Void

        init(_ note: @escaping @Sendable (String) -> Void) {
            self.note = note
            super.init()
            SKPaymentQueue.default().add(self)
        }

        deinit { SKPaymentQueue.default().remove(self) }

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions {
                switch transaction.transactionState {
                case .purchased: note("purchased \(transaction.payment.productIdentifier)")
                case .restored: note("restored \(transaction.payment.productIdentifier)")
                default: continue
                }
                queue.finishTransaction(transaction)
            }
        }
    }
}
