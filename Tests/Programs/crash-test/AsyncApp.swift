import Foundation
import StoreCore
import StoreKit
import StoreSQLite

/// An app of Store Kit 2 that buys and finishes on a store in a file until it is killed, and prints all that it does and is told.
///
/// It prints on the main actor, and finishes a transaction only after it has printed it: what it prints of one transaction is in
/// order.
@MainActor final class AsyncApp {
    /// Consumables enough for the app never to buy one that it has not finished.
    nonisolated static let products = (0..<100).map { "gem.\($0)" }

    private let store: SandboxStore
    private let context: StoreContext
    private let clock = ManualClock()
    private var random: SplitMix64
    private var products: [Product] = []
    /// The transactions that were printed and are not being finished, with the names under which the expected state tracks them.
    private var open: [(name: String, transaction: Transaction)] = []
    /// The products that are being bought, or of which a transaction is unfinished.
    private var busy: Set<String> = []
    /// The unfinished transactions of which the app has yet to be told before it is ready.
    private var missing: Set<UInt64>?
    private var ready: CheckedContinuation<Void, Never>?
    private var underWay: [Task<Void, Never>] = []

    /// Runs until it is killed, or for a large number of operations.
    nonisolated static func run(_ file: URL, seed: UInt64, setup: App.Setup) throws -> Never {
        Task { @MainActor in
            do { try await AsyncApp(file, seed: seed, setup: setup).run() } catch {
                AppMessage.failed("\(error)").say()
            }
            exit(0)
        }
        dispatchMain()
    }

    private init(_ file: URL, seed: UInt64, setup: App.Setup) throws {
        random = SplitMix64(seed: seed)
        let database = try setup.database(at: file)
        store = try SandboxStore(products: App.products, clock: clock, ledger: database.ledger)
        context = StoreContext(backend: setup.backend(store), journal: database.journal, log: .standardError)
    }

    private func run() async throws {
        try await context.run {
            let listener = Task { for await result in Transaction.updates { hear(result.unsafePayloadValue) } }
            products = try await Product.products(for: Self.products)
            // Orders and finishes of earlier launches, which the store has not acknowledged, reach it now.
            await SKPaymentQueue.default().settle()
            await clock.advance(by: 600)
            await hearAllUnfinished()
            AppMessage.ready.say()
            for _ in 0..<100_000 { await performOperation() }
            listener.cancel()
        }
    }

    /// Waits until the updates have brought everything that is unfinished.
    private func hearAllUnfinished() async {
        var unfinished: Set<UInt64> = []
        for await result in Transaction.unfinished { unfinished.insert(result.unsafePayloadValue.id) }
        missing = unfinished.subtracting(open.map(\.transaction.id))
        if missing?.isEmpty == false { await withCheckedContinuation { ready = $0 } }
        missing = nil
    }

    private func hear(_ transaction: Transaction) {
        // Restored by an app of Store Kit 1: its token is its original's.
        let restored = SKPaymentQueue.default().transactions.first {
            $0.transactionState == .restored && $0.transactionIdentifier == "\(transaction.id)"
        }
        let name = restored?.transactionIdentifier ?? transaction.appAccountToken?.uuidString.lowercased() ?? "?"
        let message: AppMessage =
            restored == nil ? .purchased(name, transaction: "\(transaction.id)") : .restored(name)
        message.say()
        open.append((name, transaction))
        busy.insert(transaction.productID)
        missing?.remove(transaction.id)
        if missing?.isEmpty == true { ready.take()?.resume() }
    }

    private func performOperation() async {
        switch Int.random(in: 0..<40, using: &random) {
        case 0:
            store.isReachable.toggle()
            if store.isReachable { await clock.advance(by: 600) }
        case 1: await endWaits()
        case let number where number % 2 == 0 || busy.count > 50 || underWay.count > 50:
            // With all under way, the app would run through its operations while the disk is at work.
            if open.isEmpty, underWay.count > 50 { await endWaits() }
            finishOne()
        default: buyOne()
        }
        await Task.yield()
    }

    /// Has the store in reach, so that whoever waits for it goes on, and waits for all that is under way.
    private func endWaits() async {
        store.isReachable = true
        await clock.advance(by: 600)
        for task in underWay { await task.value }
        underWay = []
    }

    private func buyOne() {
        guard let product = products.first(where: { !busy.contains($0.id) }) else { return }
        let name = AppMessage.newName(&random)
        AppMessage.adding(name).say()
        busy.insert(product.id)
        underWay.append(
            Task {
                do {
                    let result = try await product.purchase(options: [.appAccountToken(UUID(uuidString: name)!)])
                    // Without the store there is no result: the purchase may be an update later.
                    if case .success(let transaction) = result { hear(transaction.unsafePayloadValue) }
                } catch StoreKitError.networkError {
                    // Nothing was ordered.
                    busy.remove(product.id)
                } catch {}
            }
        )
    }

    private func finishOne() {
        if open.isEmpty { return }
        let (name, transaction) = open.remove(at: Int.random(in: open.indices, using: &random))
        AppMessage.finishing(name).say()
        underWay.append(
            Task {
                await transaction.finish()
                AppMessage.finished(name).say()
                busy.remove(transaction.productID)
            }
        )
    }
}
