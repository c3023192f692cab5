#if canImport(CSQLite)
    import Foundation
    import StoreContract
    import StoreCore
    import Testing

    private let stock: [String: ShopServer.Item] = [
        "sword": .init(title: "Sword", price: 1, isOwnedForGood: false),
        "castle": .init(title: "Castle", price: 10, isOwnedForGood: true),
    ]

    /// The shop in a database that "Writing a backend" ends with.
    @Suite("A shop that is killed behind each of its statements") struct DatabaseShopTests {
        @Test func `The shop in a database keeps every promise`() async throws {
            let folder = try Folder()
            let count = Locked(0)
            var subject = ContractSubject(products: .init(consumable: "sword", restorable: "castle")) {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                let clock = ManualClock()
                let open: @Sendable () throws -> ShopDevice = {
                    try DatabaseShop(path: folder.path("\(number).db"), items: stock, clock: clock)
                        .device("phone", account: "mia")
                }
                let device = try open()
                return .init(
                    device,
                    reopen: { try open() },
                    refund: { try device.shop.refund($0) },
                    revoke: { try device.shop.refund($0) }
                )
            }
            // How long its queue waits for a thread is the machine's affair. More than a part of a snapshot holds.
            subject.deadline = 3600
            subject.crowd = 120
            let report = await StoreContract.check(subject)
            #expect(report.isKept, "\(report)")
            #expect(
                report.notTried == [
                    .offersRefused, .waitingStays, .storefrontTold, .sellsAgrees, .receiptsGiven, .unknownHasNoReceipt,
                    .refreshAnswered, .contentServed, .promotionsKept,
                ] + report.notTried.suffix(13),
                "\(report)"
            )
        }

        @Test func `The shop killed between any two statements loses nothing and charges nothing twice`() throws {
            let folder = try Folder()
            let statements = try Walk(folder, killedAt: nil).live()
            #expect(statements > 100)
            for point in 1...statements { try Walk(folder, killedAt: point).live() }
        }

        @Test(arguments: [Decimal(10), nil])
        func `An order that was left undecided is decided once by the webhook`(price: Decimal?) throws {
            let clock = ManualClock()
            let folder = try Folder()
            let path = folder.path("shop.db")
            let shop = try DatabaseShop(path: path, items: stock, clock: clock)
            let order = OrderID(journal: JournalID(rawValue: 7), number: 1)
            // The same number of another journal is another order.
            let other = OrderID(journal: JournalID(rawValue: 8), number: 1)
            for id in [order, other] {
                let command = StoreCommand(id: id, action: .purchase(StorePayment(productIdentifier: "castle")))
                try shop.device("phone", account: "mia").submit([command]) { #expect($0 == .taken) }
            }
            _ = clock.activity.settle() as [String]
            let database = try ShopDatabase(path: path) {}
            // As a shop writes it whose payments take time.
            try database.run("UPDATE sale SET body = json_set(body, '$.state', 'purchasing')")
            try database.run("DELETE FROM charge")

            try shop.decide(order.description, paid: price)
            try shop.decide(order.description, paid: price)
            try shop.decide(order.description, paid: 1)
            _ = clock.activity.settle() as [String]

            let states = try database.snapshot(of: "phone").map { update -> StoreTransaction.State? in
                if case .transaction(let transaction) = update { transaction.state } else { nil }
            }
            #expect(states == [price == nil ? .failed : .purchased, .purchasing])
            let charges = try database.run("SELECT command, price FROM charge")
            #expect(charges == (price.map { [[order.description, "\($0)"]] } ?? []))
            #expect(try database.run("SELECT count(*) FROM news") == [["3"]])
            let restorable = try database.run("SELECT id FROM sale WHERE lasts = 1 ORDER BY id")
            #expect(restorable == (price == nil ? [["2"]] : [["1"], ["2"]]))
        }
    }

    /// What ends a shop behind a statement, like the end of its process.
    private struct Killed: Error {}

    /// A folder that goes with the test: in memory where there is such a place, as nothing here survives the machine.
    private final class Folder: Sendable {
        private let url = URL(
            fileURLWithPath: FileManager.default.isWritableFile(atPath: "/dev/shm")
                ? "/dev/shm" : FileManager.default.temporaryDirectory.path
        ).appendingPathComponent("database-shop-\(UUID().uuidString)")

        init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(at: url) }

        func path(_ name: String) -> String { url.appendingPathComponent(name).path }
    }

    /// Two devices of one account and the shop's file, of which a copy is made where the shop is killed.
    private final class Walk {
        private let clock = ManualClock()
        private let folder: Folder
        private let name = UUID().uuidString
        private let point: Int?
        private let killed = Locked<(isArmed: Bool, statements: Int, isDead: Bool)>((false, 0, false))
        private var opened = 0
        private var shop: DatabaseShop
        private let phone = App("phone")
        private let tablet = App("tablet")
        private var queues: [SKPaymentQueue] = []
        private var ordered: [String] = []

        init(_ folder: Folder, killedAt point: Int?) throws {
            self.folder = folder
            self.point = point
            // The tables are there: a shop is killed while it sells.
            let path = folder.path("\(name)-0.db")
            _ = try DatabaseShop(path: path, items: stock, clock: clock)
            shop = try DatabaseShop(path: path, items: stock, clock: clock) { [killed, folder, name] in
                try killed.withLock { killed in
                    guard killed.isArmed else { return }
                    killed.statements += 1
                    if killed.statements == point {
                        killed.isDead = true
                        // The file as it is, with the journal of an open transaction beside it.
                        for suffix in ["", "-journal"] where FileManager.default.fileExists(atPath: path + suffix) {
                            try FileManager.default.copyItem(
                                atPath: path + suffix,
                                toPath: folder.path("\(name)-1.db") + suffix
                            )
                        }
                    }
                    if killed.isDead { throw Killed() }
                }
            }
            killed.withLock { $0.isArmed = true }
        }

        /// Does everything once, and returns the number of statements that it took.
        @discardableResult func live() throws -> Int {
            do { try launch() } catch is Killed { try relaunchIfKilled() }
            try buy("castle", "sword")
            try buy("sword", "unicorn")
            try until {
                self.tablet.restores > 0
            } act: {
                self.queues[1].restoreCompletedTransactions()
            }
            #expect(tablet.restored == ["castle"], "\(self)")
            let bought = try #require(phone.sold.first { $0.value.hasPrefix("castle") }?.key)
            try until {
                self.phone.revoked > 0 && self.tablet.revoked > 0
            } act: {
                try? self.shop.refund(bought)
            }
            try until {
                self.phone.restores > 0
            } act: {
                self.queues[0].restoreCompletedTransactions()
            }
            #expect(phone.restored == [], "\(self)")
            try buy("castle", "sword")
            let killedAt = killed.withLock { $0 }
            #expect(killedAt.isDead == (point != nil), "\(self)")
            try check()
            return killedAt.statements
        }

        private func launch() throws {
            queues = try [phone, tablet].map { app in
                let device = try shop.device(app.name, account: "mia")
                let queue = SKPaymentQueue(backend: device, journal: app.journal, delivery: .inline, log: .silent)
                queue.add(app)
                return queue
            }
            settle()
        }

        private func settle() {
            _ = clock.activity.settle() as [String]
        }

        /// If the shop was killed meanwhile, the app dies with it, and both are there again.
        private func relaunchIfKilled() throws {
            guard opened == 0, killed.withLock({ $0.isDead }) else { return }
            opened = 1
            for (queue, app) in zip(queues, [phone, tablet]) { queue.remove(app) }
            queues = []
            settle()
            shop = try DatabaseShop(path: folder.path("\(name)-1.db"), items: stock, clock: clock)
            try launch()
        }

        /// Orders, once: what was added to a queue comes out, whatever is killed.
        private func buy(_ products: String...) throws {
            for product in products {
                let payment = SKMutablePayment()
                payment.productIdentifier = product
                payment.applicationUsername = "\(product) \(ordered.count)"
                ordered.append("\(product) \(ordered.count)")
                queues[0].add(payment)
            }
            settle()
            try relaunchIfKilled()
        }

        /// Does something again if the shop was killed before it had happened, as a user does.
        private func until(_ hasHappened: () -> Bool, act: () -> Void) throws {
            act()
            settle()
            try relaunchIfKilled()
            if !hasHappened() {
                act()
                settle()
            }
            #expect(hasHappened(), "\(self)")
        }

        private func check() throws {
            let sold = ordered.filter { !$0.hasPrefix("unicorn") }
            #expect(phone.sold.values.sorted() == sold.sorted(), "\(self)")
            #expect(Set(phone.failed) == Set(ordered).subtracting(sold), "\(self)")
            #expect(tablet.sold.isEmpty && tablet.failed.isEmpty, "\(self)")
            #expect(queues.allSatisfy { $0.transactions.isEmpty }, "\(self)")
            let database = try ShopDatabase(path: folder.path("\(name)-\(opened).db")) {}
            #expect(try database.run("SELECT count(*) FROM charge") == [["\(sold.count)"]], "\(self)")
            #expect(try database.run("SELECT count(*) FROM sale WHERE finished = 0") == [["0"]], "\(self)")
            #expect(try database.run("SELECT count(*) FROM news WHERE waits = 1") == [["0"]], "\(self)")
        }
    }

    extension Walk: CustomStringConvertible {
        var description: String { "killed behind statement \(point.map { "\($0)" } ?? "none")" }
    }

    /// An app with a disk of its own: what it has delivered, by transaction, outlives its process.
    private final class App: NSObject, SKPaymentTransactionObserver {
        let name: String
        let journal = MemoryJournal()
        private(set) var sold: [String: String] = [:]
        private(set) var failed: [String] = []
        private(set) var restored: [String] = []
        private(set) var restores = 0
        private(set) var revoked = 0

        init(_ name: String) { self.name = name }

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
            for transaction in transactions {
                let order = transaction.payment.applicationUsername ?? ""
                switch transaction.transactionState {
                case .purchased: sold[transaction.transactionIdentifier ?? ""] = order
                case .failed: failed.append(order)
                case .restored:
                    let product = transaction.payment.productIdentifier
                    if !restored.contains(product) { restored.append(product) }
                default: continue
                }
                queue.finishTransaction(transaction)
            }
        }

        func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { restores += 1 }

        func paymentQueue(
            _ queue: SKPaymentQueue,
            didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
        ) { revoked += 1 }
    }
#endif
