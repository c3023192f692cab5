import Foundation
import StoreContract
import StoreCore
import StoreKit
import TestSupport
import Testing

@testable import StoreSimulator

/// The course of a life: its launches' ways to the store, its questions, and actions that do not end.
@Suite struct AppCourseTests {
    private static let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]
    private static let hour = AppStep.advance(hours: 1)
    private static let buy = AppStep.action("buy")
    private static let look = AppStep.action("look")

    /// An app that keeps what it buys, and what it was told of.
    private final class Shop: NSObject, SKPaymentTransactionObserver {
        let storage: AppStorage
        private let states: Locked<[SKPaymentTransactionState]>

        init(_ launch: AppLaunch, _ states: Locked<[SKPaymentTransactionState]> = Locked([])) {
            (storage, self.states) = (launch.storage, states)
            super.init()
            SKPaymentQueue.default().add(self)
        }

        var swords: Int { storage["swords", default: [String]()].count }

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions where transaction.transactionState != .purchasing {
                states.withLock { $0.append(transaction.transactionState) }
                if transaction.transactionState == .purchased {
                    let identifier = transaction.transactionIdentifier ?? ""
                    if !storage["swords", default: [String]()].contains(identifier) {
                        storage["swords", default: [String]()].append(identifier)
                    }
                }
                queue.finishTransaction(transaction)
            }
        }
    }

    private static func shop(_ launch: @escaping @Sendable (AppLaunch) -> Shop) -> AppSimulation<Shop> {
        AppSimulation(products: products) { launch($0) }
            .action("buy") { _ in SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword")) }
            .action("look") { _ in }
            .holds("sword") { $0.swords }
    }

    // MARK: - The way to the store

    @Test(arguments: [
        ([look, .relaunch, .kill(after: 300), .relaunch, .user(.pays), look], [true, false, true]),
        ([look, .relaunch, .loseConnection, .relaunch, look], [true, false, true]),
        // What is killed is launched again.
        ([.kill(after: 1), buy, look], [false, true]),
        // A fault that nothing has met stays, and so does a message that is held.
        ([.fault(.drop, at: .productsRequest), .relaunch, look], [false, false]),
        ([.fault(.hold, at: .reply), buy, .relaunch, buy, .release, .relaunch, look], [false, false, true]),
        // Each device has a wire of its own.
        (
            [.useSecondDevice(true), .fault(.drop, at: .productsRequest), .relaunch, .useSecondDevice(false), look],
            [false, false, false, true]
        ),
        ([.fault(.drop, at: .productsRequest), .useSecondDevice(true), look], [false, true]),
    ])
    func `Only a launch that something can disturb asks the store over the wire`(
        steps: [AppStep],
        areDirect: [Bool]
    ) async throws {
        let launches = Locked<[Bool]>([])
        let simulation = Self.shop { launch in
            launches.withLock { $0.append(StoreContext.current.backend is DirectLaunchBackend) }
            return Shop(launch)
        }
        try await simulation.run(seed: 1, steps: steps)
        #expect(launches.withLock { Array($0.prefix(areDirect.count)) } == areDirect)
    }

    @Test(arguments: [[], [AppStep.kill(after: 300)]])
    func `The user answers as they do when they are asked, on either way`(first: [AppStep]) async throws {
        let states = Locked<[SKPaymentTransactionState]>([])
        let steps = first + [Self.buy, .user(.cancels), Self.buy, .user(.pays), Self.buy]
        try await Self.shop { Shop($0, states) }.run(seed: 1, steps: steps)
        #expect(states.withLock { $0 } == [.purchased, .failed, .purchased])
    }

    // MARK: - Questions

    @Test func `Deliveries are asked for after each step in which the app's code has run`() async throws {
        let (asked, checked) = (Locked(0), Locked(0))
        func counts(_ steps: [AppStep], _ simulation: AppSimulation<Shop>) async throws -> [Int] {
            for count in [asked, checked] { count.withLock { $0 = 0 } }
            let counted = simulation.callingInline()
                .holds("sword") { shop in
                    asked.withLock { $0 += 1 }
                    return shop.swords
                }
                .invariant("none") { _ in
                    checked.withLock { $0 += 1 }
                    return true
                }
            try await counted.run(seed: 1, steps: steps)
            return [asked, checked].map { count in count.withLock { $0 } }
        }
        let simulation = Self.shop { Shop($0) }
        let (hour, look) = (Self.hour, Self.look)
        let first = try await counts([hour], simulation)
        #expect(try await counts([hour, hour, hour], simulation) == [first[0], first[1] + 2])
        #expect(try await counts([hour, .refund(0), hour], simulation) == [first[0], first[1] + 2])
        #expect(try await counts([hour, look, hour], simulation) == [first[0] + 1, first[1] + 2])
        #expect(try await counts([hour, .relaunch, hour], simulation) == [first[0] + 1, first[1] + 2])
        #expect(try await counts([hour, look, look], simulation) == [first[0] + 2, first[1] + 2])
        #expect(try await counts([hour, .buyElsewhere("sword"), hour], simulation) == [first[0] + 1, first[1] + 2])

        let sleeper = Self.shop { launch in
            Task { try await Task.sleep(for: .seconds(1.5 * 3_600)) }
            return Shop(launch)
        }
        #expect(try await counts([hour, hour, hour], sleeper)[0] == counts([hour], sleeper)[0] + 1)

        let second = try await counts([.useSecondDevice(true)], simulation)
        let more = try await counts([.useSecondDevice(true), hour, hour], simulation)
        #expect(more == second.map { $0 + 2 })
    }

    @Test func `A purchase that is approved later is paid for from then on`() async throws {
        let steps: [AppStep] = [.askToBuy(true), Self.buy, Self.hour, .buyElsewhere("sword"), .approve(0), Self.look]
        try await Self.shop { Shop($0) }.run(seed: 1, steps: steps)
    }

    /// An app that delivers what it has found when it was asked something.
    private final class Finder: Sendable {
        let storage: AppStorage
        private let found = Locked<[Transaction]>([])

        init(_ launch: AppLaunch) { storage = launch.storage }

        func look() async {
            guard found.withLock({ $0.isEmpty }) else { return }
            for await case .verified(let transaction) in Transaction.all { found.withLock { $0.append(transaction) } }
        }

        func deliver() async {
            for transaction in found.withLock({ $0 }) {
                storage["swords", default: 0] += 1
                await transaction.finish()
            }
        }
    }

    @Test func `What a claim was told of counts when deliveries are asked for again`() async throws {
        try await AppSimulation(products: Self.products) { Finder($0) }
            .action("deliver") { await $0.deliver() }
            .holds("sword") { $0.storage["swords", default: 0] }
            .invariant("none") { finder in
                await finder.look()
                return true
            }
            .run(seed: 1, steps: [.buyElsewhere("sword"), Self.hour, .action("deliver")])
    }

    // MARK: - Contexts

    /// An app that knows the queue of its launch.
    private final class Resident: Sendable {
        let clock: AppClock
        let storage: AppStorage
        private let queue = SKPaymentQueue.default()
        private let visits: Locked<[Bool]>

        init(_ launch: AppLaunch, _ visits: Locked<[Bool]>) {
            (clock, storage, self.visits) = (launch.clock, launch.storage, visits)
        }

        /// Notes whether the calling code has the launch's queue.
        func visit() { visits.withLock { $0.append(SKPaymentQueue.default() === queue) } }
    }

    @Test func `All code of a launch has its context, whatever waits in another`() async throws {
        let visits = Locked<[Bool]>([])
        let simulation = AppSimulation(products: Self.products) { Resident($0, visits) }
            .action("look") { resident in
                resident.visit()
                Task { resident.visit() }
            }
            .action("save") { $0.storage["saved"] = true }
            .action("nap") { resident in
                try await resident.clock.sleep(for: .seconds(1.5 * 3_600))
                resident.visit()
                Task { resident.visit() }
            }
            .invariant("none") { resident in
                resident.visit()
                return true
            }
        let (look, nap, hour) = (Self.look, AppStep.action("nap"), Self.hour)
        func count(_ steps: [AppStep]) async throws -> Int {
            visits.withLock { $0 = [] }
            try await simulation.run(seed: 1, steps: steps)
            #expect(visits.withLock { !$0.contains(false) })
            return visits.withLock { $0.count }
        }
        let none = try await count([])
        #expect(try await count([look, .relaunch, look]) == none + 7)
        // The nap ends in its launch, or when all is over.
        #expect(try await count([nap, look, hour, hour, look]) == none + 11)
        #expect(try await count([nap, .relaunch, hour, hour, look]) == none + 9)
        #expect(try await count([nap, .useSecondDevice(true), look, nap, hour, hour]) > none + 10)
        // What is killed is launched again in the same step.
        #expect(try await count([nap, .kill(after: 1), .action("save"), look, hour, hour]) == none + 9)
    }

    /// An app that listens in a detached task, which has the context of its thread.
    private final class Listener: Sendable {
        let storage: AppStorage

        init(_ launch: AppLaunch, _ events: Locked<[String]> = Locked([]), listensAgain: Bool = false) {
            let (storage, number) = (launch.storage, launch.number)
            self.storage = storage
            events.withLock { $0.append("\(number) begins") }
            Task.detached {
                repeat {
                    for await case .verified(let transaction) in Transaction.updates {
                        let isKnown = storage["swords", default: [UInt64]()].contains(transaction.id)
                        if !isKnown, transaction.revocationDate == nil {
                            storage["swords", default: [UInt64]()].append(transaction.id)
                        }
                        await transaction.finish()
                    }
                    events.withLock { $0.append("\(number) ends") }
                } while listensAgain
            }
        }
    }

    @Test func `What a launch listens to ends before the next begins`() async throws {
        for end in [[AppStep.relaunch], [.useSecondDevice(true)], [.kill(after: 1), .buyElsewhere("sword")]] {
            let events = Locked<[String]>([])
            try await AppSimulation(products: Self.products) { Listener($0, events) }
                .action("look") { _ in events.withLock { $0.append("look") } }
                .holds("sword") { $0.storage["swords", default: [UInt64]()].count }
                .run(seed: 1, steps: end + [Self.hour, Self.look])
            let first = events.withLock { $0.prefix(4) }
            #expect(first == ["0 begins", "0 ends", "1 begins", "look"])
        }
    }

    @Test(arguments: [false, true])
    func `An app that listens in a detached task is right, however it is launched`(listensAgain: Bool) async throws {
        try await AppSimulation(products: Self.products) { Listener($0, listensAgain: listensAgain) }
            .action("look") { _ in }
            .holds("sword") { $0.storage["swords", default: [UInt64]()].count }
            .run(runs: rounds(60, thoroughly: 1_000))
    }

    @Test func `Each of two claims about a product is checked`() async throws {
        let simulation = Self.shop { Shop($0) }
        let wrong = simulation.holds("sword") { $0.swords == 1 ? 0 : $0.swords }
        // Not its shortest part, which only loses something.
        let violation = try await wrong.setup.onThread {
            let steps = [Self.buy, Self.hour, Self.buy]
            return try wrong.setup.violation(seed: 1, steps: steps, RunMonitor(limit: .seconds(60)) { _ in }).0
        }
        let sentence = "2 delivered, for only 1 of the 2 paid for: some again, and others never"
        #expect(violation?.sentence == "sword: \(sentence)")
        let steps = [Self.buy, Self.hour, .refund(0), Self.buy]
        try await simulation.holds("sword") { $0.swords }.run(seed: 1, steps: steps)
    }

    // MARK: - Actions that do not end

    @Test func `An action that cancels its own task cancels nothing else`() async throws {
        let canceled = Locked<[Bool]>([])
        let simulation = AppSimulation(products: Self.products) { $0 }
            .action("cancel") { _ in withUnsafeCurrentTask { $0?.cancel() } }
            .action("look") { _ in canceled.withLock { $0.append(Task.isCancelled) } }
            .invariant("none") { _ in
                canceled.withLock { $0.append(Task.isCancelled) }
                return true
            }
        try await simulation.run(seed: 1, steps: [.action("cancel"), Self.look, .action("cancel")])
        #expect(canceled.withLock { $0.count } >= 5)
        #expect(canceled.withLock { !$0.contains(true) })
    }

    @Test func `A claim that cancels its own task is reported`() async throws {
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await AppSimulation(products: Self.products) { $0 }
                .invariant("none") { _ in
                    withUnsafeCurrentTask { $0?.cancel() }
                    return true
                }
                .run(seed: 1, steps: [])
        }
        #expect(failure?.sentence == "the app cancels the task in which it is asked what it has")
    }

    @Test func `A life ends whose actions and claims wait forever, whatever they do about errors`() async throws {
        let simulation = AppSimulation(products: Self.products) { $0 }
            .action("poll") { launch in while true { try? await launch.clock.sleep(for: .seconds(60)) } }
            .action("nap") { _ in while true { try? await Task.sleep(for: .seconds(60)) } }
            .action("listen") { _ in for await _ in Transaction.updates {} }
            .action("listen on") { _ in while true { for await _ in Transaction.updates {} } }
            .invariant("none") { _ in true }
        for name in ["poll", "nap", "listen", "listen on"] {
            try await simulation.run(seed: 1, steps: [.action(name), .relaunch, Self.hour, .action(name)])
        }
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await AppSimulation(products: Self.products) { $0 }
                .invariant("is ready") { launch in
                    while true { try? await launch.clock.sleep(for: .seconds(60)) }
                }
                .run(seed: 1, steps: [])
        }
        #expect(failure?.sentence == "the app does not answer what it has")
    }

    @Test func `Tasks without end, begun by an action that waits, are reported at its step`() async throws {
        @Sendable func fork() {
            Task {
                fork()
                fork()
            }
        }
        let simulation = AppSimulation(products: Self.products) { $0 }
            .action("fork") { launch in
                fork()
                try await launch.clock.sleep(for: .seconds(3_600))
            }
            .action("look") { _ in }
            .invariant("none") { _ in true }
        let violation = try await simulation.setup.onThread {
            let steps = [Self.look, .action("fork"), Self.look]
            return try simulation.setup.violation(seed: 1, steps: steps, RunMonitor(limit: .seconds(60)) { _ in }).0
        }
        #expect(violation?.sentence == "the app never comes to rest")
        #expect(violation?.step == 1)
    }
}
