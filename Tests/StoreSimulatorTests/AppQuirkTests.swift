import Foundation
import StoreCore
import StoreKit
import TestSupport
import Testing

@testable import StoreSimulator

@Suite struct AppQuirkTests {
    private static let pro = [
        SandboxProduct.autoRenewable("pro", price: "9.99", period: .init(1, .month), group: "club", level: 1)
    ]

    /// An app that orders the subscription again and again, by the first Store Kit.
    private final class Subscriber: NSObject, SKPaymentTransactionObserver {
        private let storage: AppStorage

        init(_ launch: AppLaunch, ordersAtLaunch: Bool = false) {
            storage = launch.storage
            super.init()
            SKPaymentQueue.default().add(self)
            if ordersAtLaunch { order() }
        }

        deinit { SKPaymentQueue.default().remove(self) }

        var hasFailed: Bool { storage["failed", default: false] }

        func order() { SKPaymentQueue.default().add(SKPayment(productIdentifier: "pro")) }

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions {
                if transaction.transactionState == .failed { storage["failed"] = true }
                switch transaction.transactionState {
                case .purchased, .failed, .restored: queue.finishTransaction(transaction)
                default: break
                }
            }
        }
    }

    private static let subscriber = AppSimulation(products: pro) { Subscriber($0) }
        .action("order") { $0.order() }
        .invariant("no order fails") { !$0.hasFailed }

    @Test func `Quirks are drawn only when asked for`() async throws {
        let idle = AppSimulation(products: Self.pro) { $0 }.action("look") { _ in }.invariant("none") { _ in true }
            .without(.elsewhere, .promotion)
        #expect(try await idle.run(runs: 20).count(of: .quirk) == 0)
        #expect(try await idle.withQuirks().run(runs: 20).count(of: .quirk) > 0)
        #expect(try await idle.withQuirks().without(.quirk).run(runs: 20).count(of: .quirk) == 0)
        var generator = AppStepGenerator(idle.withQuirks(.listsLate, .interruptedFails).setup.choices, seed: 1)
        var drawn: Set<StoreQuirk> = []
        for case .quirk(let quirk, _) in generator.steps(1_000) { drawn.insert(quirk) }
        #expect(drawn == [StoreQuirk(.listsLate), .interruptedFails])
    }

    @Test func `All quirks are drawn that an app can meet with the products`() throws {
        func kinds(_ products: [SandboxProduct]) -> Set<StoreQuirk.Kind> {
            Set(AppSimulation(products: products) { $0 }.withQuirks().setup.choices.quirks)
        }
        let elsewhere: Set<StoreQuirk.Kind> =
            [.keepsErrors, .badRequestIsFinal, .notifiesTwice, .notifiesOutOfOrder, .notifiesLate]
        #expect(kinds(Self.pro) == Set(StoreQuirk.Kind.allCases).subtracting(elsewhere))
        let sword = kinds([.consumable("sword", price: "0.99")])
        #expect(sword.contains(.listsLate) && sword.contains(.declinedArrives))
        #expect(!sword.contains(.expiresForAMoment) && sword.isStrictSubset(of: kinds(Self.pro)))
    }

    @Test func `A quirk that no app can meet is refused`() async throws {
        await #expect(throws: AppSimulationError.unfitQuirk(.notifiesTwice)) {
            try await Self.subscriber.withQuirks(.listsLate, .notifiesTwice).run(runs: 1)
        }
        await #expect(throws: AppSimulationError.unfitQuirk(.expiresForAMoment)) {
            let products: [SandboxProduct] = [.consumable("sword", price: "0.99")]
            try await AppSimulation(products: products) { $0 }.invariant("none") { _ in true }
                .withQuirks(.expiresForAMoment).run(runs: 1)
        }
        await #expect(throws: AppSimulationError.unfitQuirk(.keepsErrors)) {
            try await Self.subscriber.run(seed: 1, steps: [.quirk(.keepsErrors, true)])
        }
    }

    @Test func `A failure names the quirk that it needs, and no other`() async throws {
        let failure = await #expect(throws: AppSimulationFailure.self) {
            try await Self.subscriber.withQuirks(.listsLate, .repeatedSubscriptionFails)
                .without(.failure, .user, .kill, .wire, .connection, .askToBuy, .renewal, .billing, .interruption)
                .run(runs: 100)
        }
        let found = try #require(failure)
        let quirk = AppStep.quirk(.repeatedSubscriptionFails, true)
        #expect(found.steps.filter { $0.kind == .quirk } == [quirk])
        #expect(found.steps.count == 3)
        let kind = StoreQuirk.Kind.repeatedSubscriptionFails
        let sentence =
            "with the quirk repeated-subscription-fails: \(kind.sentence) (seen on App Store; \(kind.source))"
        #expect(found.description.contains("\n\(sentence)\n"))
        #expect(!found.description.contains("lists-late"))
        #expect(found.scenario.contains("\nquirk repeated-subscription-fails on\n"))
    }

    @Test func `A quirk ends when a step says so, and at the end of the life`() async throws {
        let simulation = AppSimulation(products: Self.pro) { Subscriber($0, ordersAtLaunch: true) }
            .invariant("no order fails") { !$0.hasFailed }
        let on = AppStep.quirk(.repeatedSubscriptionFails, true)
        let off = AppStep.quirk(.repeatedSubscriptionFails, false)
        // At its end, a life is launched again.
        try await simulation.run(seed: 1, steps: [on])
        try await simulation.run(seed: 1, steps: [on, off, .relaunch])
        await #expect(throws: AppSimulationFailure.self) { try await simulation.run(seed: 1, steps: [on, .relaunch]) }
    }

    // MARK: Access that is never denied

    @Test func `An app that asks for the entitlements never denies them`() async throws {
        try await Armory.simulation.neverDenies("game") { await $0.has("game") }
            .neverDenies("pro") { await $0.has("pro") }
            .run(runs: rounds(40, thoroughly: 5_000))
    }

    /// An app that remembers until when its user has paid.
    @MainActor private final class Club {
        private let launch: AppLaunch
        private let delay: Duration
        private var updates: Task<Void, Never>?

        init(_ launch: AppLaunch, delay: Duration = .zero) {
            (self.launch, self.delay) = (launch, delay)
            updates = Task { [weak self] in
                for await result in Transaction.updates { await self?.take(result) }
            }
        }

        deinit { updates?.cancel() }

        var isOpen: Bool { launch.now < launch.storage["end", default: .distantPast] }

        private func take(_ result: VerificationResult<Transaction>) async {
            guard case .verified(let transaction) = result else { return }
            if delay > .zero { try? await launch.clock.sleep(for: delay) }
            if let end = transaction.expirationDate { launch.storage["end"] = end }
            await transaction.finish()
        }

        nonisolated static func simulation(delay: Duration = .zero) -> AppSimulation<Club> {
            AppSimulation(products: AppQuirkTests.pro) { await Club($0, delay: delay) }
                .neverDenies("pro") { await $0.isOpen }
        }
    }

    @Test func `An app must not deny for a moment, even within a step`() async throws {
        let steps: [AppStep] = [.relaunch, .buyElsewhere("pro"), .advance(hours: 31 * 24), .advance(hours: 1)]
        try await Club.simulation().run(seed: 1, steps: steps)
        // It takes a second to note what has arrived. After the purchase, and at the renewal, it denies access.
        let late = Club.simulation(delay: .seconds(1))
        let failure = await #expect(throws: AppSimulationFailure.self) { try await late.run(seed: 1, steps: steps) }
        let sentence =
            "pro: the user has no access for a moment, although the user is entitled to it and the app was shown so"
        #expect(failure?.sentence == sentence)
        #expect(failure?.steps == [.buyElsewhere("pro")])
        let renewal = AppSimulation(products: Self.pro) { launch in
            await Club(launch, delay: launch.number == 0 ? .zero : .seconds(1))
        }
        .neverDenies("pro") { await $0.isOpen }
        let month: [AppStep] = [.buyElsewhere("pro"), .relaunch, .advance(hours: 31 * 24 + 1)]
        let moment = await #expect(throws: AppSimulationFailure.self) { try await renewal.run(seed: 1, steps: month) }
        #expect(moment?.sentence == sentence)
        #expect(moment?.steps == month)
    }

    @Test func `An app may deny what it has not been shown, or cannot trust`() async throws {
        let listener = AppSimulation(products: Armory.products) { launch in
            Task { for await result in Transaction.updates { await result.unsafePayloadValue.finish() } }
            return launch
        }
        .without(.signIn)
        let denying = listener.neverDenies("game") { _ in false }
        func sentence(_ steps: [AppStep]) async -> String? {
            do {
                try await denying.run(seed: 1, steps: steps)
                return nil
            } catch {
                return (error as? AppSimulationFailure)?.sentence
            }
        }
        #expect(await sentence([]) == nil)
        #expect(await sentence([.buyElsewhere("game")])?.hasPrefix("game: the user has no access for a moment") == true)
        // The next launch is not shown what the last one has finished.
        #expect(await sentence([.reachable(false), .buyElsewhere("game"), .refund(0), .reachable(true)]) == nil)
        #expect(await sentence([.sign(.invalidSignature), .buyElsewhere("game")]) == nil)
    }

    /// An app that asks for the entitlements, and trusts what it was shown until a minute after its end.
    @MainActor private final class Patient {
        private let launch: AppLaunch
        private var updates: Task<Void, Never>?

        init(_ launch: AppLaunch) {
            self.launch = launch
            updates = Task { [weak self] in
                for await result in Transaction.updates { await self?.take(result) }
            }
        }

        deinit { updates?.cancel() }

        func buy(_ name: String) async throws {
            guard let product = try await Product.products(for: [name]).first else { return }
            if case .success(let result) = try await product.purchase() { await take(result) }
        }

        private func take(_ result: VerificationResult<Transaction>) async {
            guard case .verified(let transaction) = result else { return }
            let last = launch.storage[transaction.productID, default: Date.distantPast]
            launch.storage[transaction.productID] = max(last, (transaction.expirationDate ?? .distantFuture) + 60)
            await transaction.finish()
        }

        func has(_ name: String) async -> Bool {
            if launch.now < launch.storage[name, default: .distantPast] { return true }
            for await case .verified in Transaction.currentEntitlements(for: name) { return true }
            return false
        }
    }

    @Test func `An app that is patient denies nothing, whatever the quirks`() async throws {
        let report = try await AppSimulation(products: Armory.products) { await Patient($0) }
            .action("buy game") { try await $0.buy("game") }
            .action("buy pro") { try await $0.buy("pro") }
            .neverDenies("game") { await $0.has("game") }
            .neverDenies("pro") { await $0.has("pro") }
            .withQuirks()
            .run(runs: rounds(30, thoroughly: 3_000))
        #expect(report.count(of: .quirk) > 0)
    }

    @Test func `A consumable gives no access that could be denied`() async throws {
        await #expect(throws: AppSimulationError.isNotAccess("sword")) {
            try await AppSimulation(products: Armory.products) { $0 }.neverDenies("sword") { _ in true }.run(runs: 1)
        }
    }
}
