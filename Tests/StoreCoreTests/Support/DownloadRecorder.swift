import Foundation
import StoreCore

/// An observer that records what it is told of downloads and keeps transactions open.
final class DownloadRecorder: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: everything is behind the lock or constant.
    private let state = Locked<(callbacks: [[String]], transactions: [SKPaymentTransaction])>(([], []))
    private let onDownloads: (@Sendable (SKPaymentQueue, [SKDownload]) -> Void)?

    /// Makes a recorder that does something of its own when downloads have moved on, after recording it.
    init(onDownloads: (@Sendable (SKPaymentQueue, [SKDownload]) -> Void)? = nil) { self.onDownloads = onDownloads }

    /// What each callback said: of a download its content, state and progress, of a transaction its product and state.
    var callbacks: [[String]] { state.withLock { $0.callbacks } }
    /// The same without the borders between callbacks.
    var history: [String] { callbacks.flatMap { $0 } }
    /// The transactions that were purchased or restored, in the order in which they came.
    var transactions: [SKPaymentTransaction] { state.withLock { $0.transactions } }
    /// The downloads of those.
    var downloads: [SKDownload] { transactions.flatMap(\.downloads) }

    /// Forgets what was heard, not what was seen.
    func clear() { state.withLock { $0.callbacks = [] } }

    /// Forgets all of it, the transactions included.
    func forget() {
        let kept = state.withLock { state in
            defer { state = ([], []) }
            return state
        }
        // Let go of without the lock.
        withExtendedLifetime(kept) {}
    }

    private func record(_ lines: [String]) { state.withLock { $0.callbacks.append(lines) } }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        record(transactions.map { "\($0.payment.productIdentifier) \($0.transactionState)" })
        let decided = transactions.filter { $0.transactionState == .purchased || $0.transactionState == .restored }
        state.withLock { $0.transactions += decided }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        record(transactions.map { "\($0.payment.productIdentifier) removed" })
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        record(downloads.map { "\($0.contentIdentifier) \($0.state) \($0.progress)" })
        onDownloads?(queue, downloads)
    }
}

/// A store that hosts ten bytes of `level.2` and two files of `maps`, and an app on its first device.
struct Hosting {
    static let level = Data("0123456789".utf8)
    static let products: [SandboxProduct] = [
        .nonConsumable("level.2", price: "1.99").hosting(level, version: "1.2"),
        .nonConsumable("maps", price: "0.99").hosting([
            .init(Data("north".utf8), identifier: "maps.north"), .init(Data("south".utf8), identifier: "maps.south"),
        ]),
        .consumable("sword", price: "0.99"),
    ]

    let clock: ManualClock
    let store: SandboxStore
    let queue: SKPaymentQueue
    let recorder: DownloadRecorder
    let log = LogRecorder()

    /// At a pace of two bytes at a time, one second each unless given another.
    init(
        pace: DownloadPace = .bytesPerSecond(2, inChunksOf: 2),
        recorder: DownloadRecorder = DownloadRecorder(),
        wrap: (SandboxStore) -> any StoreBackend = { $0 }
    ) throws {
        clock = ManualClock()
        store = try SandboxStore(products: Self.products, clock: clock, locale: "en_US")
        store.downloadPace = pace
        self.recorder = recorder
        queue = SKPaymentQueue(backend: wrap(store), delivery: .inline, log: log.log)
        queue.add(recorder)
    }

    /// Buys something, and gives its downloads.
    func buy(_ product: String = "level.2") -> [SKDownload] {
        queue.add(SKPayment(productIdentifier: product))
        queue.settle()
        recorder.clear()
        return recorder.transactions.last?.downloads ?? []
    }

    /// Buys `level.2`, and gives its one download.
    func download() throws -> SKDownload {
        let downloads = buy()
        guard downloads.count == 1 else { throw StoreFailure.storeKit(.unknown, "\(downloads.count) downloads") }
        return downloads[0]
    }

    /// The folder that a finished download lies in, and every other of its queue's.
    static func folder(of download: SKDownload) -> URL? {
        download.contentURL?.deletingLastPathComponent().deletingLastPathComponent()
    }

    /// All files in a folder, however deep.
    static func files(in folder: URL) -> [String] {
        (FileManager.default.subpaths(atPath: folder.path) ?? []).filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder.path + "/" + path, isDirectory: &isFolder)
            return !isFolder.boolValue
        }
        .sorted()
    }
}

extension SKDownload {
    /// Why it failed, without the sentence.
    var trouble: Trouble? { error.map { Trouble($0) } }
}
