import StoreCore
import StoreKit
import StoreSimulator

/// A right app on Store Kit 2.
@MainActor class Armory {
    let storage: AppStorage
    private var tasks: [Task<Void, Never>] = []

    init(_ launch: AppLaunch) {
        storage = launch.storage
        tasks.append(
            Task { [weak self] in
                for await result in Transaction.updates { await self?.take(result) }
            }
        )
        // What was refunded while the app did not run is no update.
        tasks.append(
            Task { [weak self] in
                for await case .verified(let transaction) in Transaction.all where transaction.revocationDate != nil {
                    self?.keep(transaction)
                }
            }
        )
    }

    deinit { for task in tasks { task.cancel() } }

    func buy(_ name: String) async throws {
        guard let product = try await Product.products(for: [name]).first else { return }
        if case .success(let result) = try await product.purchase() { await take(result) }
    }

    func take(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        keep(transaction)
        await transaction.finish()
    }

    func keep(_ transaction: Transaction) {
        guard transaction.productID == "sword" else { return }
        var delivered: [UInt64: Int] = storage["delivered", default: [:]]
        delivered[transaction.id] = transaction.revocationDate == nil ? transaction.purchasedQuantity : 0
        storage["delivered"] = delivered
    }

    var swords: Int { storage["delivered", default: [UInt64: Int]()].values.reduce(0, +) }

    func has(_ name: String) async -> Bool {
        for await result in Transaction.currentEntitlements {
            if case .verified(let transaction) = result, transaction.productID == name { return true }
        }
        return false
    }

    nonisolated static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .nonConsumable("game", price: "4.99", isFamilyShareable: true),
        .autoRenewable("pro", price: "9.99", period: .init(1, .month), group: "club", level: 1),
    ]

    nonisolated static var simulation: AppSimulation<Armory> {
        AppSimulation(products: products) { await Armory($0) }
            .action("buy sword") { try await $0.buy("sword") }
            .action("buy game") { try await $0.buy("game") }
            .action("buy pro") { try await $0.buy("pro") }
            .holds("sword") { await $0.swords }
            .allows("game") { await $0.has("game") }
            .allows("pro") { await $0.has("pro") }
    }
}

/// An app that counts swords, and forgets which transactions it has counted.
@MainActor final class CarelessArmory {
    private let storage: AppStorage
    private var updates: Task<Void, Never>?

    init(_ launch: AppLaunch) {
        storage = launch.storage
        updates = Task { [weak self] in
            for await result in Transaction.updates { await self?.take(result) }
        }
    }

    deinit { updates?.cancel() }

    private func take(_ result: VerificationResult<Transaction>) async {
        let transaction = result.unsafePayloadValue
        if transaction.revocationDate == nil { storage["swords", default: 0] += transaction.purchasedQuantity }
        await transaction.finish()
    }

    nonisolated static var simulation: AppSimulation<CarelessArmory> {
        AppSimulation(products: [.consumable("sword", price: "0.99")]) { await CarelessArmory($0) }
            .holds("sword") { $0.storage["swords", default: 0] }
    }
}

/// A right app on Store Kit 1.
final class Stall: NSObject, SKPaymentTransactionObserver {
    private let storage: AppStorage
    private var isAdding = false
    /// Whether a callback has come before the call returned that caused it.
    private(set) var wasCalledInside = false

    init(_ launch: AppLaunch) {
        storage = launch.storage
        super.init()
        SKPaymentQueue.default().add(self)
    }

    deinit { SKPaymentQueue.default().remove(self) }

    func buy() {
        isAdding = true
        SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword"))
        isAdding = false
    }

    var swords: Int { storage["delivered", default: [String: Int]()].values.reduce(0, +) }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        if isAdding { wasCalledInside = true }
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

    static func simulation(isInline: Bool) -> AppSimulation<Stall> {
        let simulation = AppSimulation(products: [.consumable("sword", price: "0.99")]) { Stall($0) }
            .action("buy sword") { $0.buy() }
            .holds("sword") { $0.swords }
        return isInline ? simulation.callingInline() : simulation
    }
}
