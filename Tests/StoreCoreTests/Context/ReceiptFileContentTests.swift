import Foundation
import Testing

@testable import StoreCore

/// What the app receipt's file says while purchases come and go, and how it comes to say it.
@Suite struct ReceiptFileContentTests {
    private let clock: any StoreClock
    private let ledger = MemoryLedger()
    private let store: SandboxStore
    private let context: StoreContext
    private let observer = Observer()

    init() throws { try self.init(clock: ManualClock()) }

    private init(clock: any StoreClock) throws {
        self.clock = clock
        store = try SandboxStore(
            products: Market.products + [
                .nonConsumable("map", price: "1.99", isFamilyShareable: true),
                .nonRenewing("a.season.with.a.long.name", price: "2.99"),
            ],
            clock: clock,
            ledger: ledger
        )
        context = StoreContext(backend: store, delivery: .inline, log: .silent)
        context.run { SKPaymentQueue.default().add(observer) }
    }

    private func buy(_ product: String) {
        context.run { SKPaymentQueue.default().add(SKPayment(productIdentifier: product)) }
    }

    /// The file, whose place is known since the first purchase.
    private func watch() throws -> URL {
        buy("full.game")
        return try #require(context.appReceiptURL)
    }

    @Test func `B184, B187: In every callback the file is the store's receipt, byte by byte`() throws {
        let url = try watch()
        var count = 0
        observer.onCall = { [store] in
            #expect((try? Data(contentsOf: url)) == store.appReceipt)
            count += 1
        }
        for _ in 0..<40 {
            for product in ["lessons", "map", "sword", "gold.monthly", "a.season.with.a.long.name", "nothing"] {
                buy(product)
            }
        }
        #expect(count > 400)
    }

    @Test func `B184, B187: Whatever happens to purchases, the file is the store's receipt`() throws {
        let url = try watch()
        observer.finishes = false
        let account = store.account
        let tablet = try store.addDevice("tablet", signedInTo: account)
        let bob = try store.addAccount("bob")
        let family = try store.addFamily("home", organizer: bob)
        let steps: [(String, () throws -> Void)] = [
            ("a consumable that is not finished", { self.buy("sword") }),
            ("a purchase of everything", { for product in ["map", "lessons", "gold.monthly"] { self.buy(product) } }),
            ("consumables that are finished", { self.finish() }),
            ("a purchase by the account itself", { try account.buy("lessons") }),
            ("a purchase on another device", { App(on: tablet).buy("lessons") }),
            ("a refund", { try store.refund("1") }),
            (
                "a refund of a consumable",
                {
                    self.buy("shield"); try store.refund(self.newest("shield"))
                }
            ),
            ("a subscription that is cut short", { try account.expireSubscription(inGroup: "metals") }),
            ("a deleted purchase", { try store.deleteTransaction(self.newest("lessons")) }),
            (
                "a family that shares",
                {
                    try family.add(account); try bob.buy("map")
                }
            ),
            ("a family that shares no more", { try family.remove(account) }),
            ("another account", { try store.device.signIn(to: bob) }),
            ("nobody", { try store.device.signOut() }),
            ("the account again", { try store.device.signIn(to: account) }),
            ("a refresh as a revoked one", { self.refresh(ReceiptProperties(isRevoked: true)) }),
            ("a refresh", { self.refresh(ReceiptProperties()) }),
            ("a price and a kind that are registered anew", { try store.register(.consumable("map", price: "3")) }),
            ("all transactions deleted", { try store.clearTransactions() }),
            ("a first purchase after that", { self.buy("lessons") }),
        ]
        for (name, step) in steps {
            try step()
            // One that has encoded nothing before.
            let fresh = try SandboxStore(clock: clock, ledger: ledger, signer: store.signer)
            let receipt = fresh.appReceipt
            #expect((context.appReceiptURL == url) == (receipt != nil), "\(name)")
            #expect((try? Data(contentsOf: url)) == receipt, "\(name)")
            #expect(store.appReceipt == receipt, "\(name)")
        }
    }

    @Test func `A receipt that lists the same is not written again, however often somebody looks`() throws {
        let test = try Self(clock: TickingClock())
        let url = try test.watch()
        let before = try Self.written(url)
        var seen: [[Int]] = []
        test.observer.onCall = { seen.append((try? Self.written(url)) ?? []) }
        test.buy("lessons")
        // Purchasing, purchased and removed; the store has sold it before the first of them.
        try #require(seen.count == 3)
        #expect(seen[0] != before)
        #expect(seen[1] == seen[0])
        #expect(seen[2] == seen[0])
        #expect(test.context.appReceiptURL == url)
        #expect(try Self.written(url) == seen[0])
    }

    @Test func `A refresh writes the receipt anew, with its own date`() throws {
        let clock = TickingClock()
        let test = try Self(clock: clock)
        let url = try test.watch()
        let moment = clock.now
        #expect(try test.store.verify(appReceipt: Data(contentsOf: url)).creationDate < moment)
        test.refresh(ReceiptProperties())
        #expect(try test.store.verify(appReceipt: Data(contentsOf: url)).creationDate > moment)
    }

    @Test func `Who has the file open reads the receipt that it was`() throws {
        let url = try watch()
        for _ in 0..<3 { buy("lessons") }
        let receipt = try Data(contentsOf: url)
        let reader = try FileHandle(forReadingFrom: url)
        for _ in 0..<5 { buy("lessons") }
        #expect(try reader.readToEnd() == receipt)
        #expect(try Data(contentsOf: url) == store.appReceipt)
    }

    @Test func `A receipt's file is written where what falls due comes while somebody asks for it`() throws {
        let late = LateClock()
        let test = try Self(clock: late)
        test.buy("gold.monthly")
        let url = try #require(test.context.appReceiptURL)
        var count = 0
        test.observer.onCall = { count += 1 }
        late.now += 40 * 86_400
        #expect(test.context.appReceiptURL == url)
        #expect(count > 0)
        #expect(try test.store.verify(appReceipt: Data(contentsOf: url)).purchases.count == 2)
    }

    @Test func `Where the file cannot be written the log says so, and it is there again once it can be`() throws {
        let lines = Locked<[String]>([])
        let context = StoreContext(
            backend: store,
            delivery: .inline,
            log: StoreLog { line in lines.withLock { $0.append(line) } }
        )
        try store.account.buy("full.game")
        let url = try #require(context.appReceiptURL)
        let folder = url.deletingLastPathComponent()
        try FileManager.default.removeItem(at: folder)
        try Data().write(to: folder)
        #expect(context.appReceiptURL == nil)
        #expect(lines.withLock { $0 }.contains { $0.contains("the app receipt's file could not be written") })
        try FileManager.default.removeItem(at: folder)
        #expect(context.appReceiptURL == url)
        #expect(try Data(contentsOf: url) == store.appReceipt)
    }

    #if os(Linux)
        @Test(.enabled(if: Self.leases)) func `Two files take turns, so that a purchase writes what is new`() throws {
            let url = try watch()
            var files: [Int] = []
            for _ in 0..<12 {
                buy("lessons")
                files.append(try Self.written(url)[0])
            }
            #expect(Set(files).count == 2)
            #expect(zip(files, files.dropFirst()).allSatisfy { $0 != $1 })
        }

        /// Whether the file system lends out files.
        private static var leases: Bool {
            let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { unlink(path) }
            return (try? LeasedFile(creating: path)) != nil && LeasedFile(leasing: path) != nil
        }
    #endif

    @Test func `B184: A file that somebody changes in place is made anew, and nothing is built upon it`() throws {
        let url = try watch()
        for text in ["x", ""] {
            try Data(text.utf8).write(to: url)
            for _ in 0..<4 {
                buy("lessons")
                #expect(try Data(contentsOf: url) == store.appReceipt)
            }
        }
    }

    @Test func `B184: Without a receipt nothing of one is left`() throws {
        let url = try watch()
        for _ in 0..<3 { buy("lessons") }
        context.use(nil)
        #expect(context.appReceiptURL == nil)
        let folder = url.deletingLastPathComponent().deletingLastPathComponent()
        let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        #expect(left == ["StoreKit"])
    }

    @Test func `Of a purchase only what is new is encoded, of a refund everything`() throws {
        func version() throws -> ReceiptVersion {
            guard case .changed(_, let version) = store.receipt(unless: nil) else { throw CancellationError() }
            return version
        }
        _ = try watch()
        let before = try version()
        buy("lessons")
        let after = try version()
        #expect(after.entries === before.entries)
        #expect(after.entryCount == before.entryCount + 1)
        try store.refund(newest("lessons"))
        #expect(try version().entries !== after.entries)
    }

    @Test func `Of a receipt only what is new is written`() throws {
        func image() throws -> ReceiptImage {
            guard case .changed(let image, _) = store.receipt(unless: nil) else { throw CancellationError() }
            return image
        }
        let folder = TemporaryFolder(for: "test")
        try folder.make()
        let path = folder.url.appendingPathComponent("receipt").path
        let file = try LeasedFile(creating: path)
        var copy = ReceiptCopy()
        for _ in 0..<3 { buy("lessons") }
        try copy.write(try image(), to: file)
        // A mark in what is written already.
        let place = try image().front.count
        try file.write([0xFF], at: place)
        buy("lessons")
        try copy.write(try image(), to: file)
        var expected = [UInt8](try image().data)
        expected[place] = 0xFF
        #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == expected)
    }

    // MARK: Acts

    private func finish() {
        context.run {
            let queue = SKPaymentQueue.default()
            queue.transactions.forEach(queue.finishTransaction)
        }
    }

    private func newest(_ product: String) throws -> String {
        let transactions = try store.transactions.filter { $0.productIdentifier == product }
        return try #require(transactions.last?.id)
    }

    private func refresh(_ properties: ReceiptProperties) {
        let wishes: [String: Any] = [SKReceiptPropertyIsRevoked: properties.isRevoked]
        context.run { SKReceiptRefreshRequest(receiptProperties: wishes).start() }
    }

    /// The file's number, and when it was written.
    private static func written(_ url: URL) throws -> [Int] {
        var status = stat()
        guard stat(url.path, &status) == 0 else { throw CocoaError(.fileReadNoSuchFile) }
        return [Int(status.st_ino), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }

    /// Finishes what is decided.
    private final class Observer: NSObject, SKPaymentTransactionObserver {
        var onCall: () -> Void = {}
        var finishes = true

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            onCall()
            guard finishes else { return }
            for transaction in transactions where transaction.transactionState != .purchasing {
                queue.finishTransaction(transaction)
            }
        }

        func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
            onCall()
        }
    }

    /// A clock that goes on by a second whenever somebody looks.
    private final class TickingClock: StoreClock {
        private let clock = ManualClock()
        private let looks = Locked(0.0)
        var activity: Activity { clock.activity }
        var now: Date {
            clock.now
                + looks.withLock {
                    $0 += 1
                    return $0
                }
        }

        func schedule(at moment: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
            clock.schedule(at: moment, body)
        }
    }
}
