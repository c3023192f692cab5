import Foundation
import StoreCore
import StoreKit
import StoreSimulator
import TestSupport
import Testing

/// Threads of the app's own, and tasks that a life leaves behind.
///
/// The tests have a process to themselves, where no other asks for a store.
@Suite(.promptly) struct AppThreadTests {
    private static let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]

    private static func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

    /// Runs a body on a thread, and waits for its end.
    private static func onThread(_ body: @escaping @Sendable () -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        Thread {
            body()
            isDone.signal()
        }
        .start()
        wait(for: isDone)
    }

    @Test func `A purchase on a thread of the app's own reaches the process's store, which a failure says`() async {
        await #expect(processExitsWith: .success) {
            let reached = Locked(0)
            let simulation = AppSimulation(products: Self.products) { $0 }
                .action("buy") { _ in
                    Self.onThread { SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword")) }
                }
                .action("look") { _ in
                    // On the launch's thread it is the launch's.
                    if SKPaymentQueue.default().transactions.isEmpty { reached.withLock { $0 += 1 } }
                }
                .without(.signIn, .elsewhere, .family, .promotion)
            let strict = simulation.invariant("a sword is bought") { _ in false }
            let found = await #expect(throws: AppSimulationFailure.self) {
                try await strict.run(seed: 1, steps: [.action("look")])
            }
            #expect(found != nil && found?.hint == nil)
            let told = await #expect(throws: AppSimulationFailure.self) {
                try await strict.beginning(with: [.action("buy")]).run(runs: 1, steps: 1)
            }
            #expect(told?.sentence == "the app breaks its own rule: a sword is bought")
            #expect(told?.hint?.contains("threads that belong to no launch") == true)

            let lenient = simulation.invariant("none") { _ in true }
            let report = try await lenient.beginning(with: [.action("buy")]).without(.action).run(runs: 1)
            #expect(report.hint?.contains("to Store Kit meanwhile came from threads that belong to no launch") == true)
            let clean = try await lenient.without(.action).run(runs: 1)
            #expect(clean.hint == nil)
            // Nobody counts where nothing is simulated.
            Self.onThread { _ = SKPaymentQueue.default() }
            #expect(reached.withLock { $0 } > 0)
        }
    }

    @Test func `A detached task that another thread resumes goes on with the process's store`() async {
        await #expect(processExitsWith: .success) {
            let (answer, reached) = (Locked<CheckedContinuation<Void, Never>?>(nil), Locked(0))
            let isDone = DispatchSemaphore(value: 0)
            let simulation = AppSimulation(products: Self.products) { $0 }
                .action("download") { _ in
                    Task.detached {
                        await withCheckedContinuation { continuation in answer.withLock { $0 = continuation } }
                        if StoreContext.current === StoreContext.process { reached.withLock { $0 += 1 } }
                        isDone.signal()
                    }
                }
                .action("wait") { _ in
                    guard let answer = answer.withLock({ $0 }) else { return }
                    Self.onThread { answer.resume() }
                    Self.wait(for: isDone)
                }
                .invariant("none") { _ in true }
            try await simulation.run(seed: 1, steps: [.action("download"), .action("wait")])
            #expect(reached.withLock { $0 } == 1)
        }
    }

    @Test func `A listener that a life leaves behind never reaches the process's store`() async {
        await #expect(processExitsWith: .success) {
            let reached = Locked(0)
            let simulation = AppSimulation(products: Self.products) { launch in
                Task.detached {
                    while true {
                        if StoreContext.current === StoreContext.process { reached.withLock { $0 += 1 } }
                        for await case .verified(let transaction) in Transaction.updates { await transaction.finish() }
                    }
                }
                return launch
            }
            .invariant("none") { _ in true }
            for seed in 1...100 as ClosedRange<UInt64> {
                try await simulation.run(seed: seed, steps: [.buyElsewhere("sword"), .relaunch])
            }
            let store = try SandboxStore(products: Self.products)
            StoreContext.process.use(store)
            try store.account.buy("sword")
            await StoreContext.process.settle()
            let states = try store.transactions.map(\.isFinished)
            #expect(states == [false])
            #expect(reached.withLock { $0 } == 0)
        }
    }
}
