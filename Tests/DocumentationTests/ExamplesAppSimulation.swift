// The code of the article "Your app under the simulator", compiled and run.
import Foundation
import StoreCore
import StoreKit
import StoreSimulator
import Testing

private struct AppSimulationArticle {
    final class Armory: NSObject, SKPaymentTransactionObserver {
        let storage: AppStorage

        init(storage: AppStorage) {
            self.storage = storage
            super.init()
            SKPaymentQueue.default().add(self)
        }

        var swords: Int { storage["swords", default: 0] }

        func buy(_ product: String) { SKPaymentQueue.default().add(SKPayment(productIdentifier: product)) }

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions {
                switch transaction.transactionState {
                case .purchased:
                    storage["swords", default: 0] += transaction.payment.quantity
                    queue.finishTransaction(transaction)
                case .failed, .restored: queue.finishTransaction(transaction)
                case .purchasing, .deferred: break
                @unknown default: break
                }
            }
        }
    }

    static var simulation: AppSimulation<Armory> {
        AppSimulation(products: [.consumable("sword", price: "0.99")]) { launch in Armory(storage: launch.storage) }
            .action("buy sword") { $0.buy("sword") }
            .holds("sword") { $0.swords }
    }
}

@Suite struct AppSimulationArticleTests {
    @Test func `The article's app is found out`() async throws {
        let simulation = AppSimulationArticle.simulation
        let failure = await #expect(throws: AppSimulationFailure.self) { try await simulation.run(runs: 1_000) }
        #expect(failure?.description.hasPrefix(try printed()) == true, "\(failure?.description ?? "")")
        await #expect(throws: AppSimulationFailure.self) {
            try await simulation.run(seed: 2, steps: [.kill(after: 8), .action("buy sword")])
        }
    }

    /// What the article says that is printed.
    private func printed() throws -> String {
        let path = "Sources/StoreCore/StoreCore.docc/Articles/AppSimulation.md"
        let fence = try Document(path).fences.first { $0.language == "text" }
        return try #require(fence).lines.joined(separator: "\n")
    }

    @Test func `The seeds of failed lives are kept`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "app.seeds")
        let simulation = AppSimulationArticle.simulation
        await #expect(throws: AppSimulationFailure.self) {
            try await simulation.keepingSeeds(in: file).run(runs: 1_000)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == "# Seeds of lives that failed.\n2\n")
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "app-2.html").path))
    }

    @Test func `A failed life's page is attached to the report`() async throws {
        let simulation = AppSimulationArticle.simulation
        await #expect(throws: AppSimulationFailure.self) {
            do {
                try await simulation.run(runs: 200)
            } catch let failure as AppSimulationFailure {
                Attachment.record(failure.page, named: "timeline.html")
                throw failure
            }
        }
    }
}

private actor Store {
    private let storage: AppStorage
    private let clock: AppClock
    private let now: @Sendable () -> Date

    init(storage: AppStorage, clock: AppClock, now: @escaping @Sendable () -> Date) {
        (self.storage, self.clock, self.now) = (storage, clock, now)
    }

    func open() async throws {
        try await clock.sleep(for: .seconds(60))
        storage["opened"] = now()
    }
}

private func clocked(_ products: [SandboxProduct]) -> AppSimulation<Store> {
    AppSimulation(products: products) { launch in
        Store(storage: launch.storage, clock: launch.clock, now: { launch.now })
    }
}

@Test func `An app is given a clock`() async throws {
    try await clocked([.consumable("sword", price: "0.99")])
        .action("open") { try await $0.open() }
        .invariant("none") { _ in true }
        // It sells nothing.
        .without(.elsewhere)
        .without(.promotion)
        .run(runs: 5)
}

/// A right shop.
private final class Armory: NSObject, SKPaymentTransactionObserver {
    private let storage: AppStorage

    init(storage: AppStorage) {
        self.storage = storage
        super.init()
        SKPaymentQueue.default().add(self)
    }

    var swords: Int { storage["delivered", default: [String: Int]()].values.reduce(0, +) }

    func buy(_ product: String) { SKPaymentQueue.default().add(SKPayment(productIdentifier: product)) }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchased:
                var delivered: [String: Int] = storage["delivered", default: [:]]
                delivered[transaction.transactionIdentifier ?? ""] = transaction.payment.quantity
                storage["delivered"] = delivered
                queue.finishTransaction(transaction)
            case .failed, .restored: queue.finishTransaction(transaction)
            case .purchasing, .deferred: break
            @unknown default: break
            }
        }
    }
}

@Test func `Nothing that was paid for is lost`() async throws {
    try await AppSimulation(products: [.consumable("sword", price: "0.99")]) { launch in
        Armory(storage: launch.storage)
    }
    .action("buy sword") { $0.buy("sword") }
    .holds("sword") { $0.swords }
    .run(runs: 200)
}

@MainActor final class Membership {
    private var updates: Task<Void, Never>?

    init() {
        updates = Task {
            for await case .verified(let transaction) in Transaction.updates { await transaction.finish() }
        }
    }

    deinit { updates?.cancel() }

    func subscribe() async throws {
        guard let product = try await Product.products(for: ["pro"]).first else { return }
        if case .success(.verified(let transaction)) = try await product.purchase() { await transaction.finish() }
    }

    func isMember() async -> Bool {
        for await case .verified in Transaction.currentEntitlements(for: "pro") { return true }
        return false
    }
}

private struct MembershipArticle {
    static var simulation: AppSimulation<Membership> {
        let pro = SandboxProduct.autoRenewable("pro", price: "9.99", period: .init(1, .month), group: "club", level: 1)
        return AppSimulation(products: [pro]) { _ in await Membership() }
            .action("subscribe") { try await $0.subscribe() }
            .allows("pro") { await $0.isMember() }
            .neverDenies("pro") { await $0.isMember() }
    }

    func draw() async throws {
        let simulation = Self.simulation
        try await simulation.withQuirks().run(runs: 200)
        try await simulation.withQuirks(.listsLate, .expiresForAMoment).run(runs: 200)
    }
}

@Suite struct MembershipArticleTests {
    @Test func `A member is never denied access, until the store has quirks`() async throws {
        try await MembershipArticle.simulation.run(runs: 30)
        for kind in [StoreQuirk.Kind.listsLate, .expiresForAMoment] {
            let failure = await #expect(throws: AppSimulationFailure.self) {
                try await MembershipArticle.simulation.withQuirks(kind).run(runs: 200)
            }
            #expect(failure?.sentence.hasPrefix("pro: the user has no access for a moment, although ") == true)
            #expect(failure?.description.contains("\nwith the quirk \(kind.rawValue): ") == true)
            #expect(failure.map { $0.steps.count <= 4 } == true)
        }
    }
}

@MainActor final class Wallet {
    static var shared: Wallet?

    private let storage: AppStorage
    private var updates: Task<Void, Never>?

    init(storage: AppStorage) {
        self.storage = storage
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.take(result) }
        }
    }

    deinit { updates?.cancel() }

    var coins: Int { storage["coins", default: [UInt64: Int]()].values.reduce(0, +) }

    private func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        var coins: [UInt64: Int] = storage["coins", default: [:]]
        coins[transaction.id] = transaction.revocationDate == nil ? transaction.purchasedQuantity : nil
        storage["coins"] = coins
        await transaction.finish()
    }
}

@MainActor func launchWallet(_ launch: AppLaunch) -> Wallet {
    let wallet = Wallet(storage: launch.storage)
    Wallet.shared = wallet
    return wallet
}

@Test func `Each launch has a wallet of its own`() async throws {
    try await AppSimulation(products: [.consumable("coin", price: "0.99")]) { await launchWallet($0) }
        .holds("coin") { await $0.coins }
        .run(runs: 50, jobs: 1)
}
