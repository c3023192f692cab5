import Foundation
import StoreCore
import StoreKit
import StoreSimulator
import Testing

/// What becomes of an app's code when its process ends, and when it goes on for long.
@Suite struct AppProcessTests {
    private static let sword = [SandboxProduct.consumable("sword", price: "0.99")]

    @Test func `A kill while the app is asked is none of the app's doing`() async throws {
        let simulation = AppSimulation(products: Self.sword) { $0 }
            .invariant("asks the store") { _ in
                for await _ in Transaction.all {}
                return true
            }
        for count in 1...8 { try await simulation.run(seed: 1, steps: [.kill(after: count), .advance(hours: 1)]) }
    }

    @Test(arguments: [true, false])
    func `An app that does something now and then comes to rest in between`(usesClock: Bool) async throws {
        let rounds = Locked(0)
        let simulation = AppSimulation(products: Self.sword) { launch in
            Task {
                for round in 0... {
                    try await usesClock ? launch.clock.sleep(for: .seconds(60)) : Task.sleep(for: .seconds(60))
                    rounds.withLock { $0 += 1 }
                    if round.isMultiple(of: 15) { for await _ in Transaction.currentEntitlements {} }
                }
            }
        }
        .invariant("none") { _ in true }
        try await simulation.run(seed: 1, steps: [.relaunch, .advance(hours: 240), .relaunch, .advance(hours: 1)])
        #expect(rounds.withLock { $0 } > 14_000)
    }

    @Test(arguments: [true, false])
    func `What sleeps when its process ends does nothing in the next`(usesClock: Bool) async throws {
        let simulation = AppSimulation(products: Self.sword) { launch in
            Task.detached {
                while true {
                    try await usesClock ? launch.clock.sleep(for: .seconds(5)) : Task.sleep(for: .seconds(5))
                    for await case .verified(let transaction) in Transaction.unfinished {
                        launch.storage["swords", default: Set<UInt64>()].insert(transaction.id)
                        await transaction.finish()
                    }
                }
            }
            return launch.storage
        }
        .holds("sword") { $0["swords", default: Set<UInt64>()].count }
        .without(.signIn)
        try await simulation.run(seed: 1, steps: [.relaunch, .buyElsewhere("sword"), .advance(hours: 1)])
    }

    /// Requests that begin again when they fail, on the main actor.
    @MainActor private final class Retrying: NSObject, SKProductsRequestDelegate {
        private static var kept: [Retrying] = []

        func begin() {
            Self.kept = [self]
            let request = SKProductsRequest(productIdentifiers: ["sword"])
            request.delegate = self
            request.start()
        }

        nonisolated func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {}

        nonisolated func request(_ request: SKRequest, didFailWithError error: any Error) {
            MainActor.assumeIsolated { begin() }
        }
    }

    @Test(arguments: [true, false])
    func `What asks again and again when its process has ended does not go on forever`(isInline: Bool) async throws {
        let simulation = AppSimulation(products: Self.sword) { launch in
            Task.detached {
                try? await Task.sleep(for: .seconds(60))
                await Retrying().begin()
            }
            return launch
        }
        .invariant("none") { _ in true }
        try await (isInline ? simulation.callingInline() : simulation)
            .run(seed: 1, steps: [.relaunch, .advance(hours: 1), .relaunch])
    }

    @Test(arguments: [true, false])
    func `A sleep of no length is over at once`(usesClock: Bool) async throws {
        let simulation = AppSimulation(products: Self.sword) { $0 }
            .action("wait") { launch in
                for seconds in [0, -1] {
                    try await usesClock
                        ? launch.clock.sleep(until: launch.clock.now.advanced(by: .seconds(seconds)))
                        : Task.sleep(for: .seconds(seconds))
                }
                launch.storage["waited"] = true
            }
            .action("look") { launch in launch.storage["seen"] = launch.storage["waited", default: false] }
            .invariant("is over when the next step comes") { $0.storage["seen", default: true] }
        try await simulation.run(seed: 1, steps: [.action("wait"), .action("look")])
    }

    /// An app that counts itself.
    private final class Counted: Sendable {
        static func simulation(_ living: Locked<Int>, listens: Bool) -> AppSimulation<Counted> {
            AppSimulation(products: AppProcessTests.sword) { Counted($0, living, listens: listens) }
                .action("buy") { app in
                    guard let product = try await Product.products(for: ["sword"]).first else { return }
                    let result = try await product.purchase()
                    app.living.withLock { _ in _ = result }
                }
                .action("wait") { app in
                    try await app.launch.clock.sleep(for: .seconds(86_400))
                    app.living.withLock { _ in }
                }
                .action("buy detached") { app in
                    Task.detached {
                        guard let product = try? await Product.products(for: ["sword"]).first else { return }
                        let result = try? await product.purchase()
                        app.living.withLock { _ in _ = result }
                    }
                }
                .action("listen detached") { app in
                    Task.detached {
                        _ = try? await Product.products(for: ["sword"])
                        for _ in 0..<2 { for await _ in Transaction.updates {} }
                        app.living.withLock { _ in }
                    }
                }
                .action("finish detached") { app in
                    Task.detached {
                        for await case .verified(let transaction) in Transaction.unfinished {
                            await transaction.finish()
                        }
                        try? await app.launch.clock.sleep(for: .seconds(60))
                        app.living.withLock { _ in }
                    }
                }
                .invariant("none") { _ in true }
        }

        let launch: AppLaunch
        let living: Locked<Int>

        init(_ launch: AppLaunch, _ living: Locked<Int>, listens: Bool) {
            (self.launch, self.living) = (launch, living)
            living.withLock { $0 += 1 }
            guard listens else { return }
            Task { for await result in Transaction.updates { await result.unsafePayloadValue.finish() } }
        }

        deinit { living.withLock { $0 -= 1 } }
    }

    @Test func `Nothing is left of an app once its life is over`() async throws {
        let living = Locked(0)
        try await Counted.simulation(living, listens: true).run(runs: 30)
        for steps in [
            [AppStep.askToBuy(true), .action("buy")], [.kill(after: 3), .action("buy")], [.action("wait"), .relaunch],
            [.user(.hesitates), .action("buy"), .relaunch, .action("wait")],
            [.user(.hesitates), .action("buy detached"), .relaunch], [.kill(after: 12), .action("buy detached")],
            [.action("listen detached"), .relaunch], [.kill(after: 3), .action("listen detached")],
            [.buyElsewhere("sword"), .action("finish detached"), .relaunch],
        ] + (1...12).map({ [AppStep.buyElsewhere("sword"), .kill(after: $0), .action("finish detached")] }) {
            try await Counted.simulation(living, listens: true).run(seed: 1, steps: steps)
            do {
                try await Counted.simulation(living, listens: false).run(seed: 1, steps: steps)
            } catch let failure as AppSimulationFailure {
                // It finishes none by itself.
                #expect(failure.sentence == "a transaction of sword is paid for and never finished")
            }
        }
        #expect(living.withLock { $0 } == 0)
    }
}
