import Foundation
import StoreCore
import Testing

/// The app receipt as a file, as in an app whose own target has the line that the documents give.
@Suite struct ReceiptFileTests {
    private let store: SandboxStore
    private let context: StoreContext

    init() throws {
        store = try SandboxStore(products: [
            .nonConsumable("castle", price: "4.99"), .nonConsumable("map", price: "1.99"),
        ])
        context = StoreContext(backend: store, delivery: .inline, log: .silent)
    }

    private func products(at url: URL) throws -> [String] {
        try store.verify(appReceipt: Data(contentsOf: url)).purchases.map(\.productIdentifier)
    }

    private func buy(_ product: String) {
        context.run { SKPaymentQueue.default().add(SKPayment(productIdentifier: product)) }
    }

    @Test func `B184: There is no receipt's file until the first purchase`() throws {
        #expect(context.appReceiptURL == nil)
        let finisher = Finisher()
        context.run { SKPaymentQueue.default().add(finisher) }
        buy("castle")
        #expect(try products(at: #require(context.appReceiptURL)) == ["castle"])
    }

    @Test func `B187: The file is up to date when an observer hears of a purchase`() throws {
        let finisher = Finisher()
        context.run { SKPaymentQueue.default().add(finisher) }
        buy("castle")
        let url = try #require(context.appReceiptURL)
        var seen: [[String]] = []
        finisher.onPurchase = { seen.append((try? self.products(at: url)) ?? []) }
        buy("map")
        #expect(seen.map { $0.sorted() } == [["castle", "map"]])
    }

    @Test func `B187: The file is up to date when a refresh has finished`() throws {
        #expect(context.appReceiptURL == nil)
        let listener = Listener()
        let context = context
        listener.onFinish = { listener.url = context.appReceiptURL }
        context.run {
            let request = SKReceiptRefreshRequest(receiptProperties: nil)
            request.delegate = listener
            request.start()
        }
        #expect(try products(at: #require(listener.url)).isEmpty)
    }

    @Test func `A file that somebody took away, with its folder, is there again when it is asked for`() throws {
        let finisher = Finisher()
        context.run { SKPaymentQueue.default().add(finisher) }
        buy("castle")
        let url = try #require(context.appReceiptURL)
        try FileManager.default.removeItem(at: url.deletingLastPathComponent())
        #expect(context.appReceiptURL == url)
        #expect(try products(at: url) == ["castle"])
    }

    @Test func `Contexts have a file each, which goes with them`() throws {
        let url: URL
        do {
            let other = StoreContext(backend: store, delivery: .inline, log: .silent)
            try store.account.buy("castle")
            other.run { SKPaymentQueue.default().add(SKPayment(productIdentifier: "map")) }
            url = try #require(other.appReceiptURL)
            #expect(context.appReceiptURL != url)
            #expect(FileManager.default.fileExists(atPath: url.path))
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test func `With another store the file says what that one sold`() throws {
        let finisher = Finisher()
        context.run { SKPaymentQueue.default().add(finisher) }
        buy("castle")
        let url = try #require(context.appReceiptURL)
        let empty = try SandboxStore(products: [.nonConsumable("map", price: "1.99")])
        context.use(empty)
        #expect(context.appReceiptURL == nil)
        #expect(!FileManager.default.fileExists(atPath: url.path))
        buy("map")
        let receipt = try Data(contentsOf: #require(context.appReceiptURL))
        #expect(try empty.verify(appReceipt: receipt).purchases.map(\.productIdentifier) == ["map"])
    }

    /// Finishes what was purchased.
    private final class Finisher: NSObject, SKPaymentTransactionObserver {
        var onPurchase: () -> Void = {}

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions where transaction.transactionState == .purchased {
                onPurchase()
                queue.finishTransaction(transaction)
            }
        }
    }

    private final class Listener: NSObject, SKRequestDelegate {
        var onFinish: () -> Void = {}
        var url: URL?

        func requestDidFinish(_ request: SKRequest) { onFinish() }
    }
}
