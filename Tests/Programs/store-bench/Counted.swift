import Foundation
import StoreCore
import StoreKit

/// A piece of work whose instructions another program counts, such as valgrind.
///
/// A count is the difference of two runs of different lengths, divided by the difference of their items. Starting and
/// setting up, which are the same for every length, are therefore not in it.
struct Counted: Sendable {
    /// Work that is done a number of times, and returns the number of its items.
    typealias Work = @MainActor (_ times: Int) async throws -> Int

    let name: String
    /// Sets up, and returns the work.
    let prepare: @MainActor @Sendable () async throws -> Work

    static let all: [Counted] = [
        Counted(name: "purchase.floor") {
            let buy = HandFake.shop()
            return { try buy($0) }
        },
        Counted(name: "purchase") {
            let shop = try StoreShop()
            return { shop.buy($0) }
        },
        Counted(name: "finish") {
            let finish = try FinishPending.pending(finishedIn: Array(0..<6_000))
            return { try finish($0) }
        },
        Counted(name: "restore") {
            let restore = try RestoreAll.restore(1_000)
            return { times in try (0..<times).reduce(0) { count, _ in try count + restore() } }
        },
        Counted(name: "renewal") {
            let renew = try StoreRenewals.make(300)
            return { try renew(StoreRenewals.start + Double($0) * 31 * 86_400) }
        },
        Counted(name: "sk2.purchase") { try await StoreKit2Purchase.shop(reading: \.purchasedQuantity) },
        Counted(name: "simulator.step") { { times in try blocking { try await SimulatorOverhead.simulate(times) } } },
        Counted(name: "receipt.sign") {
            let parts = try ReceiptParts()
            return { try (0..<$0).count { _ in try parts.receipt.data(signedBy: parts.signer).count > 0 } }
        },
        Counted(name: "receipt.verify") {
            let parts = try ReceiptParts()
            let data = try parts.receipt.data(signedBy: parts.signer)
            return { (0..<$0).count { _ in parts.verify(data) > 0 } }
        },
        Counted(name: "history.page") {
            let season = "com.example.season"
            let store = try SandboxStore(products: [.nonRenewing(season, price: "9.99")])
            let first = try store.account.buy(season)
            for _ in 0..<1_000 { try store.account.buy(season) }
            return { times in
                var query = ServerHistoryQuery(of: first)
                return try (0..<times).count { _ in
                    guard let page = try ServerView(store).history(query) else { return false }
                    query.revision = page.revision
                    return try page.transactions.count { try $0.jws.utf8.count > 0 } == query.limit
                }
            }
        },
        Counted(name: "receipt.payload") {
            let receipt = SignedSamples.receipt(purchases: 1_000)
            return { times in
                try (0..<times).count { _ in try SignedSamples.payload(of: receipt).count > 0 }
                    * receipt.purchases.count
            }
        },
        Counted(name: "storekit.load") {
            let file = try ConfigurationFile.write(products: 1_000)
            return { times in
                defer { try? FileManager.default.removeItem(at: file) }
                return try (0..<times).reduce(0) { count, _ in
                    try count + StoreConfiguration(contentsOf: file).products.count
                }
            }
        },
    ]

    /// Waits for a body on another thread, and blocks the calling thread meanwhile.
    ///
    /// If the main thread returned to the runtime while something is awaited, it would exit, which ends valgrind.
    private static func blocking<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
        let (result, isOver) = (Locked<Result<R, any Error>?>(nil), DispatchSemaphore(value: 0))
        Task.detached {
            do {
                let value = try await body()
                result.withLock { $0 = .success(value) }
            } catch { result.withLock { $0 = .failure(error) } }
            isOver.signal()
        }
        isOver.wait()
        return try result.withLock { $0! }.get()
    }
}
