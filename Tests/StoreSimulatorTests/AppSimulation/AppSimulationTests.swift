import StoreCore
import StoreKit
import StoreSimulator
import Testing

@Suite struct AppSimulationTests {
    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"), .nonConsumable("game", price: "4.99", isFamilyShareable: true),
        .autoRenewable("pro", price: "9.99", period: .init(1, .month), group: "club", level: 1),
    ]

    /// A correct app on Store Kit 2.
    @MainActor final class Shop {
        let storage: AppStorage
        var updates: Task<Void, Never>?
        init(_ storage: AppStorage) {
            self.storage = storage
            updates = Task { [weak self] in
                for await result in Transaction.updates { await self?.take(result) }
            }
        }
        deinit { updates?.cancel() }
        func buy(_ name: String) async throws {
            guard let product = try await Product.products(for: [name]).first else { return }
            if case .success(let result) = try await product.purchase() { await take(result) }
        }
        func take(_ result: VerificationResult<Transaction>) async {
            guard case .verified(let transaction) = result else { return }
            if transaction.productID == "sword" {
                var delivered: [UInt64: Int] = storage["delivered", default: [:]]
                delivered[transaction.id] = transaction.revocationDate == nil ? transaction.purchasedQuantity : 0
                storage["delivered"] = delivered
            }
            await transaction.finish()
        }
        var swords: Int { let d: [UInt64: Int] = storage["delivered", default: [:]]; return d.values.reduce(0, +) }
        func has(_ name: String) async -> Bool {
            for await result in Transaction.currentEntitlements {
                if case .verified(let transaction) = result, transaction.productID == name { return true }
            }
            return false
        }
    }

    static var simulation: AppSimulation<Shop> {
        AppSimulation(products: products) { launch in await Shop(launch.storage) }
            .action("buy sword") { try await $0.buy("sword") }
            .action("buy game") { try await $0.buy("game") }
            .action("buy pro") { try await $0.buy("pro") }
            .holds("sword") { await $0.swords }
            .allows("game") { await $0.has("game") }
            .allows("pro") { await $0.has("pro") }
    }

    @Test func `A right app passes`() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let report = try await Self.simulation.run(runs: 200)
        print(report, clock.now - start)
    }
}
